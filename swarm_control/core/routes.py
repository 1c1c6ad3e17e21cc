"""Ways to many goals: straight where the floor is open, else round walls by fields, one for all goals that see one another."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.fields import clearance_of, lane_field
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm, unit
from swarm_control.core.grid import goes_straight, read_vectors
from swarm_control.core.state import Map

MOST = 32
"""So many fields are kept; goals that see none of their middles are led to by the nearest one's."""

LANE = 8.0
"""Ways that leave less room to walls than so many radii are narrow: robots keep right there."""

COMFORT = 3.0
"""Ways keep so many radii off walls where there is room."""


class Routes:
    """The shortest free ways on a ``map`` for robots of ``radius`` (m), computed when they are first asked for."""

    def __init__(self, map: Map, radius: float) -> None:
        self._map, self._radius = map, radius
        self._places = np.empty((0, 2))
        self._fields: list[NDArray[np.float32]] = []
        self._goal, self._of = np.empty((0, 2)), np.empty(0, np.int64)

    def direction(self, pose: Array, goal: Array, room: Array | None = None) -> Array:
        """Unit direction (N, 2) to go in from each ``pose`` (N, ≥2) m to its ``goal`` (N, 2) m; zero without a goal.

        Straight where that leaves ``room`` (N,) m to walls, None: a radius, and leads through no narrow place, else by the shortest free
        way, on its right. A field that leads to another goal, from which its own is seen, is not followed away from its own where there is
        room to go straight: it would come back. To a goal that is not where it was at the last call all go straight where there is room.
        """
        room = np.full(len(goal), self._radius) if room is None else room
        result, new = np.nan_to_num(unit(goal - pose[:, :2])), self._moved(goal)
        going = np.isfinite(goal).all(axis=1)
        free = self._open(pose[:, :2], goal, room, 0.0)
        led = np.flatnonzero(going & ~(free & new) & ~self._open(pose[:, :2], goal, room, LANE * self._radius))
        of = self._fields_to(goal, led)
        for k in np.unique(of):
            rows = led[of == k]
            way = read_vectors(self._fields[k], self._map.grid, pose[rows])
            far = norm(way)[:, None]
            back = free[rows] & ((way * result[rows]).sum(axis=1) <= 0.0)
            result[rows] = np.where((far > 1e-6) & ~back[:, None], way / np.maximum(far, 1e-6), result[rows])
        return result

    def _moved(self, goal: Array) -> BoolArray:
        """Whose (N,) ``goal`` (N, 2) m is not where it was; which field led to it is forgotten."""
        if len(goal) != len(self._goal):
            self._goal, self._of = np.full(goal.shape, np.nan), np.full(len(goal), -1)
        new: BoolArray = (goal != self._goal).any(axis=1)
        self._of[new], self._goal = -1, goal.copy()
        return new

    def _fields_to(self, goal: Array, led: IntArray) -> IntArray:
        """Which field leads to each ``goal`` (N, 2) m of those ``led`` (K,), (K,); it stays as long as the goal does."""
        left = led[self._of[led] < 0]
        while len(left):
            for k, place in enumerate(self._places):
                self._of[left[(self._of[left] < 0) & self._sees(place, goal[left])]] = k
            left = left[self._of[left] < 0]
            if len(left) and len(self._places) == MOST:
                self._of[left] = np.argmin(((goal[left][:, None] - self._places[None]) ** 2).sum(axis=2), axis=1)
                break
            if len(left):
                all_goals = goal[np.isfinite(goal).all(axis=1)]
                together = all_goals[self._sees(goal[left[0]], all_goals)]
                self._add(together[norm(together - together.mean(axis=0)).argmin()])
        return self._of[led]

    def _add(self, place: Array) -> None:
        radius = self._radius
        self._fields.append(lane_field(self._map, (float(place[0]), float(place[1])), radius, COMFORT * radius, LANE * radius))
        self._places = np.vstack((self._places, place))

    def _sees(self, place: Array, goal: Array) -> BoolArray:
        here: BoolArray = np.abs(goal - place).max(axis=1) < 0.5 * self._map.grid.resolution
        return here | self._open(np.broadcast_to(place, goal.shape), goal, np.full(len(goal), self._radius), LANE * self._radius)

    def _open(self, start: Array, goal: Array, room: Array, lane: float) -> BoolArray:
        """Between which points, (N, 2) m, the straight way is open to robots that keep so much ``room`` (N,) m to walls, and leads
        through no place that is narrow, with less room than ``lane`` (m).
        """
        result = np.zeros(len(goal), bool)
        _open(len(goal), start, goal, room, lane, *clearance_of(self._map), result)
        return result


def _open_loop(start, goal, room, lane, clearance, x0, y0, resolution, result):  # type: ignore[no-untyped-def]
    for i in prange(len(goal)):
        dx, dy = goal[i, 0] - start[i, 0], goal[i, 1] - start[i, 1]
        length = np.sqrt(dx * dx + dy * dy)
        if length > 0.0:
            dx, dy = dx / length, dy / length
        result[i] = goes_straight(clearance, x0, y0, resolution, start[i, 0], start[i, 1], dx, dy, room[i], lane, length)


_open = Kernel(_open_loop)
