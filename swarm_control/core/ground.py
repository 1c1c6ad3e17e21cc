"""The free ground around a place: how far a flock spreads that gathers there, and where its leaders go."""

import math
from functools import cached_property

import numpy as np

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.grid import Grid, read_scalar
from swarm_control.core.state import Map

HEXAGON = math.sqrt(3.0) / 2.0
"""Area per robot, of the square of their distance, where they are packed hexagonally."""

ANGLES = 24
"""At least so many directions are tried on a circle that is not free all round."""

RINGS = 500
"""So many circles are tried for places around a goal."""


def free_area(map: Map) -> float:
    """Free area of a map, m²."""
    return float(np.count_nonzero(~map.grid.occupied)) * map.grid.resolution**2


def rooms(map: Map, clearance: float) -> IntArray:
    """The rooms (H, W) between which no way with so much ``clearance`` (m) to the walls leads, from 1; 0 where there is less."""
    from scipy import ndimage

    return np.asarray(ndimage.label(map.clearance >= clearance)[0])


def halls(map: Map, clearance: float) -> IntArray:
    """The :func:`rooms` (H, W) of a map, to which each cell with less ``clearance`` (m) belongs that is nearest; 0 without any."""
    from scipy import ndimage

    found = map.once(rooms, clearance)
    if not found.any():
        return found
    row, column = ndimage.distance_transform_edt(found == 0, return_distances=False, return_indices=True)
    return np.asarray(found[row, column])


