"""A balanced tree of points in the plane: cells halved along their longer side, with their moments up to the third."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, IntArray

LEAF = 32
"""Leaves hold at most so many points."""


@dataclass(frozen=True)
class Tree:
    """Points sorted so that each cell's stand in a row; cell c has the halves 2c + 1 and 2c + 2, and the last half of the cells are leaves.

    ``order`` (n,): the points' numbers; ``x``, ``y`` (n,) m. Of C cells: ``bounds`` (C, 2), the rows from the first to the one after the
    last; ``middle`` (C, 2) their centroid, m; ``reach`` (C,) the greatest distance from it, m; ``moment`` (C, 7) the sums of xx, xy,
    yy, xxx, xxy, xyy and yyy about it, m² and m³.
    """

    order: IntArray
    x: Array
    y: Array
    bounds: IntArray
    middle: Array
    reach: Array
    moment: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What summing needs, in the order in which kernels take it."""
        return self.x, self.y, self.bounds, self.middle, self.reach, self.moment  # type: ignore[return-value]

    @property
    def leaves(self) -> range:
        """Cells that are not halved."""
        return range(len(self.bounds) // 2, len(self.bounds))


def make_tree(points: Array) -> Tree:
    """Sort ``points`` (n, 2) m, n ≥ 1, into a tree."""
    n = len(points)
    depth = max(int(np.ceil(np.log2(n / LEAF))), 0)
    order, (x, y) = np.arange(n), np.array(points.T, order="C")
    cells = 2 ** (depth + 1) - 1
    bounds, middle, reach, moment = np.empty((cells, 2), np.int64), np.empty((cells, 2)), np.empty(cells), np.empty((cells, 7))
    for level in range(depth + 1):
        _split(n, level, depth, order, x, y, bounds, middle, reach, moment)
    return Tree(order, x, y, bounds, middle, reach, moment)


def _split_loop(level, depth, order, x, y, bounds, middle, reach, moment):  # type: ignore[no-untyped-def]
    """Measure the cells of a ``level`` and sort each so that its halves stand in a row."""
    n, cells = len(order), 1 << level
    for k in prange(cells):
        low, high, cell = n * k // cells, n * (k + 1) // cells, cells - 1 + k
        bounds[cell, 0], bounds[cell, 1] = low, high
        width, height = _measure(x, y, low, high, middle[cell], moment[cell])
        reach[cell] = _farthest(x, y, low, high, middle[cell, 0], middle[cell, 1])
        if level < depth:
            half = n * (2 * k + 1) // (2 * cells)
            if width >= height:
                _select(x, y, order, low, high - 1, half)
            else:
                _select(y, x, order, low, high - 1, half)


@njit(cache=True)
def _measure(x, y, low, high, middle, moment):  # type: ignore[no-untyped-def]
    """Fill in centroid and moments of the points in a row; return the extent of their box."""
    x0, x1, y0, y1, sx, sy = np.inf, -np.inf, np.inf, -np.inf, 0.0, 0.0
    for j in range(low, high):
        x0, x1, y0, y1 = min(x0, x[j]), max(x1, x[j]), min(y0, y[j]), max(y1, y[j])
        sx += x[j]
        sy += y[j]
    cx, cy = sx / (high - low), sy / (high - low)
    middle[0], middle[1] = cx, cy
    moment[:] = 0.0
    for j in range(low, high):
        a, b = x[j] - cx, y[j] - cy
        moment[0] += a * a
        moment[1] += a * b
        moment[2] += b * b
        moment[3] += a * a * a
        moment[4] += a * a * b
        moment[5] += a * b * b
        moment[6] += b * b * b
    return x1 - x0, y1 - y0


@njit(cache=True)
def _farthest(x, y, low, high, cx, cy):  # type: ignore[no-untyped-def]
    square = 0.0
    for j in range(low, high):
        square = max(square, (x[j] - cx) ** 2 + (y[j] - cy) ** 2)
    return np.sqrt(square)


@njit(cache=True)
def _select(key, other, order, low, high, k):  # type: ignore[no-untyped-def]
    """Sort rows ``low`` … ``high`` so far that none before row ``k`` has a greater ``key`` than any from it on (Hoare's selection)."""
    while low < high:
        pivot = key[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                other[i], other[j] = other[j], other[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return


_split = Kernel(_split_loop)
