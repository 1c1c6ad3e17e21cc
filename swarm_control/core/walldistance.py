"""Exact distance to the nearest wall, for points and for straight ways: walls are the squares of the grid, not their centres.

The nearest wall of a row lies at the nearest occupied column to the left or to the right, both known beforehand. A query walks
from its own row outwards and ends when the rows themselves are farther than what it has found. Places far from walls are told by
one reading: with C the Chebyshev distance in cells, every wall is at least (C − 1)·resolution away from anywhere in the cell.
"""

import math

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.distance_transform import steps_away
from swarm_control.core.geometry import AnyArray, Array
from swarm_control.core.grid import Grid


class WallDistance:
    """Distances to the walls of ``grid``, whose occupied cells are closed squares; there is free floor outside the map.

    ``table`` is what the compiled functions here take: nearest occupied column at or left of each cell (H, W), at or right of it
    (H, W), Chebyshev distance in cells, at most 255 (H, W), x0, y0 and resolution (m). ``walls``: whether there are any.
    """

    def __init__(self, grid: Grid) -> None:
        self.walls = bool(grid.occupied.any())
        self.table = grid.once(_table)

    def distance(self, position: Array, cap: float = math.inf) -> Array:
        """Distance (N,) m from ``position`` (N, 2) m, world frame, to the nearest wall; zero inside, infinite when there is none.

        Distances of ``cap`` (m) and more are given as ``cap``, which saves looking for far walls.
        """
        if not self.walls:
            return np.full(len(position), cap)
        result: Array = _distances(len(position), self.table, np.ascontiguousarray(position, float), float(cap))
        return result


def _table(grid: Grid) -> tuple[AnyArray, AnyArray, AnyArray, float, float, float]:
    columns = grid.occupied.shape[1]
    number = np.int16 if columns < 2**15 else np.int32
    column = np.arange(columns, dtype=number)
    left = np.maximum.accumulate(np.where(grid.occupied, column, number(-1)), axis=1)
    right = np.minimum.accumulate(np.where(grid.occupied, column, number(columns))[:, ::-1], axis=1)[:, ::-1]
    x0, y0 = grid.origin
    return left, np.ascontiguousarray(right), steps_away(grid.occupied), float(x0), float(y0), float(grid.resolution)


@njit(cache=True, inline="always")
def gap(x: float, origin: float, resolution: float, cell: int) -> float:
    """Distance along one axis from ``x`` to the cell with this index; zero inside it."""
    return max(origin + cell * resolution - x, x - (origin + (cell + 1) * resolution), 0.0)


@njit(cache=True, inline="always")
def nearest_cell(x: float, origin: float, resolution: float, cells: int) -> int:
    """Index of the cell that ``x`` lies in along one axis; the first or last one outside the map."""
    return int(min(max((x - origin) / resolution, 0.0), cells - 1.0))


@njit(cache=True)
def wall_distance(table, x, y, cap):  # type: ignore[no-untyped-def]
    """Distance (m) from (x, y) to the nearest wall, at most ``cap``."""
    left, right, near, x0, y0, resolution = table
    rows, columns = near.shape
    i, j = nearest_cell(y, y0, resolution, rows), nearest_cell(x, x0, resolution, columns)
    if (float(near[i, j]) - 1.0) * resolution >= cap:
        return cap
    best = cap * cap
    for k in range(rows):
        nearer = False
        for row in (i - k, i + k):
            if 0 <= row < rows:
                dy = gap(y, y0, resolution, row)
                if dy * dy < best:
                    nearer = True
                    if left[row, j] >= 0:
                        dx = gap(x, x0, resolution, left[row, j])
                        best = min(best, dx * dx + dy * dy)
                    if right[row, j] < columns:
                        dx = gap(x, x0, resolution, right[row, j])
                        best = min(best, dx * dx + dy * dy)
        if not nearer:
            break
    return cap if best >= cap * cap else np.sqrt(best)


@njit(cache=True)
def way_distance(table, x, y, dx, dy, cap):  # type: ignore[no-untyped-def]
    """Least distance (m) from the straight way (x, y) → (x + dx, y + dy) to a wall, at most ``cap``."""
    _, right, near, x0, y0, resolution = table
    rows, columns = near.shape
    low_i = nearest_cell(min(y, y + dy) - cap, y0, resolution, rows)
    high_i = nearest_cell(max(y, y + dy) + cap, y0, resolution, rows)
    low_j = nearest_cell(min(x, x + dx) - cap, x0, resolution, columns)
    high_j = nearest_cell(max(x, x + dx) + cap, x0, resolution, columns)
    best = cap * cap
    for i in range(low_i, high_i + 1):
        j = right[i, low_j]
        while j <= high_j and j < columns:
            best = min(best, _square_to_way(x, y, dx, dy, i, j, x0, y0, resolution))
            j = right[i, j + 1] if j + 1 < columns else columns
    return cap if best >= cap * cap else np.sqrt(best)


@njit(cache=True)
def _square_to_way(x, y, dx, dy, i, j, x0, y0, resolution):  # type: ignore[no-untyped-def]
    """Squared distance between cell (i, j) and a straight way: zero where it enters, else at an end of it or at a corner of the cell."""
    low_x, low_y = x0 + j * resolution, y0 + i * resolution
    high_x, high_y = x0 + (j + 1) * resolution, y0 + (i + 1) * resolution
    enter_x, leave_x = _slab(x, dx, low_x, high_x)
    enter_y, leave_y = _slab(y, dy, low_y, high_y)
    if max(enter_x, enter_y) <= min(leave_x, leave_y):
        return 0.0
    ax, ay = gap(x, x0, resolution, j), gap(y, y0, resolution, i)
    bx, by = gap(x + dx, x0, resolution, j), gap(y + dy, y0, resolution, i)
    best = min(ax * ax + ay * ay, bx * bx + by * by)
    length = dx * dx + dy * dy
    if length > 0.0:
        for cx in (low_x, high_x):
            for cy in (low_y, high_y):
                t = ((cx - x) * dx + (cy - y) * dy) / length
                if 0.0 < t < 1.0:
                    ex, ey = x + t * dx - cx, y + t * dy - cy
                    best = min(best, ex * ex + ey * ey)
    return best


@njit(cache=True, inline="always")
def _slab(x: float, dx: float, low: float, high: float) -> tuple[float, float]:
    """Part [enter, leave] of the way's parameter [0, 1] in which x + t·dx is between ``low`` and ``high``; enter > leave: none."""
    if dx == 0.0:
        return (0.0, 1.0) if low <= x <= high else (1.0, 0.0)
    a, b = (low - x) / dx, (high - x) / dx
    return max(min(a, b), 0.0), min(max(a, b), 1.0)


def _distances_loop(table, position, cap):  # type: ignore[no-untyped-def]
    n = len(position)
    result = np.empty(n)
    for k in prange(n):
        result[k] = wall_distance(table, position[k, 0], position[k, 1], cap)
    return result


_distances = Kernel(_distances_loop)
