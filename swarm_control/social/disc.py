"""A radial density of robots on a disc, as a polynomial."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.lattice import spacing


@dataclass(frozen=True)
class Disc:
    """Density ``(1 − t²)^α · Σ_k a_k t^2k`` of robots at r = t R from the centre.

    ``radius`` R m; ``coefficient`` a (K,) 1/m²; ``edge`` α, by which it falls to zero. ``residual``: root mean square of the force on
    its robots over that of the attraction, for a density found from a law.
    """

    radius: float
    coefficient: Array
    edge: float
    residual: float = 0.0

    def at(self, r: Array) -> Array:
        """Robots per m² at distances r (…) m from the centre; zero outside."""
        t2 = (np.asarray(r, float) / self.radius) ** 2
        polynomial = np.maximum(np.polynomial.polynomial.polyval(t2, self.coefficient), LEAST)
        density: Array = np.where(t2 < 1.0, np.maximum(1.0 - t2, 0.0) ** self.edge * polynomial, 0.0)
        return density

    def slope(self, r: Array) -> Array:
        """``ρ'/ρ`` (…) 1/m at distances r (…) < R."""
        t = r / self.radius
        value = np.maximum(np.polynomial.polynomial.polyval(t**2, self.coefficient), LEAST)
        change = np.polynomial.polynomial.polyval(t**2, np.polynomial.polynomial.polyder(self.coefficient))
        relative: Array = 2.0 * t / self.radius * (change / value - self.edge / (1.0 - t**2))
        return relative

    def inside(self, r: Array) -> Array:
        """How many robots are within distances r (…) m."""
        t = np.minimum(np.asarray(r, float)[..., None] / self.radius, 1.0)
        nodes, weights = NODES
        u, du = t * (2.0 - nodes) * nodes, 2.0 * t * (1.0 - nodes) * weights  # dense at the edge
        total: Array = 2.0 * np.pi * self.radius**2 * (u * self.at(self.radius * u) * du).sum(axis=-1)
        return total

    def holding(self, share: Array) -> Array:
        """Radius (…) m within which a ``share`` (…) of all robots is."""
        r = self.radius * np.sin(np.linspace(0.0, 0.5 * np.pi, 200))
        count = self.inside(r)
        radius: Array = np.interp(np.asarray(share) * count[-1], count, r)
        return radius

    def spacing(self, r: Array) -> Array:
        """Distance (…) m between neighbours on a hexagonal lattice of the density at distances r (…) < R."""
        return spacing(self.at(r))

    def rim(self) -> float:
        """Distance (m) from the centre of the outermost row of robots: half of those in it count as beyond it."""
        r = self.radius * np.sin(np.linspace(0.1, 0.499 * np.pi, 2000))
        total = float(self.inside(np.array(self.radius)))
        excess = total - self.inside(r) - np.pi * r / self.spacing(r)
        return float(r[np.argmax(excess < 0.0)])


def normal(radius: float, relative: Array, edge: float, count: float) -> Disc:
    """Disc that holds ``count`` robots, of ``radius`` (m) and the ``relative`` coefficients (K,) of its polynomial."""
    disc = Disc(radius, relative, edge)
    return Disc(radius, relative * (count / float(disc.inside(np.array(radius)))), edge)


LEAST = 1e-9
"""Least value of the polynomial, 1/m²."""


def gauss(n: int) -> tuple[Array, Array]:
    """Nodes and weights (n,) of Gauss and Legendre on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (nodes + 1.0), 0.5 * weights


NODES = gauss(64)
