"""The pull of points in a row on one point, pair by pair: the inner loop of both summations.

Sums may be reordered here and division does not look for zeros, which lets the compiler use vector instructions: results depend on the
machine in the last bits.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.social.powers import BLOCK, REORDERED, add_powers, log2
from swarm_control.social.table import SHORT

assert SHORT == 7, "short polynomials below are written out"


@njit(cache=True, fastmath=REORDERED)
def pull(px, py, x, y, low, high, core, e, root, whole, broken, terms, near, far):  # type: ignore[no-untyped-def]
    """Force (x, y) of the points ``low`` … ``high − 1`` of ``x`` and ``y`` (m) on the point (``px``, ``py``) by entry ``e`` of a law table.

    Within ``core`` (m) the force over the distance stays what it is there; so a point pulls not on itself.
    """
    if terms[e, 1] > 0 or terms[e, 0] > SHORT or near[e] > 0.0 or far[e] < np.inf:
        return _any(px, py, x, y, low, high, core, e, root, whole, broken, terms, near, far)
    return _short(px, py, x, y, low, high, core * core, root[e], whole[e])


@njit(cache=True, fastmath=REORDERED)
def _short(px, py, x, y, low, high, core, root, c):  # type: ignore[no-untyped-def]
    fx, fy = 0.0, 0.0
    c0, c1, c2, c3, c4, c5, c6 = c[0], c[1], c[2], c[3], c[4], c[5], c[6]
    if root:
        for j in range(np.uint64(low), np.uint64(high)):
            dx, dy = x[j] - px, y[j] - py
            u = np.sqrt(1.0 / max(dx * dx + dy * dy, core))
            w = c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6)))))
            fx += w * dx
            fy += w * dy
    else:
        for j in range(np.uint64(low), np.uint64(high)):
            dx, dy = x[j] - px, y[j] - py
            u = 1.0 / max(dx * dx + dy * dy, core)
            w = c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6)))))
            fx += w * dx
            fy += w * dy
    return fx, fy


@njit(cache=True, fastmath=REORDERED)
def _any(px, py, x, y, low, high, core, e, root, whole, broken, terms, near, far):  # type: ignore[no-untyped-def]
    fx, fy, square, u, w = 0.0, 0.0, np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for begin in range(low, high, BLOCK):
        first, n = np.uint64(begin), min(BLOCK, high - begin)
        weigh(px, py, x, y, first, n, core, root[e], whole[e], terms[e, 0], broken[e], terms[e, 1], near[e], far[e], square, u, w)
        for j in range(np.uint64(n)):
            fx += w[j] * (x[first + j] - px)
            fy += w[j] * (y[first + j] - py)
    return fx, fy


@njit(cache=True, fastmath=REORDERED)
def weigh(px, py, x, y, first, n, core, root, whole, terms, broken, more, near, far, square, u, w):  # type: ignore[no-untyped-def]
    """Write to ``w`` the force over the distance of ``n`` points from the ``first`` on, by any law: one term of it after the other.

    The law is one entry of a table: ``terms`` of ``whole`` and ``more`` of ``broken`` are in use. ``square`` and ``u`` are room to work in.
    """
    core, near, far = core * core, near * near, far * far
    for j in range(np.uint64(n)):
        dx, dy = x[first + j] - px, y[first + j] - py
        square[j] = max(dx * dx + dy * dy, core)
    _polynomial(square, n, root, whole, terms, u, w)
    if more > 0:
        for j in range(np.uint64(n)):
            square[j] = log2(square[j])
        for q in range(more):
            add_powers(square, n, broken[q, 0], broken[q, 1], w)
    if near > 0.0 or far < np.inf:
        for j in range(np.uint64(n)):
            dx, dy = x[first + j] - px, y[first + j] - py
            apart = dx * dx + dy * dy
            w[j] = w[j] if (near <= apart) & (apart <= far) else 0.0


@njit(cache=True, fastmath=REORDERED)
def _polynomial(square, n, root, c, terms, u, w):  # type: ignore[no-untyped-def]
    """Write to ``w`` the sum of the first ``terms`` of ``c`` times powers of 1/r², or of 1/r with ``root``."""
    c0, c1, c2, c3, c4, c5, c6 = c[0], c[1], c[2], c[3], c[4], c[5], c[6]
    if root:
        for j in range(np.uint64(n)):
            u[j] = np.sqrt(1.0 / square[j])
    else:
        for j in range(np.uint64(n)):
            u[j] = 1.0 / square[j]
    if terms <= SHORT:
        for j in range(np.uint64(n)):
            v = u[j]
            w[j] = c0 + v * (c1 + v * (c2 + v * (c3 + v * (c4 + v * (c5 + v * c6)))))
        return
    for j in range(np.uint64(n)):
        w[j] = c[terms - 1]
    for m in range(terms - 2, -1, -1):
        for j in range(np.uint64(n)):
            w[j] = w[j] * u[j] + c[m]