class FreeGround:
    """The free ground of a map; of open space (``grid`` None) there is no end."""

    def __init__(self, grid: Grid | None) -> None:
        self.grid = grid

    @cached_property
    def map(self) -> Map | None:
        """The map; None of open space."""
        return None if self.grid is None else make_map(self.grid)

    @cached_property
    def _cells(self) -> Array:
        """Centres of the free cells (K, 2) m."""
        assert self.grid is not None
        rows, columns = np.nonzero(~self.grid.occupied)
        return np.asarray(np.array(self.grid.origin) + self.grid.resolution * (np.column_stack((columns, rows)) + 0.5))

    @property
    def area(self) -> float:
        """Free area, m²."""
        return math.inf if self.map is None else self.map.once(free_area)

    def joined(self, place: Array, others: Array, clearance: float) -> BoolArray:
        """Which of the ``others`` (n, 2) m a way with so much ``clearance`` (m) to the walls joins to a ``place`` (2,) m.

        Who stands nearer to a wall, or off the map, is taken to be.
        """
        if self.map is None:
            return np.ones(len(others), bool)
        room = self.rooms_of(np.vstack((place, others)), clearance)
        return np.asarray((room[1:] == room[0]) | (room[1:] == 0) | (room[0] == 0))

    def rooms_of(self, places: Array, clearance: float) -> IntArray:
        """In which of the :func:`rooms` with so much ``clearance`` (m) each of the ``places`` (n, 2) m of a map is; 0: in none."""
        assert self.map is not None
        return self._read(self.map.once(rooms, clearance), places)

    def hall(self, place: Array, clearance: float, area: float) -> int:
        """The number of the :func:`halls` with this ``clearance`` (m) that a ``place`` (2,) m is in; 0 if it has less ``area`` (m²)."""
        if self.map is None or not self._on_map(place[None])[0]:
            return 0
        found = self.map.once(halls, clearance)
        number = int(self._read(found, place[None])[0])
        size = np.count_nonzero((found == number) & ~self.map.grid.occupied) * self.map.grid.resolution**2
        return number if size >= area else 0

    def in_hall(self, places: Array, number: int, clearance: float) -> BoolArray:
        """Which of the ``places`` (n, 2) m are in that one of the :func:`halls` with this ``clearance`` (m); 0: all."""
        if number == 0 or self.map is None:
            return np.ones(len(places), bool)
        return np.asarray(self._read(self.map.once(halls, clearance), places) == number)

    def _read(self, found: IntArray, places: Array) -> IntArray:
        """What a grid (H, W) of numbers says at ``places`` (n, 2) m; 0 off the map."""
        assert self.map is not None
        row, column = (((places - self.map.grid.origin) / self.map.grid.resolution).astype(int)).T[::-1]
        inside = (row >= 0) & (row < found.shape[0]) & (column >= 0) & (column < found.shape[1])
        return np.where(inside, found[row.clip(0, found.shape[0] - 1), column.clip(0, found.shape[1] - 1)], 0)

    def rooms_near(self, place: Array, clearance: float, within: float) -> set[int]:
        """The :func:`rooms` with this ``clearance`` (m) that come ``within`` (m), to a cell, of a ``place`` (2,) m on a map."""
        assert self.map is not None
        found, size = self.map.once(rooms, clearance), self.map.grid.resolution
        cell = (place - self.map.grid.origin) / size - 0.5
        reach = within / size + 1.0
        low = np.clip(np.floor(cell - reach), 0, None).astype(int)
        high = np.clip(np.ceil(cell + reach) + 1, 0, None).astype(int)
        part = found[low[1] : high[1], low[0] : high[0]]
        row, column = np.ogrid[low[1] : low[1] + part.shape[0], low[0] : low[0] + part.shape[1]]
        near = np.hypot(column - cell[0], row - cell[1]) <= reach
        return set(np.unique(part[near]).tolist()) - {0}

    def radius(self, centre: Array, area: float, hall: int = 0, clearance: float = 0.0) -> float:
        """Radius (m) of the disc around ``centre`` (2,) m that holds so much free ``area`` (m²), or all that there is.

        Where a number is given, of one of the :func:`halls` with this ``clearance`` (m).
        """
        open_space = math.sqrt(area / math.pi)
        if self.grid is None or not self._on_map(centre[None])[0]:
            return open_space
        away = norm(self._cells[self.in_hall(self._cells, hall, clearance)] - centre)
        needed = math.ceil(area / self.grid.resolution**2 - 1e-9)
        if needed >= len(away):
            return float(away.max(initial=open_space))
        last = max(needed, 1) - 1
        return max(open_space, float(np.partition(away, last)[last]))

    def free(self, points: Array, room: float) -> BoolArray:
        """Which of the ``points`` (n, 2) m lie on the map and have ``room`` (m) to its walls."""
        if self.grid is None or self.map is None:
            return np.ones(len(points), bool)
        clear = [read_scalar(self.map.clearance, *self.grid.origin, self.grid.resolution, x, y) for x, y in points]
        return np.asarray(self._on_map(points) & (np.array(clear) > room))

    def _on_map(self, points: Array) -> BoolArray:
        assert self.grid is not None
        low_x, high_x, low_y, high_y = self.grid.extent
        return np.asarray((points >= (low_x, low_y)).all(axis=1) & (points <= (high_x, high_y)).all(axis=1))


def places_around(
    centre: Array, radius: float, count: int, spacing: float, ground: FreeGround, room: float, within: float = math.inf
) -> Array:  # fmt: skip
    """Return ``count`` places (count, 2) m around ``centre`` (2,): on the circle of ``radius`` (m), and on wider ones when that is full.

    As many as are ``spacing`` (m) apart fit on a circle; those with less than ``room`` (m) to walls, and circles beyond ``within`` (m), are
    left out. Where there are no more free places the ``centre`` stands for the rest.
    """
    found: list[Array] = []
    for ring in range(RINGS):
        wide = radius + ring * spacing
        most = max(int(2.0 * math.pi * wide / spacing), 1)
        if ring and wide > within:
            break
        wanted = min(count - len(found), most)
        for tried in sorted({wanted, most, max(most, ANGLES)}):
            angle = 2.0 * math.pi * np.arange(tried) / tried
            points = centre + wide * np.column_stack((np.cos(angle), np.sin(angle)))
            points = points[ground.free(points, room)]
            if len(points) >= wanted:
                break
        found += list(points[np.linspace(0, len(points), min(wanted, len(points), most), endpoint=False).astype(int)])
        if len(found) == count or (ground.grid is not None and wide > max(ground.grid.extent[1::2]) - min(ground.grid.extent[::2])):
            break
    found += [centre] * (count - len(found))
    return np.array(found).reshape(-1, 2)
