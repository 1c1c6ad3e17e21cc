"""The resultant between robots that are all alike, each pair looked at once: what one feels of the other, that feels the other way round.

One compiled call makes a tick's request, threshold included, since around a hundred robots Python takes as long as the sum.
Sums may be reordered, as in :mod:`~swarm_control.social.pairs`.
"""

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import Array
from swarm_control.social.pairs import REORDERED
from swarm_control.social.table import SHORT, LawTable

FEW = 3
"""Coefficients of which a law often has no more."""


def numbers(table: LawTable, core: float, threshold: float) -> Array | None:
    """What :func:`resultant` reads of a law for one kind of robots; None where it cannot: the law is cut off, or has many or odd powers."""
    if len(table.first) != 1 or len(table.root) != 1 or table.terms[0, 1] > 0 or table.terms[0, 0] > SHORT:
        return None
    if table.near[0] > 0.0 or table.far[0] < np.inf:
        return None
    return np.array([*table.whole[0, :SHORT], table.root[0], table.terms[0, 0], core**2, threshold])


@jit
def resultant(pose, numbers):  # type: ignore[no-untyped-def]
    """Resultant of a law, (N, 2) m/s², on robots at ``pose`` (N, 3); zero where it is smaller than the threshold."""
    n = len(pose)
    x, y, fx, fy = np.empty(n), np.empty(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        x[i], y[i] = pose[i, 0], pose[i, 1]
    _push(x, y, fx, fy, numbers)
    result, threshold = np.empty((n, 2)), numbers[SHORT + 3] ** 2
    for i in range(n):
        felt = fx[i] * fx[i] + fy[i] * fy[i] >= threshold
        result[i, 0], result[i, 1] = (fx[i], fy[i]) if felt else (0.0, 0.0)
    return result


@njit(cache=True, fastmath=REORDERED)
def _push(x, y, fx, fy, c):  # type: ignore[no-untyped-def]
    """Add to (``fx``, ``fy``) what points (``x``, ``y``) m do to each other."""
    c0, c1, c2, c3, c4, c5, c6, core = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[SHORT + 2]
    root, few = c[SHORT] > 0.0, c[SHORT + 1] <= FEW
    for i in range(len(x)):
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
