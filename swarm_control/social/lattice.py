"""Hexagonal lattices of robots: spacing, sites, and what it costs to add a robot that the others repel (Reif & Wang 1999, section 4.1).

The law is ``F = −a/r^σ`` up to ``REACH`` spacings; its potential energy is ``a / ((σ − 1) r^(σ−1))``. Robots at density ρ stand
``d = √(2/(√3 ρ))`` apart, and half of what each pair holds belongs to each.
"""

from functools import lru_cache

import numpy as np

from swarm_control.core.geometry import Array

REPULSION = 4.0
"""σ: steep enough that what robots of a place feel depends on the density at that place alone."""
REACH = 4.0
"""How far robots feel each other, in mean spacings."""


def spacing(density: Array) -> Array:
    """Distance (…) m between neighbours on a hexagonal lattice of a ``density`` (…) 1/m² > 0."""
    apart: Array = np.sqrt(2.0 / (np.sqrt(3.0) * density))
    return apart


def sites(reach: float) -> Array:
    """Distances (K,) of the sites of the lattice of spacing one within ``reach`` from one of them."""
    line = np.arange(-2.0 * reach, 2.0 * reach + 1.0)
    i, j = np.meshgrid(line, line)
    distance: Array = np.sqrt(i**2 + i * j + j**2).ravel()
    return distance[(distance > 0.0) & (distance <= reach)]


def cost(density: Array, strength: float) -> Array:
    """Energy (…) m²/s² that one more robot costs at a ``density`` (…) 1/m², the pair force being ``−strength/r^σ``.

    Equation: ``d(ρ e)/dρ = e (1 + (σ−1)/2)`` with ``e = S a / (2 (σ−1) d^(σ−1))`` per robot, ``S = Σ |h|^(1−σ)`` over the sites h of
    the lattice of spacing one. Where it and the energy of the landmarks' forces add up to the same everywhere, nobody is pushed.
    """
    power = REPULSION - 1.0
    apart = spacing(np.maximum(density, 1e-12))
    energy: Array = 0.5 * _sum() * strength / power * apart**-power * (1.0 + 0.5 * power)
    return np.where(density > 0.0, energy, 0.0)


@lru_cache(maxsize=1)
def _sum() -> float:
    """``Σ |h|^(1−σ)`` over the hexagonal lattice's sites within ``REACH``."""
    return float((sites(REACH) ** (1.0 - REPULSION)).sum())
