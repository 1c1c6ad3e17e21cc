"""The far field: what a distant cell exerts on the neighbourhood of a point, as a polynomial of third order.

A law is ``f(d) = g(r)·d`` over the displacement d = D + δₛ − δₜ, with D from the middle of the cell of targets to that of the sources.
Its Taylor series about D is taken to the third order in δₛ − δₜ; summed over the sources it needs their moments only. With
``g = Σ c r^−p`` and ``G₁ = g, G₂ = G₁′/r, G₃ = G₂′/r, G₄ = G₃′/r`` its derivatives are those of a potential Φ with Φᵢ = Dᵢ G₁.

Error: cells are summed as a whole when ``ρ = (reachₛ + reachₜ)/|D| ≤ θ``. The terms of order n of ``c/r^σ`` are at most
``C(σ + n − 1, n)·ρⁿ·|c|/|D|^σ``, as a complex power series shows (with 1 for σ < 1), so that what is left out is at most
:func:`error_bound` times the sum of the forces' magnitudes.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.social.powers import REORDERED, exp2, log2

TERMS = 14
"""Coefficients of a local polynomial: force, and its first, second and third derivatives."""


def error_bound(exponent: float, opening: float) -> float:
    """Greatest error of the tree's force by a law c/r^``exponent``, as a share of the sum of the magnitudes of the pairs' forces.

    ``((1 − θ)^−s − Σ_{n<4} C(s + n − 1, n)·θⁿ)·(1 + θ)^σ`` with s = max(σ, 1) and θ the ``opening``; all sources lie at most 1 + θ
    times as far as the middle of their cell.
    """
    s = max(exponent, 1.0)
    coefficient, kept = 1.0, 0.0
    for n in range(4):
        kept += coefficient * opening**n
        coefficient *= (s + n) / (n + 1.0)
    return float(((1.0 - opening) ** -s - kept) * (1.0 + opening) ** max(exponent, 0.0))


@njit(cache=True, fastmath=REORDERED)
def _derivatives(square, e, root, whole, broken, terms):  # type: ignore[no-untyped-def]
    """``G₁`` … ``G₄`` of entry ``e`` of a law table at the distance whose ``square`` is given."""
    inverse = 1.0 / square
    u = np.sqrt(inverse) if root[e] else inverse
    step = 1.0 if root[e] else 2.0
    g1, g2, g3, g4, power = 0.0, 0.0, 0.0, 0.0, 1.0
    for m in range(terms[e, 0]):
        p, term = m * step, whole[e, m] * power
        g1 += term
        g2 += term * p
        g3 += term * p * (p + 2.0)
        g4 += term * p * (p + 2.0) * (p + 4.0)
        power *= u
    log = log2(square) if terms[e, 1] > 0 else 0.0
    for q in range(terms[e, 1]):
        p = broken[e, q, 1]
        term = broken[e, q, 0] * exp2(-0.5 * p * log)
        g1 += term
        g2 += term * p
        g3 += term * p * (p + 2.0)
        g4 += term * p * (p + 2.0) * (p + 4.0)
    return g1, -g2 * inverse, g3 * inverse * inverse, -g4 * inverse * inverse * inverse


@njit(cache=True, fastmath=REORDERED)
def add_cell(local, x, y, count, moment, e, root, whole, broken, terms):  # type: ignore[no-untyped-def]
    """Add to the ``local`` polynomial what a cell of ``count`` sources does whose middle is (``x``, ``y``) m from that of the targets."""
    g1, g2, g3, g4 = _derivatives(x * x + y * y, e, root, whole, broken, terms)
    xx, xy, yy = x * x, x * y, y * y
    d3x, d3xy, d3yx, d3y = x * (3.0 * g2 + xx * g3), y * (g2 + xx * g3), x * (g2 + yy * g3), y * (3.0 * g2 + yy * g3)
    d4a, d4b = 3.0 * g2 + xx * (6.0 * g3 + xx * g4), xy * (3.0 * g3 + xx * g4)
    d4c = g2 + (xx + yy) * g3 + xx * yy * g4
    d4d, d4e = xy * (3.0 * g3 + yy * g4), 3.0 * g2 + yy * (6.0 * g3 + yy * g4)
    sxx, sxy, syy, ta, tb, tc, td = moment[0], moment[1], moment[2], moment[3], moment[4], moment[5], moment[6]
    local[0] += count * x * g1 + 0.5 * (d3x * sxx + 2.0 * d3xy * sxy + d3yx * syy)
    local[0] += (d4a * ta + 3.0 * d4b * tb + 3.0 * d4c * tc + d4d * td) / 6.0
    local[1] += count * y * g1 + 0.5 * (d3xy * sxx + 2.0 * d3yx * sxy + d3y * syy)
    local[1] += (d4b * ta + 3.0 * d4c * tb + 3.0 * d4d * tc + d4e * td) / 6.0
    local[2] -= count * (g1 + xx * g2) + 0.5 * (d4a * sxx + 2.0 * d4b * sxy + d4c * syy)
    local[3] -= count * xy * g2 + 0.5 * (d4b * sxx + 2.0 * d4c * sxy + d4d * syy)
    local[4] -= count * (g1 + yy * g2) + 0.5 * (d4c * sxx + 2.0 * d4d * sxy + d4e * syy)
    local[5] += count * d3x
    local[6] += count * d3xy
    local[7] += count * d3yx
    local[8] += count * d3y
    local[9] -= count * d4a
    local[10] -= count * d4b
    local[11] -= count * d4c
    local[12] -= count * d4d
    local[13] -= count * d4e


@njit(cache=True, fastmath=REORDERED)
def value(local, a, b):  # type: ignore[no-untyped-def]
    """The ``local`` polynomial at (``a``, ``b``) m from its middle: a force (x, y)."""
    aa, ab, bb = 0.5 * a * a, a * b, 0.5 * b * b
    aaa, aab, abb, bbb = a * aa / 3.0, aa * b, a * bb, b * bb / 3.0
    fx = local[0] + local[2] * a + local[3] * b + local[5] * aa + local[6] * ab + local[7] * bb
    fy = local[1] + local[3] * a + local[4] * b + local[6] * aa + local[7] * ab + local[8] * bb
    fx += local[9] * aaa + local[10] * aab + local[11] * abb + local[12] * bbb
    fy += local[10] * aaa + local[11] * aab + local[12] * abb + local[13] * bbb
    return fx, fy
