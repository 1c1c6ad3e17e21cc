"""Robots that stand in a formation's way, as obstacles on the map that it plans with: those that it has dropped, and strangers."""

import numpy as np

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map, SwarmState

STANDS = 2.0
"""A robot that has stayed where it is for so long (s) is planned around."""

MARGIN = 3.0
"""On open floor the map reaches this far (m) beyond all robots and goals."""

FINEST, CELLS = 0.02, 500
"""On open floor a cell is this wide (m), or wider so that there are no more cells than this along a side."""


class StandingRobots:
    """Which robots stay where they are, and the map with those of them on it that do not take part: ``robots``, indices."""

    def __init__(self, radius: Array) -> None:
        self._radius = radius
        self.robots: IntArray = np.zeros(0, int)
        self._place = np.full((len(radius), 2), np.nan)
        self._since = np.zeros(len(radius))
        self._key: tuple[Map | None, bytes] = (None, b"")
        self._map: Map | None = None

    def on(self, map: Map | None, state: SwarmState, outside: BoolArray, goals: Array) -> Map | None:
        """The ``map``, or open floor that holds all ``goals`` (G, 2) m, with the robots on it that are ``outside`` (N,) and stand.

        The same object while the same robots stand where they stood; ``map`` itself where there are none.
        """
        moved = state.valid & ~(norm(state.position - self._place) <= 0.5 * self._radius)  # also who is heard for the first time
        self._place[moved], self._since[moved] = state.position[moved], state.time
        standing = outside & np.isfinite(self._place[:, 0]) & (state.time - self._since >= STANDS)
        self.robots = np.flatnonzero(standing)
        if not len(self.robots):
            return map
        key = map, self.robots.tobytes() + self._place[standing].tobytes()
        if key[1] != self._key[1] or map is not self._key[0]:
            floor = map.grid if map is not None else _open_floor(np.concatenate((self._place[np.isfinite(self._place[:, 0])], goals)))
            self._key, self._map = key, make_map(with_discs(floor, self._place[standing], self._radius[standing]))
        return self._map


def _open_floor(points: Array) -> Grid:
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    resolution = max(FINEST, float((high - low).max()) / CELLS)
    columns, rows = np.ceil((high - low) / resolution).astype(int)
    return Grid(np.zeros((rows, columns), bool), (float(low[0]), float(low[1])), resolution)


def with_discs(grid: Grid, centre: Array, radius: Array) -> Grid:
    """The grid with every cell occupied that a disc may touch: ``centre`` (K, 2) m, ``radius`` (K,) m."""
    occupied = grid.occupied.copy()
    x, y = (grid.origin[k] + grid.resolution * (np.arange(n) + 0.5) for k, n in enumerate(occupied.shape[::-1]))
    for (cx, cy), r in zip(centre, radius, strict=True):
        reach = r + grid.resolution * np.sqrt(0.5)
        rows, columns = np.flatnonzero(abs(y - cy) < reach), np.flatnonzero(abs(x - cx) < reach)
        near = (y[rows, None] - cy) ** 2 + (x[columns] - cx) ** 2 < reach**2
        occupied[np.ix_(rows, columns)] |= near
    return Grid(occupied, grid.origin, grid.resolution)
