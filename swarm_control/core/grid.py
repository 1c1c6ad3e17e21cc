"""Occupancy grid and the reading of arrays that lie on it. Rows run along y from the lowest, columns along x."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray, Float32Array
from swarm_control.core.memo import Memo

Made = TypeVar("Made")

BETWEEN = 0.7
"""Where the clearance grows by less than this per metre walls are on both sides."""

NARROWER = 0.5
"""A place with less than this share of the room at both ends of a way is a narrow one."""


@dataclass(frozen=True)
class Grid:
    """Which cells of a rectangle in the world frame are walls.

    ``occupied`` is (H, W) with row 0 at the lowest y: cell (i, j) covers ``[x0 + j·r, x0 + (j+1)·r] × [y0 + i·r, y0 + (i+1)·r]``
    for ``origin = (x0, y0)`` in m and ``resolution = r`` in m per cell.
    """

    occupied: BoolArray
    origin: tuple[float, float]
    resolution: float
    _memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    def once(self, make: Callable[["Grid"], Made]) -> Made:
        """``make(grid)``, computed when it is first asked for: what is the same as long as walls are. It is not to be changed."""
        made: Made = self._memo.once(make, self, ())
        return made

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Sides of the map: (x lowest, x highest, y lowest, y highest), m."""
        (x0, y0), (rows, columns) = self.origin, self.occupied.shape
        return x0, x0 + columns * self.resolution, y0, y0 + rows * self.resolution


@njit(cache=True, inline="always")
def read_scalar(field: Float32Array, x0: float, y0: float, resolution: float, x: float, y: float) -> float:
    """Bilinear reading of ``field`` (H, W), known at the cells' centres, at (x, y) m; the nearest cell outside."""
    rows, columns = field.shape
    scale = 1.0 / resolution
    u = min(max((x - x0) * scale - 0.5, 0.0), columns - 1.0)
    v = min(max((y - y0) * scale - 0.5, 0.0), rows - 1.0)
    j, i = min(int(u), max(columns - 2, 0)), min(int(v), max(rows - 2, 0))
    a, b = u - j, v - i
    i1, j1 = min(i + 1, rows - 1), min(j + 1, columns - 1)
    low = field[i, j] * (1.0 - a) + field[i, j1] * a
    high = field[i1, j] * (1.0 - a) + field[i1, j1] * a
    return float(low * (1.0 - b) + high * b)


@njit(cache=True, inline="always")
def sure_room(clearance: Float32Array, x0: float, y0: float, resolution: float, x: float, y: float) -> float:
    """What the ``clearance`` (H, W) at the nearest cell's centre says of (x, y): walls are at least so far (m)."""
    rows, columns = clearance.shape
    j = min(max(int(np.floor((x - x0) / resolution)), 0), columns - 1)
    i = min(max(int(np.floor((y - y0) / resolution)), 0), rows - 1)
    dx, dy = x - x0 - (j + 0.5) * resolution, y - y0 - (i + 0.5) * resolution
    return float(clearance[i, j] - np.sqrt(dx * dx + dy * dy))


@njit(cache=True)
def between_walls(clearance: Float32Array, x0: float, y0: float, resolution: float, x: float, y: float) -> bool:
    """Whether walls are on both sides of (x, y): the interpolated ``clearance`` (H, W) m is too small by up to half a cell."""
    h = resolution
    dx = read_scalar(clearance, x0, y0, h, x + h, y) - read_scalar(clearance, x0, y0, h, x - h, y)
    dy = read_scalar(clearance, x0, y0, h, x, y + h) - read_scalar(clearance, x0, y0, h, x, y - h)
    return bool(dx * dx + dy * dy < (BETWEEN * 2.0 * h) ** 2)


