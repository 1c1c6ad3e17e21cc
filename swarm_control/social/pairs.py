"""The pull of points in a row on one point, pair by pair: the inner loop of both summations.

Sums may be reordered here and division does not look for zeros, which lets the compiler use vector instructions: results depend on the
machine in the last bits.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.social.table import SHORT

REORDERED = {"reassoc", "contract", "nsz"}
"""Freedoms that the compiler has; infinities and NaN keep their meaning."""

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
    fx, fy = 0.0, 0.0
    for j in range(np.uint64(low), np.uint64(high)):
        dx, dy = x[j] - px, y[j] - py
        r = np.sqrt(dx * dx + dy * dy)
        if near[e] <= r <= far[e]:
            r = max(r, core)
            u = 1.0 / r if root[e] else 1.0 / (r * r)
            w = 0.0
            for m in range(terms[e, 0] - 1, -1, -1):
                w = w * u + whole[e, m]
            for q in range(terms[e, 1]):
                w += broken[e, q, 0] * r ** -broken[e, q, 1]
            fx += w * dx
            fy += w * dy
    return fx, fy
