"""How far each cell of a grid is from the nearest wall: exactly, between centres, and in steps that may be oblique.

The Euclidean transform goes column by column, and then along each row through the lower envelope of the parabolas that the columns' own
distances are the tops of (Meijster, Roerdink & Hesselink 2000): all in whole numbers, and in time that grows as the number of cells.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, jit, njit, prange
from swarm_control.core.geometry import AnyArray, BoolArray, Float32Array

FARTHEST = 255
"""Steps that are told apart."""


def room_around(occupied: BoolArray, resolution: float) -> Float32Array:
    """Distance (H, W) m between the centres of each cell and the nearest ``occupied`` one, less half a cell's diagonal; not below zero.

    There is an occupied cell.
    """
    result = np.empty(occupied.shape, np.float32)
    _across(occupied, result)
    _along(occupied.size // 100, result, float(resolution))
    return result


def steps_away(occupied: BoolArray) -> AnyArray:
    """Steps (H, W) from each cell to the nearest ``occupied`` one, of which each leads to one of eight neighbours; at most 255."""
    result: AnyArray = _steps(occupied)
    return result


@jit
def _across(occupied, result):  # type: ignore[no-untyped-def]
    """Distance in cells to the nearest occupied one of the same column; rows + columns where there is none."""
    rows, columns = occupied.shape
    none = np.float32(rows + columns)
    for j in range(columns):
        result[0, j] = np.float32(0.0) if occupied[0, j] else none
    for i in range(1, rows):
        for j in range(columns):
            result[i, j] = np.float32(0.0) if occupied[i, j] else min(result[i - 1, j] + np.float32(1.0), none)
    for i in range(rows - 2, -1, -1):
        for j in range(columns):
            result[i, j] = min(result[i, j], result[i + 1, j] + np.float32(1.0))


def _along_loop(result, resolution):  # type: ignore[no-untyped-def]
    rows, _ = result.shape
    for i in prange(rows):
        _row(result[i], resolution)


@njit(cache=True)
def _row(row, resolution):  # type: ignore[no-untyped-def]
    """From distances within columns to distances, along one row: column ``top[k]`` is the nearest from ``since[k]`` on."""
    n, last = len(row), 0
    square, top, since = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for j in range(n):
        square[j] = np.int64(row[j]) * np.int64(row[j])
    top[0], since[0] = 0, 0
    for j in range(1, n):
        while last >= 0 and (since[last] - top[last]) ** 2 + square[top[last]] > (since[last] - j) ** 2 + square[j]:
            last -= 1
        if last < 0:
            last, top[0], since[0] = 0, j, 0
        else:
            before = top[last]
            begin = 1 + (j * j - before * before + square[j] - square[before]) // (2 * (j - before))
            if begin < n:
                last += 1
                top[last], since[last] = j, begin
    for j in range(n - 1, -1, -1):
        far = np.sqrt(np.float64((j - top[last]) ** 2 + square[top[last]])) * resolution - resolution * np.sqrt(0.5)
        row[j] = max(far, 0.0)
        if j == since[last]:
            last -= 1


@jit
def _steps(occupied):  # type: ignore[no-untyped-def]
    rows, columns = occupied.shape
    result = np.empty((rows, columns), np.uint8)
    for i in range(rows):
        for j in range(columns):
            least = 0 if occupied[i, j] else FARTHEST
            if i > 0:
                for k in range(max(j - 1, 0), min(j + 2, columns)):
                    least = min(least, result[i - 1, k] + 1)
            if j > 0:
                least = min(least, result[i, j - 1] + 1)
            result[i, j] = least
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            least = int(result[i, j])
            if i < rows - 1:
                for k in range(max(j - 1, 0), min(j + 2, columns)):
                    least = min(least, result[i + 1, k] + 1)
            if j < columns - 1:
                least = min(least, result[i, j + 1] + 1)
            result[i, j] = least
    return result


_along = Kernel(_along_loop)
