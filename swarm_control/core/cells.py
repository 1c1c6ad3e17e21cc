"""Cell list: robots sorted into square cells, so that those within one cell's width are found in the nine cells around."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from swarm_control.core.geometry import Array, BoolArray, IntArray


@dataclass(frozen=True)
class Cells:
    """Robots by cell. ``order`` (n,): robots sorted by cell; cell (i, j) holds ``order[start[c]:start[c + 1]]``, c = i·columns + j.

    ``origin`` is the lower-left corner (m), ``size`` the cell's width (m).
    """

    order: IntArray
    start: IntArray
    origin: Array
    size: float
    rows: int
    columns: int


def sort_into_cells(position: Array, valid: BoolArray, reach: float) -> Cells:
    """Sort robots at ``position`` (N, 2) m into cells at least ``reach`` (m) wide; invalid robots are left out.

    Cells are widened when the robots are so scattered that the table would outgrow their number.
    """
    members = np.flatnonzero(valid)
    if members.size == 0:
        return Cells(members, np.zeros(2, np.int64), np.zeros(2), reach, 1, 1)
    seen = position[members]
    low = seen.min(axis=0)
    span = seen.max(axis=0) - low
    size = max(reach, float(np.sqrt(span[0] * span[1] / (4.0 * len(seen) + 1024.0))), float(span.max()) / (4.0 * len(seen) + 1024.0))
    columns, rows = int(span[0] / size) + 1, int(span[1] / size) + 1
    order, start = _counting_sort(seen, low, size, rows, columns)
    return Cells(members[order], start, low, size, rows, columns)


@njit(cache=True)
def _counting_sort(position: Array, low: Array, size: float, rows: int, columns: int) -> tuple[IntArray, IntArray]:
    n = len(position)
    cell = np.empty(n, np.int64)
    start = np.zeros(rows * columns + 1, np.int64)
    for k in range(n):
        j = min(int((position[k, 0] - low[0]) / size), columns - 1)
        i = min(int((position[k, 1] - low[1]) / size), rows - 1)
        cell[k] = i * columns + j
        start[cell[k] + 1] += 1
    for c in range(rows * columns):
        start[c + 1] += start[c]
    fill = start[:-1].copy()
    order = np.empty(n, np.int64)
    for k in range(n):
        order[fill[cell[k]]] = k
        fill[cell[k]] += 1
    return order, start
