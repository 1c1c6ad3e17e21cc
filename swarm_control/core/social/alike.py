"""The resultant between robots that are all alike, each pair looked at once: what one feels of the other, that feels the other way round.

One compiled call makes a tick's request, friction and threshold included, since around a hundred robots Python takes as long as the sum.
Sums may be reordered, as in :mod:`~swarm_control.core.social.pairs`.
"""

import numpy as np
from numba import njit

from swarm_control.core.compiled import jit
from swarm_control.core.geometry import Array
from swarm_control.core.social.pairs import REORDERED
from swarm_control.core.social.table import SHORT, LawTable

FEW = 3
"""Coefficients of which a law often has no more."""


def numbers(table: LawTable, core: float, threshold: float, friction: float) -> Array | None:
    """What :func:`resultant` reads of a law for one kind of robots; None where it cannot: the law is cut off, or has many or odd powers."""
    if len(table.first) != 1 or len(table.root) != 1 or table.terms[0, 1] > 0 or table.terms[0, 0] > SHORT:
        return None
    if table.near[0] > 0.0 or table.far[0] < np.inf:
        return None
    return np.array([*table.whole[0, :SHORT], table.root[0], table.terms[0, 0], core**2, threshold, friction])


@jit
def resultant(pose, velocity, valid, numbers):  # type: ignore[no-untyped-def]
    """Resultant of a law less friction, (N, 2) m/s², on robots at ``pose`` (N, 3) with ``velocity`` (N, 3) that are ``valid`` (N,)."""
    n, count = len(pose), 0
    x, y = np.empty(n), np.empty(n)
    for i in range(n):
        if valid[i]:
            x[count], y[count] = pose[i, 0], pose[i, 1]
            count += 1
    fx, fy = np.zeros(n), np.zeros(n)
    _push(x, y, fx, fy, count, numbers)
    threshold, friction = numbers[SHORT + 3] ** 2, numbers[SHORT + 4]
    result = np.empty((n, 2))
    k = 0
    for i in range(n):
        ax, ay = 0.0, 0.0
        if valid[i]:
            if fx[k] * fx[k] + fy[k] * fy[k] >= threshold:
                ax, ay = fx[k], fy[k]
            k += 1
        result[i, 0] = ax - friction * velocity[i, 0]
        result[i, 1] = ay - friction * velocity[i, 1]
    return result


@njit(cache=True, fastmath=REORDERED, error_model="numpy")
def _push(x, y, fx, fy, count, c):  # type: ignore[no-untyped-def]
    """Add to (``fx``, ``fy``) what the first ``count`` points (``x``, ``y``) m do to each other."""
    c0, c1, c2, c3, c4, c5, c6, core = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[SHORT + 2]
    root, few = c[SHORT] > 0.0, c[SHORT + 1] <= FEW
    for i in range(count):
        px, py = x[i], y[i]
        ax, ay = 0.0, 0.0
        for j in range(np.uint64(0), np.uint64(i)):
            dx, dy = x[j] - px, y[j] - py
            u = 1.0 / max(dx * dx + dy * dy, core)
            if root:
                u = np.sqrt(u)
            w = c0 + u * (c1 + u * c2) if few else c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6)))))
            wx, wy = w * dx, w * dy
            ax += wx
            ay += wy
            fx[j] -= wx
            fy[j] -= wy
        fx[i] += ax
        fy[i] += ay
