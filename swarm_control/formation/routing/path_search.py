"""Ways of one robot on the map: where it fits, the way that takes least time where room counts, the widest way there is."""

from typing import NamedTuple

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.fields import guidance_field
from swarm_control.core.geometry import Array, Float32Array, norm
from swarm_control.core.state import Map
from swarm_control.formation.routing.proof import wall_distances

FAR = 5.0
"""Distances to walls beyond this are not told apart, m."""


class Search(NamedTuple):
    """Travel ``time`` (H, W) s at 1 m/s to a place, infinite where there is no way. ``root`` (2,) m is the cell that stands for it."""

    time: Float32Array
    root: Array
    map: Map


def exact_map(map: Map) -> Map:
    """The map with the exact distance of each cell's centre from the walls, which the map's own clearance is a little below."""
    return map.once(_exact_map)


def _exact_map(map: Map) -> Map:
    grid = map.grid
    rows, columns = grid.occupied.shape
    x, y = np.meshgrid(*(grid.origin[k] + grid.resolution * (np.arange(n) + 0.5) for k, n in enumerate((columns, rows))))
    clear = wall_distances(map).distance(np.column_stack((x.ravel(), y.ravel())), FAR)
    return Map(grid, np.ascontiguousarray(clear.reshape(rows, columns), np.float32))


def search(map: Map, place: Array, need: float, comfort: float) -> Search:
    """Travel times to ``place`` (2,) m from everywhere for a centre that keeps ``need`` (m) from walls, and rather ``comfort`` (m)."""
    exact = exact_map(map)
    _, time = guidance_field(exact, (float(place[0]), float(place[1])), need - 1e-6, max(comfort, need))
    time = np.where(exact.clearance > need - 1e-6, time, np.float32(np.inf))
    i, j = np.unravel_index(int(np.argmin(time)), time.shape)
    return Search(np.ascontiguousarray(time, np.float32), centre(map, int(i), int(j)), exact)


def cell(map: Map, place: Array) -> tuple[int, int]:
    """Row and column of the cell at ``place`` (2,) m, the nearest one outside the map."""
    (x0, y0), (rows, columns) = map.grid.origin, map.grid.occupied.shape
    j, i = (int(np.floor((place[k] - (x0, y0)[k]) / map.grid.resolution)) for k in range(2))
    return min(max(i, 0), rows - 1), min(max(j, 0), columns - 1)


def centre(map: Map, i: int, j: int) -> Array:
    """Centre (2,) m of a cell."""
    return np.array(map.grid.origin) + map.grid.resolution * np.array([j + 0.5, i + 0.5])


def nearest(found: Search, place: Array, within: float) -> tuple[int, int] | None:
    """The cell nearest to ``place`` (2,) m that has a way, at most ``within`` (m) off; None: there is none."""
    i, j = cell(found.map, place)
    if np.isfinite(found.time[i, j]):
        return i, j
    reach = int(np.ceil(within / found.map.grid.resolution))
    low_i, low_j = max(i - reach, 0), max(j - reach, 0)
    rows, columns = np.nonzero(np.isfinite(found.time[low_i : i + reach + 1, low_j : j + reach + 1]))
    if not len(rows):
        return None
    far = np.hypot(rows + low_i - i, columns + low_j - j)
    k = int(np.argmin(far))
    return (int(rows[k] + low_i), int(columns[k] + low_j)) if far[k] <= reach else None


def way(found: Search, place: Array, within: float) -> Array | None:
    """The way (P, 2) m from ``place`` (2,) m to the root, by cells; None where there is none. It begins at the place itself."""
    begin = nearest(found, place, within)
    if begin is None:
        return None
    cells = _descend(found.time, *begin)
    grid = found.map.grid
    points = np.array(grid.origin) + grid.resolution * (cells[:, ::-1] + 0.5)
    return np.vstack((place, points)) if norm(points[0] - place) > 1e-9 else points


@njit(cache=True)
def _descend(time, i, j):  # type: ignore[no-untyped-def]
    """Cells (P, 2) from (i, j) down to where the time is least, steepest first."""
    rows, columns = time.shape
    cells = np.empty((rows * columns, 2), np.int64)
    count = 0
    while True:
        cells[count, 0], cells[count, 1] = i, j
        count += 1
        best, bi, bj = 0.0, i, j
        for di in range(-1, 2):
            for dj in range(-1, 2):
                a, b = i + di, j + dj
                if (di != 0 or dj != 0) and 0 <= a < rows and 0 <= b < columns and np.isfinite(time[a, b]):
                    fall = (time[i, j] - time[a, b]) / np.sqrt(float(di * di + dj * dj))
                    if fall > best:
                        best, bi, bj = fall, a, b
        if best <= 0.0 or count == len(cells):
            return cells[:count].copy()
        i, j = bi, bj


def widest(map: Map, begin: Array, end: Array) -> tuple[float, Array | None]:
    """Half the width (m) of the widest way between two places (2,) m, and its narrowest place; (0, None): there is no way at all."""
    clear = exact_map(map).clearance
    low, high = 0.0, float(min(clear[cell(map, begin)], clear[cell(map, end)]))
    join = _joined(clear, 0.0, cell(map, begin), cell(map, end))
    if not join or high <= 0.0:
        return 0.0, None
    while high - low > 0.1 * map.grid.resolution:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _joined(clear, middle, cell(map, begin), cell(map, end)) else (low, middle)
    found = search(map, end, max(low, 1e-5), low)
    path = way(found, begin, 2.0 * map.grid.resolution)
    if path is None:
        return low, None
    narrow = path[int(np.argmin([clear[cell(map, place)] for place in path]))]
    # centres of cells need not be in the middle of a passage
    near = 0.5 * map.grid.resolution * np.linspace(-1.0, 1.0, 5)
    around = narrow + np.stack(np.meshgrid(near, near), axis=-1).reshape(-1, 2)
    return max(low, float(wall_distances(map).distance(around, FAR).max())), narrow


def _joined(clear: Float32Array, need: float, begin: tuple[int, int], end: tuple[int, int]) -> bool:
    from scipy import ndimage

    parts, _ = ndimage.label(clear > need, np.ones((3, 3)))
    return bool(parts[begin] == parts[end] != 0)