@njit(cache=True)
def wall_distance(occupied: BoolArray, x0: float, y0: float, resolution: float, x: float, y: float, most: float) -> float:
    """Distance (m, at most ``most``) from (x, y) to the nearest occupied cell of (H, W), as the square that it is; zero within."""
    rows, columns = occupied.shape
    u, v, k = (x - x0) / resolution, (y - y0) / resolution, most / resolution
    nearest = k * k
    for i in range(max(int(np.floor(v - k)), 0), min(int(np.floor(v + k)) + 1, rows)):
        across = max(i - v, v - i - 1.0, 0.0)
        for j in range(max(int(np.floor(u - k)), 0), min(int(np.floor(u + k)) + 1, columns)):
            if occupied[i, j]:
                along = max(j - u, u - j - 1.0, 0.0)
                nearest = min(nearest, across * across + along * along)
    return float(np.sqrt(nearest) * resolution)


@njit(cache=True, inline="always")
def way_inside(
    rows: int, columns: int, x0: float, y0: float, resolution: float, x: float, y: float, dx: float, dy: float, length: float
) -> float:  # fmt: skip
    """Way (m, at most ``length``) from (x, y) along (dx, dy) to the edge of the grid; from outside there is no edge ahead."""
    x1, y1 = x0 + columns * resolution, y0 + rows * resolution
    if not (x0 <= x < x1 and y0 <= y < y1):
        return length
    along_x = ((x1 if dx > 0.0 else x0) - x) / dx if dx != 0.0 else np.inf
    along_y = ((y1 if dy > 0.0 else y0) - y) / dy if dy != 0.0 else np.inf
    return min(along_x, along_y, length)


@njit(cache=True, inline="always")
def way_length(clearance, x0, y0, resolution, x, y, dx, dy, here, room, length):  # type: ignore[no-untyped-def]
    """How far (m, at most ``length``) a disc can go from (x, y) along (dx, dy) inside the map, with ``room`` (m) to walls.

    ``here`` is the clearance at (x, y). Every step is as long as the clearance permits, so nothing on the way is missed. A start with
    less room than asked for may be left without getting closer; outside the map the floor is free.
    """
    rows, columns = clearance.shape
    length = way_inside(rows, columns, x0, y0, resolution, x, y, dx, dy, length)
    room = min(room, here - 1e-3)
    least = 0.5 * resolution
    gone = max(here - room, least)
    while gone < length:
        spare = read_scalar(clearance, x0, y0, resolution, x + gone * dx, y + gone * dy) - room
        if spare < 0.0:
            return gone
        gone += max(spare, least)
    return length


@njit(cache=True, inline="always")
def goes_straight(clearance, x0, y0, resolution, x, y, dx, dy, room, lane, length):  # type: ignore[no-untyped-def]
    """Whether a disc can go so far (m) from (x, y) along (dx, dy) with ``room`` (m) to walls, and passes no narrow place.

    A place is narrow with less room than ``lane`` (m), and than :data:`NARROWER` of what there is at either end of the way. At an end
    that is nearer to a wall than ``room`` there need be no more than there is.
    """
    here = read_scalar(clearance, x0, y0, resolution, x, y)
    if here >= length + lane:
        return True
    ends = min(here, read_scalar(clearance, x0, y0, resolution, x + length * dx, y + length * dy))
    need = max(min(room, ends - 1e-3), min(lane, NARROWER * ends))
    return way_length(clearance, x0, y0, resolution, x, y, dx, dy, here, need, length) >= length


def read_vectors(field: Float32Array, grid: Grid, pose: Array) -> Array:
    """Bilinear reading of a vector ``field`` (H, W, 2) on ``grid`` at the positions in ``pose`` (N, ≥2) m → (N, 2)."""
    result: Array = _read_vectors(len(pose), field, *grid.origin, grid.resolution, pose)
    return result


def _read_vectors_loop(field, x0, y0, resolution, pose):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.empty((n, 2))
    for i in prange(n):
        result[i, 0] = read_scalar(field[:, :, 0], x0, y0, resolution, pose[i, 0], pose[i, 1])
        result[i, 1] = read_scalar(field[:, :, 1], x0, y0, resolution, pose[i, 0], pose[i, 1])
    return result


_read_vectors = Kernel(_read_vectors_loop)
