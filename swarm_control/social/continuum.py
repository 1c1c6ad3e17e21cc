"""Force on robots in a disc of many: near ones summed on a hexagonal lattice, far ones integrated (Reif & Wang, section 4.1).

Laws are pairs (c, σ), ``F(r) = Σ c/r^σ``, positive towards the other. Near and far go over into each other as in Ewald's sums: of each
term the share ``Q((σ+1)/2, r²/2s²)`` (upper incomplete gamma function) is near. That leaves a far part without singularity, which an
integral represents as well as a sum, and no jump at a threshold. s is ``REACH`` of the lattice's spacing at the place.
"""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.disc import Disc, gauss
from swarm_control.social.lattice import sites

Powers = tuple[tuple[float, float], ...]

REACH = 0.6
"""s over the spacing a; integrating instead of summing errs by exp(−s² G²/2), G = 4π/√3a: 10⁻⁴ of the far force."""
ROWS = 6.0
"""How far the lattice is summed, in spacings; the near share is below 10⁻⁹ beyond."""
RADIAL, ANGULAR = gauss(40), gauss(24)
"""Nodes of the far integral, along and around."""


def near(powers: Powers, disc: Disc, r: Array) -> Array:
    """Outward force (M,) of the near shares on robots at distances r (M,) m from the centre of a disc.

    At constant density it is zero. Where the density changes by ``g = ρ'/ρ``, the lattice's sites u are moved by ``−g/4 u²`` (as complex
    numbers), to first order the conformal map, which keeps hexagons, onto the density's slope.
    """
    spacing, slope = disc.spacing(r), disc.slope(r)
    h, s = spacing[:, None] * LATTICE, REACH * spacing[:, None]
    total = np.zeros_like(r)
    for c, sigma in powers:
        share, change = _near_share(sigma, h, s)
        force = c * h**-sigma * share
        gradient = c * h**-sigma * (change - sigma / h * share)
        total += -slope / 8.0 * (h * (h * gradient - force)).sum(axis=1)
    return total


def far(powers: Powers, disc: Disc, r: Array) -> Array:
    """Outward force (M,) of the far shares of a disc's density on robots at distances r (M,) m from its centre."""
    total: Array = far_terms(powers, disc, r).sum(axis=0)
    return total


def far_terms(powers: Powers, disc: Disc, r: Array) -> Array:
    """The same for each of K ``powers`` on its own, (K, M)."""
    R, x = disc.radius, r[:, None]
    s = REACH * disc.spacing(r)[:, None]
    core = np.minimum(R - x, 6.0 * s)
    total = np.zeros((len(powers), len(r)))
    for low, high in ((np.zeros_like(x), core), (core, R - x), (R - x, R + x)):
        h, dh = _smooth(low, high, RADIAL)
        density = _ring(disc, x, h) * h * dh
        total += [(_far_force(c, sigma, h, s) * density).sum(axis=1) for c, sigma in powers]
    return total


def _ring(disc: Disc, x: Array, h: Array) -> Array:
    """``∫ ρ cos φ dφ`` (M, H) around robots x (M, 1) m from the centre, at distances h (M, H) m from them; φ = 0 is outward."""
    cut = np.clip((disc.radius**2 - x**2 - h**2) / np.maximum(2.0 * x * h, 1e-12), -1.0, 1.0)
    angle, da = _smooth(np.arccos(cut)[..., None], np.pi, ANGULAR)
    cosine, x, h = np.cos(angle), x[..., None], h[..., None]
    density = disc.at(np.sqrt(np.maximum(x**2 + h**2 + 2.0 * x * h * cosine, 0.0)))
    integral: Array = 2.0 * (density * cosine * da).sum(axis=-1)
    return integral


def _smooth(low: Array, high: Array | float, rule: tuple[Array, Array]) -> tuple[Array, Array]:
    """Nodes and weights (…, K) between ``low`` and ``high`` (…, 1), dense at both ends, where the integrand may have a root."""
    u, w = rule
    width = high - low
    return low + width * (u * u * (3.0 - 2.0 * u)), width * (6.0 * u * (1.0 - u) * w)


def _near_share(sigma: float, h: Array, s: Array) -> tuple[Array, Array]:
    """Near share of a term at distances h m, and its derivative."""
    from scipy.special import gamma, gammaincc

    order, x = 0.5 * (sigma + 1.0), h**2 / (2.0 * s**2)
    return gammaincc(order, x), -(x ** (order - 1.0)) * np.exp(-x) / gamma(order) * h / s**2


def _far_force(c: float, sigma: float, h: Array, s: Array) -> Array:
    from scipy.special import gammainc

    force: Array = c * h**-sigma * gammainc(0.5 * (sigma + 1.0), h**2 / (2.0 * s**2))
    return force


LATTICE = sites(ROWS)
