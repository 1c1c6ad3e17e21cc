"""Ways past robots that stand: each robot that is led has one of its own, past walls and past who has arrived."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.following import point_ahead, straight, way_ahead
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map
from swarm_control.runtime.making_way import with_robots

RENEWED = 2.0
"""Ways are looked for again after so long (s)."""

CELLS = 400_000
"""The most cells of a grid on which they are looked for."""


@dataclass
class WayPast:
    """One robot's: looked for when (s), to which place (2,) m, and the directions (H, W, 2) on a map that lead there."""

    since: float
    place: Array
    direction: NDArray[np.float32]
    map: Map


class WaysPast:
    """For robots of this ``width`` (m) that want this ``room`` (m) between their middle and the walls of a ``grid``."""

    def __init__(self, grid: Grid, width: float, room: float) -> None:
        self.grid = _refined(grid, 0.5 * width)
        self._width, self._room = width, room
        self._ways: dict[int, WayPast] = {}
        self._standing: tuple[bytes, Map] | None = None

    def keep(self, led: Sequence[int]) -> None:
        """Forget the ways of all others."""
        self._ways = {k: self._ways[k] for k in led if k in self._ways}

    def point(self, k: int, time: float, position: Array, place: Array, standing: Array, ahead: float) -> Array:
        """Where (2,) m robot ``k`` goes next at a ``time`` (s), from its ``position`` (2,) m to its ``place`` (2,) m.

        Past those who are ``standing`` (M, 2) m, or where no way leads past them without regard to them; at most so far ``ahead`` (m).
        """
        way = self._ways.get(k)
        if way is None or time - way.since > RENEWED or not np.array_equal(way.place, place):
            way = self._ways[k] = WayPast(time, place.copy(), *self._past(standing, place, position))
        if straight(way.map, position, place, ahead, self._room):
            return place
        return point_ahead(way.direction, way.map, position, ahead, self._room)

    def points(self, k: int, position: Array, most: float) -> Array:
        """The points (K, 2) m of the way of robot ``k`` from its ``position`` (2,) m on, for ``most`` (m)."""
        way = self._ways[k]
        return way_ahead(way.direction, way.map.grid, position, way.place, most)

    def _past(self, standing: Array, place: Array, position: Array) -> tuple[NDArray[np.float32], Map]:
        key = standing.tobytes()
        if self._standing is None or self._standing[0] != key:
            self._standing = key, make_map(with_robots(self.grid, standing, 0.7 * self._width))
        parked = self._standing[1]
        direction, time = ways_to(parked, place, self._room, self._width)
        row, column = ((position - parked.grid.origin) / parked.grid.resolution).astype(int)[::-1].clip(0)
        if np.isfinite(time[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]).any():
            return direction, parked
        bare = make_map(self.grid)
        return ways_to(bare, place, self._room, self._width)[0], bare


def ways_to(map: Map, target: Array, room: float, width: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Directions (H, W, 2) to ``target`` (2,) m and times (H, W), s at 1 m/s, for robots of this ``width`` (m) that need ``room`` (m)."""
    return guidance_field(map, (float(target[0]), float(target[1])), room, 1.5 * width)


def _refined(grid: Grid, size: float) -> Grid:
    """The grid with cells of at most ``size`` (m), as far as there are not too many of them."""
    finer = 1
    while grid.resolution / finer > size and grid.occupied.size * (finer + 1) ** 2 <= CELLS:
        finer += 1
    return Grid(np.kron(grid.occupied, np.ones((finer, finer), bool)).astype(bool), grid.origin, grid.resolution / finer)
