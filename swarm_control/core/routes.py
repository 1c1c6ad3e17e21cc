"""Ways round walls to many goals: one field of directions for all goals that see one another."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.fields import guidance_field
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import read_vectors
from swarm_control.core.perception.sight import crosses
from swarm_control.core.state import Map

MOST = 32
"""So many fields are kept; goals that see none of their middles are led to by the nearest one's."""


class Routes:
    """The shortest free ways on a ``map`` for robots of ``radius`` (m), computed when they are first asked for."""

    def __init__(self, map: Map, radius: float) -> None:
        self._map, self._radius = map, radius
        self._places = np.empty((0, 2))
        self._fields: list[NDArray[np.float32]] = []
        self._key, self._of = b"", np.empty(0, np.int64)

    def direction(self, pose: Array, goal: Array) -> Array:
        """Unit direction (N, 2) of the shortest free way from each ``pose`` (N, ≥2) m to its ``goal`` (N, 2) m; zero without a goal."""
        if goal.tobytes() != self._key:
            self._key, self._of = goal.tobytes(), self._assigned(goal)
        result = np.zeros((len(pose), 2))
        for k in np.unique(self._of[self._of >= 0]):
            rows = np.flatnonzero(self._of == k)
            result[rows] = read_vectors(self._fields[k], self._map.grid, pose[rows])
        return result

    def _assigned(self, goal: Array) -> IntArray:
        """Which field (N,) leads to each goal; −1 without a goal."""
        of = np.full(len(goal), -1)
        left = np.flatnonzero(np.isfinite(goal).all(axis=1))
        while len(left):
            seen = np.full(len(left), -1)
            for k, place in enumerate(self._places):
                seen[(seen < 0) & self._sees(place, goal[left])] = k
            of[left] = seen
            left = left[seen < 0]
            if len(left) and len(self._places) == MOST:
                of[left] = np.argmin(((goal[left][:, None] - self._places[None]) ** 2).sum(axis=2), axis=1)
                break
            if len(left):
                self._add(goal[left[0]])
        return of

    def _add(self, place: Array) -> None:
        field, _ = guidance_field(self._map, (float(place[0]), float(place[1])), self._radius, 3.0 * self._radius)
        self._fields.append(field)
        self._places = np.vstack((self._places, place))

    def _sees(self, place: Array, goal: Array) -> BoolArray:
        grid = self._map.grid
        hidden = np.zeros(len(goal), bool)
        _hidden(len(goal), place, goal, grid.occupied, *grid.origin, grid.resolution, hidden)
        here: BoolArray = np.abs(goal - place).max(axis=1) < 0.5 * grid.resolution
        return ~hidden | here


def _hidden_loop(place, goal, occupied, x0, y0, resolution, hidden):  # type: ignore[no-untyped-def]
    for i in prange(len(goal)):
        u, v = (place[0] - x0) / resolution, (place[1] - y0) / resolution
        hidden[i] = crosses(occupied, u, v, (goal[i, 0] - place[0]) / resolution, (goal[i, 1] - place[1]) / resolution)


_hidden = Kernel(_hidden_loop)
