"""The resultant between robots that are all alike, each pair looked at once: what one feels of the other, that feels the other way round.

One compiled call makes a tick's request, threshold included, since around a hundred robots Python takes as long as the sum.
Sums may be reordered, as in :mod:`~swarm_control.social.pairs`.
"""

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import Array
from swarm_control.social.pairs import weigh
from swarm_control.social.powers import BLOCK, REORDERED
from swarm_control.social.table import SHORT, LawTable

ROOT, TERMS, CORE, THRESHOLD, NEAR, FAR, BROKEN = range(SHORT, SHORT + 7)
"""Where in the numbers what is, after the coefficients of whole powers."""

FEW = 3
"""Coefficients of which a law often has no more."""


def numbers(table: LawTable, core: float, threshold: float) -> Array | None:
    """What :func:`resultant` reads of a law for one kind of robots; None where it cannot: there are several, or one of many powers."""
    if len(table.first) != 1 or len(table.root) != 1 or table.terms[0, 0] > SHORT:
        return None
    rows = table.broken[0, : table.terms[0, 1]].ravel()
    return np.array([*table.whole[0, :SHORT], table.root[0], table.terms[0, 0], core, threshold, table.near[0], table.far[0], *rows])


@jit
def resultant(pose, numbers):  # type: ignore[no-untyped-def]
    """Resultant of a law, (N, 2) m/s², on robots at ``pose`` (N, 3); zero where it is smaller than the threshold."""
    n = len(pose)
    x, y, fx, fy = np.empty(n), np.empty(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        x[i], y[i] = pose[i, 0], pose[i, 1]
    if len(numbers) > BROKEN or numbers[NEAR] > 0.0 or numbers[FAR] < np.inf:
        _push_any(x, y, fx, fy, numbers)
    else:
        _push(x, y, fx, fy, numbers)
    result, threshold = np.empty((n, 2)), numbers[THRESHOLD] ** 2
    for i in range(n):
        felt = fx[i] * fx[i] + fy[i] * fy[i] >= threshold
        result[i, 0], result[i, 1] = (fx[i], fy[i]) if felt else (0.0, 0.0)
    return result


@njit(cache=True, fastmath=REORDERED)
def _push(x, y, fx, fy, c):  # type: ignore[no-untyped-def]
    """Add to (``fx``, ``fy``) what points (``x``, ``y``) m do to each other."""
    c0, c1, c2, c3, c4, c5, c6, core = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[CORE] ** 2
    root, few = c[ROOT] > 0.0, c[TERMS] <= FEW
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


@njit(cache=True, fastmath=REORDERED)
def _push_any(x, y, fx, fy, c):  # type: ignore[no-untyped-def]
    """The same by a law that is cut off or has broken powers."""
    square, u, w, broken = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), c[BROKEN:].copy().reshape(-1, 2)
    for i in range(len(x)):
        px, py = x[i], y[i]
        ax, ay = 0.0, 0.0
        for begin in range(0, i, BLOCK):
            first, n = np.uint64(begin), min(BLOCK, i - begin)
            weigh(
                px, py, x, y, first, n, c[CORE], c[ROOT] > 0.0, c[:SHORT], int(c[TERMS]), broken, len(broken), c[NEAR], c[FAR], square, u, w
            )  # fmt: skip
            for j in range(np.uint64(n)):
                ax += w[j] * (x[first + j] - px)
                ay += w[j] * (y[first + j] - py)
            for j in range(np.uint64(n)):
                fx[first + j] -= w[j] * (x[first + j] - px)
            for j in range(np.uint64(n)):
                fy[first + j] -= w[j] * (y[first + j] - py)
        fx[i] += ax
        fy[i] += ay
