"""Force laws between groups of robots: sums of inverse powers of the distance, and springs (Reif & Wang 1999, §2.1, §3.2, §5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param

MOST = 20.0
"""Largest exponent of a law."""


@dataclass(frozen=True)
class Law:
    """The force of each robot or landmark ``of`` a group on each robot that it ``acts_on``, along the line between them; positive attracts.

    It is the sum of what is given: with ``equilibrium`` r₀ the clustering law ``strength·((r₀/r)^attraction − (r₀/r)^repulsion)``,
    with ``terms`` c₁, σ₁, c₂, σ₂, … ``Σ cₖ/r^σₖ``, with ``spring`` k ``k·(r − length)``. Forces are accelerations, r is in m.
    ``turn`` then turns it off that line, which leads round what repels. ``ValueError`` when the parts do not make a law.
    """

    acts_on: str = param("", "group of the robots that feel it; none: all robots")
    of: str = param("", "group of the robots or landmarks that exert it; none: all robots")
    equilibrium: float = param(0.0, "distance at which repulsion and attraction cancel; 0: no such force", unit="m", low=0.0, high=1e5)
    repulsion: float = param(3.0, "exponent of the repulsion", low=0.01, high=MOST)
    attraction: float = param(1.0, "exponent of the attraction", low=0.01, high=MOST)
    strength: float = param(1.0, "magnitude of either at the equilibrium", unit="m/s²", low=0.0, high=1e6)
    terms: tuple[float, ...] = param((), "pairs c, σ of further forces c/r^σ; c < 0 repels", low=-1e18, high=1e18)
    spring: float = param(0.0, "stiffness of a spring", unit="1/s²", low=0.0, high=1e6)
    length: float = param(0.0, "natural length of the spring", unit="m", low=0.0, high=1e5)
    near: float = param(0.0, "it acts from this distance on", unit="m", low=0.0, high=1e6)
    far: float = param(0.0, "it acts up to this distance; 0: however far", unit="m", low=0.0, high=1e6)
    turn: float = param(0.0, "angle by which the force is turned to the left", unit="deg", low=-180.0, high=180.0)

    def __post_init__(self) -> None:
        if len(self.terms) % 2:
            raise ValueError(f"terms: {len(self.terms)} numbers found, expected pairs of a coefficient and an exponent")
        for exponent in self.terms[1::2]:
            if not 0.0 < exponent <= MOST:
                raise ValueError(f"terms: exponent {exponent:g} found, expected one greater than 0 and at most {MOST:g}")
        if not (self.equilibrium or self.terms or self.spring):
            raise ValueError("a law without a force found, expected equilibrium, terms or spring")
        if self.equilibrium and self.repulsion == self.attraction:
            raise ValueError(f"repulsion and attraction both {self.repulsion:g} found, expected different exponents")
        if self.far and self.far <= self.near:
            raise ValueError(f"far {self.far:g} found, expected more than near ({self.near:g})")

    @property
    def powers(self) -> tuple[tuple[float, float], ...]:
        """Pairs (c, σ) of which the law is the sum ``Σ c/r^σ``; a spring has σ −1 and 0."""
        found = list(zip(self.terms[::2], self.terms[1::2]))
        if self.equilibrium and self.strength:
            for sign, exponent in ((-1.0, self.repulsion), (1.0, self.attraction)):
                found.append((sign * self.strength * self.equilibrium**exponent, exponent))
        if self.spring:
            found += [(self.spring, -1.0), (-self.spring * self.length, 0.0)]
        return tuple((c, exponent) for c, exponent in found if c != 0.0)

    def force(self, distance: Array) -> Array:
        """The force (…) m/s² at ``distance`` (…) m > 0, positive towards the other; zero outside ``near`` and ``far``."""
        acts = (distance >= self.near) & (distance <= (self.far or np.inf))
        return np.where(acts, sum((c * distance**-exponent for c, exponent in self.powers), np.zeros_like(distance)), 0.0)


def laws_between(laws: Sequence[Law], on: frozenset[str], of: frozenset[str]) -> tuple[Law, ...]:
    """The laws that a robot in the groups ``on`` feels of one in the groups ``of``; its laws add up. Robots are in the group ``""``."""
    return tuple(law for law in laws if law.acts_on in on and law.of in of)


def equilibria(laws: Sequence[Law], least: float = 1e-4, most: float = 1e5, *, stable: bool = True) -> tuple[float, ...]:
    """Distances (m) from ``least`` to ``most`` at which the sum of ``laws`` turns from repulsion to attraction, which is stable for two
    robots; with ``stable`` false, from attraction to repulsion.

    For the clustering law ``−c₁/r^σ₁ + c₂/r^σ₂`` this is ``(c₁/c₂)^(1/(σ₁−σ₂))``.
    """
    from scipy.optimize import brentq

    def total(distance: float) -> float:
        return float(sum(law.force(np.array(distance)) for law in laws))

    distance = np.geomspace(least, most, 2000)
    force = sum((law.force(distance) for law in laws), np.zeros_like(distance))
    distance, force = distance[force != 0.0], force[force != 0.0]
    turns = np.flatnonzero((force[:-1] < 0.0) & (force[1:] > 0.0) if stable else (force[:-1] > 0.0) & (force[1:] < 0.0))
    return tuple(float(brentq(total, distance[k], distance[k + 1], xtol=1e-15, rtol=1e-14)) for k in turns)
