"""Density of a cluster at rest from the law between its robots, and a law from a wished density (Reif & Wang, section 4), on a disc.

N robots repel each other near and attract far by one law. At rest the force on each is zero. As in the paper, near robots are summed on a
hexagonal lattice and far ones integrated (:mod:`.continuum`), the density is a polynomial, and its coefficients are improved in rounds,
each a least-squares solution for no force at sample places. Other than there:

- A round is one of Gauss and Newton, on the coefficients and log R (scipy's trust region): plain substitution need not converge.
- The polynomial is multiplied by ``(1 − t²)^α``, t = r/R, which is how densities fall to zero at the edge: repulsion 1/r^σ has
  α = (σ−1)/2 for σ ≤ 3 (a Riesz gas) and 2/(σ−1) beyond (its pressure goes with ρ^((σ+1)/2)).

How the disc grows: for σ ≤ 3 R does not depend on N but for a logarithm at 3, beyond it is ``∝ N^((σ−3)/(2(σ−σ')))``, attraction 1/r^σ'.
The continuum knows no rows: what it says of the last two rows at the edge are means over them.
"""

from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.continuum import Powers, far_terms, near
from swarm_control.social.disc import Disc, normal
from swarm_control.social.laws import Law

TERMS = 5
"""Coefficients of the polynomial in t²."""
SAMPLES = (np.arange(24) + 0.5) / 24
"""Places at which the force is to be zero, as shares of the robots that are within."""
ATTRACTION, GAP = (0.3, 2.5), (0.5, 9.0)
"""Exponents searched for a wished density: that of the attraction, and by how much that of the repulsion is larger."""


def equilibrium(law: Law, count: int, start: Disc | None = None) -> Disc:
    """Density at which ``count`` robots rest under a law; ``start``: one to begin with.

    ``ValueError`` for a law other than one power σ > 1 that repels and one lower power below 3 that attracts, at all distances.
    """
    from scipy.optimize import least_squares

    repulsion, attraction = _parts(law)
    edge = edge_exponent(repulsion[1])

    def disc_of(x: Array) -> Disc:
        return normal(float(np.exp(np.clip(x[0], -50.0, 50.0))), np.append(1.0, x[1:]), edge, count)

    def force(x: Array) -> Array:
        disc = disc_of(x)
        r = disc.holding(SAMPLES)
        push, pull = far_terms((repulsion, attraction), disc, r)
        left: Array = (near(law.powers, disc, r) + push + pull) / np.sqrt(np.mean(pull**2))
        return left

    if start is None:
        rest = (-repulsion[0] / attraction[0]) ** (1.0 / (repulsion[1] - attraction[1]))
        first = np.append(np.log(rest * count ** growth(repulsion[1], attraction[1])), np.zeros(TERMS - 1))
    else:
        first = np.append(np.log(start.radius), start.coefficient[1:] / start.coefficient[0])
    found = least_squares(force, first, xtol=1e-7, ftol=1e-7)
    disc = disc_of(found.x)
    return Disc(disc.radius, disc.coefficient, edge, float(np.sqrt(np.mean(found.fun**2))))


def edge_exponent(repulsion: float) -> float:
    """Exponent α with which the density falls to zero at the edge, for repulsion ``1/r^repulsion``."""
    return 0.5 * (repulsion - 1.0) if repulsion <= 3.0 else 2.0 / (repulsion - 1.0)


def growth(repulsion: float, attraction: float) -> float:
    """Exponent by which the disc's radius grows with the number of robots."""
    return max(repulsion - 3.0, 0.0) / (2.0 * (repulsion - attraction))


def law_for(r: Array, density: Array, start: Law) -> tuple[Law, Disc]:
    """The law whose equilibrium is nearest to a wished ``density`` (K,) 1/m² at distances r (K,) m, rising, from the centre; with it.

    Robots are as many as the density holds between these distances. Exponents of repulsion and attraction are searched from those of
    ``start`` for the least squared difference, by scipy's least squares with numerical gradients (the paper: quasi-Newton);
    ``equilibrium`` follows from the size, as a cluster scales with its law. ``strength`` does not matter to where robots rest. The law
    found is near ``start`` among several: powers of repulsion below and above 3 give much the same density.
    """
    from scipy.optimize import least_squares

    ring = 2.0 * np.pi * r * np.gradient(r)
    count = max(round(float((density * ring).sum())), 1)
    size = float(np.sqrt((density * ring * r**2).sum() / (density * ring).sum()))
    scale = float(np.sqrt((density**2 * ring).sum()))
    last: list[Disc | None] = [None]

    def cluster(x: Array) -> tuple[Law, Disc]:
        law = replace(start, equilibrium=1.0, attraction=float(x[0]), repulsion=float(x[0] + x[1]))
        disc = last[0] = equilibrium(law, count, last[0])
        radii = disc.holding((np.arange(500) + 0.5) / 500)
        grown = size / float(np.sqrt(np.mean(radii**2)))
        return replace(law, equilibrium=grown), Disc(disc.radius * grown, disc.coefficient / grown**2, disc.edge, disc.residual)

    def difference(x: Array) -> Array:
        return np.sqrt(ring) * (cluster(x)[1].at(r) - density) / scale

    x0 = np.clip([start.attraction, start.repulsion - start.attraction], *np.array([ATTRACTION, GAP]).T)
    found = least_squares(difference, x0, bounds=tuple(np.array([ATTRACTION, GAP]).T), diff_step=1e-3, xtol=1e-3, ftol=1e-4)
    return cluster(found.x)


def _parts(law: Law) -> tuple[tuple[float, float], tuple[float, float]]:
    """The repelling and the attracting term of a law."""
    terms: Powers = tuple(sorted(law.powers))
    if len(terms) == 2 and not law.near and not law.far:
        (c, sigma), (b, lower) = terms
        if c < 0.0 < b and sigma > max(lower, 1.0) and 0.0 < lower < 3.0:
            return terms[0], terms[1]
    raise ValueError(
        f"a law of the terms {terms} found, expected one that repels by a power above 1 and one that attracts by a lower one "
        "between 0 and 3, at all distances"
    )
