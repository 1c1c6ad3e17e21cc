"""Cell list: robots sorted into square cells, so that those within one cell's width are found in the nine cells around."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import Array, BoolArray, IntArray

WIDEST = 4.0
"""Cells wider than so many times their least width take too many robots: then those far from the rest are set apart."""

LEAST = 1.0 + 1e-9
"""The least width of cells, of the reach."""


@dataclass(frozen=True)
class Cells:
    """Robots by cell. ``order`` (n,): robots sorted by cell; cell (i, j) holds ``order[start[c]:start[c + 1]]``, c = i·columns + j.

    ``origin`` is the lower-left corner (m), ``size`` the cell's width (m). What lies beyond the table is in the cells at its border.
    """

    order: IntArray
    start: IntArray
    origin: Array
    size: float
    rows: int
    columns: int


@njit(cache=True, inline="always")
def cell_of(x: float, origin: float, size: float, cells: int) -> int:
    """Row or column of the cell in which the coordinate ``x`` lies; the first or last one beyond the table."""
    return int(min(max((x - origin) / size, 0.0), cells - 1.0))


def sort_into_cells(position: Array, valid: BoolArray, reach: float) -> Cells:
    """Sort robots at ``position`` (N, ≥2) m into cells at least ``reach`` (m) wide; invalid robots are left out.

    Where the robots are so scattered that the table would outgrow their number, cells are widened; before they get much too wide, a
    few robots that are far from the rest go into the cells at the border.
    """
    order, start, low, size, rows, columns = _sort(position, valid, reach)
    if size > WIDEST * reach * LEAST:
        members, seen, _, _ = _gather(position, valid)
        least = reach * LEAST
        low, high = np.quantile(seen, (0.02, 0.98), axis=0)
        low, high = low - 0.1 * (high - low) - least, high + 0.1 * (high - low) + least
        size, rows, columns = _table(low, high, reach, len(seen))
        order, start = _counting_sort(seen, members, low, size, rows, columns)
    return Cells(order, start, low, size, rows, columns)


@jit
def _sort(position, valid, reach):  # type: ignore[no-untyped-def]
    """The fields of :class:`Cells` for robots that are not scattered."""
    members, seen, low, high = _gather(position, valid)
    if members.size == 0:
        return members, np.zeros(2, np.int64), np.zeros(2), reach, 1, 1
    size, rows, columns = _table(low, high, reach, len(seen))
    order, start = _counting_sort(seen, members, low, size, rows, columns)
    return order, start, low, size, rows, columns


@jit
def _table(low: Array, high: Array, reach: float, robots: int) -> tuple[float, int, int]:
    """Width of cells, of which not many more than ``robots`` cover the box from ``low`` to ``high`` (m), and their rows and columns."""
    width, height = high[0] - low[0], high[1] - low[1]
    least, most = reach * LEAST, 4.0 * robots + 1024.0
    size = least
    if (width / least + 1.0) * (height / least + 1.0) > most:
        size = max(least, np.sqrt(width / most) * np.sqrt(height), width / most, height / most)
    return size, int(height / size) + 1, int(width / size) + 1


@jit
def _gather(position: Array, valid: BoolArray) -> tuple[IntArray, Array, Array, Array]:
    """Indices and positions of the valid robots, and the corners of the box around them."""
    members, seen = np.empty(len(valid), np.int64), np.empty((len(valid), 2))
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    n = 0
    for k in range(len(valid)):
        if valid[k]:
            members[n] = k
            for axis in range(2):
                seen[n, axis] = position[k, axis]
                low[axis] = min(low[axis], position[k, axis])
                high[axis] = max(high[axis], position[k, axis])
            n += 1
    return members[:n], seen[:n], low, high


@jit
def _counting_sort(position, members, low, size, rows, columns):  # type: ignore[no-untyped-def]
    n = len(position)
    cell = np.empty(n, np.int64)
    start = np.zeros(rows * columns + 1, np.int64)
    for k in range(n):
        cell[k] = cell_of(position[k, 1], low[1], size, rows) * columns + cell_of(position[k, 0], low[0], size, columns)
        start[cell[k] + 1] += 1
    for c in range(rows * columns):
        start[c + 1] += start[c]
    fill = start[:-1].copy()
    order = np.empty(n, np.int64)
    for k in range(n):
        order[fill[cell[k]]] = members[k]
        fill[cell[k]] += 1
    return order, start


def first_come(position: Array, gap: float) -> BoolArray:
    """Which of the points (n, 2) m stay when, in their order, each that is nearer than ``gap`` (m) to one that stays is dropped."""
    if len(position) == 0:
        return np.ones(0, bool)
    low, high = (np.array([least(position[:, 0]), least(position[:, 1])]) for least in (np.min, np.max))
    result: BoolArray = _first_come(position, gap, low, *_table(low, high, gap, len(position)))
    return result


@jit
def _first_come(position, gap, origin, size, rows, columns):  # type: ignore[no-untyped-def]
    """Each cell holds a chain of the points that stay: ``newest`` is its head, ``older`` links."""
    stays = np.ones(len(position), np.bool_)
    newest, older = np.full((rows, columns), -1), np.full(len(position), -1)
    for k in range(len(position)):
        x, y = position[k, 0], position[k, 1]
        i, j = cell_of(y, origin[1], size, rows), cell_of(x, origin[0], size, columns)
        for row in range(max(i - 1, 0), min(i + 2, rows)):
            for column in range(max(j - 1, 0), min(j + 2, columns)):
                b = newest[row, column]
                while b >= 0 and stays[k]:
                    dx, dy = position[b, 0] - x, position[b, 1] - y
                    stays[k] = dx * dx + dy * dy >= gap * gap
                    b = older[b]
        if stays[k]:
            newest[i, j], older[k] = k, newest[i, j]
    return stays
