"""Stragglers: robots of a flock that get no nearer to its goal are led there, each by the shortest free way."""

import numpy as np

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.grid import Grid, read_vectors
from swarm_control.core.state import SwarmState

PATIENCE = 5.0
"""A robot that for so long (s) has not got nearer to the goal by its own width is a straggler until it has arrived."""

AHEAD = 0.6
"""A straggler is led to the point of its way that is so far (m) ahead."""


class Stragglers:
    """Watches robots of this ``width`` (m) on a map (``grid``; None: open space)."""

    def __init__(self, grid: Grid | None, width: float) -> None:
        self._grid, self._width = grid, width
        self._target: Array | None = None
        self._best, self._since = np.empty(0), np.empty(0)
        self._lags = np.zeros(0, bool)
        self._last = np.inf

    def lead(self, state: SwarmState, target: Array, arrived: BoolArray, points: Array, goal: Array) -> None:
        """Urge stragglers of a flock: write to ``goal`` (N, 2) m, NaN where nobody is urged, the point of its way that each is led to.

        ``target`` (2,) m: the flock's goal; ``arrived`` (N,): who is there; ``points`` (K, 2) m: the leaders' places, to the nearest of
        which robots go once they see the goal.
        """
        if not np.isfinite(target).all():
            self._target = None
            return
        if self._target is None or len(self._best) != len(state) or (target != self._target).any() or state.time < self._last:
            self._begin(state, target)
        self._last = state.time
        way = self._way(state.position)
        better = arrived | ~state.valid | (way < self._best - self._width)
        self._best[better], self._since[better] = way[better], state.time
        self._lags = (self._lags | (state.time - self._since > PATIENCE)) & ~arrived & state.valid
        for k in np.flatnonzero(self._lags):
            goal[k] = self._ahead(state.pose[k], points)

    def _begin(self, state: SwarmState, target: Array) -> None:
        self._target = target.copy()
        if self._grid is not None:
            map = make_map(self._grid)
            self._direction, time = guidance_field(map, (float(target[0]), float(target[1])), 0.5 * self._width, 1.5 * self._width)
            self._time = np.where(np.isfinite(time), time, np.float32(1e6))
        self._best, self._since = np.full(len(state), np.inf), np.full(len(state), state.time)
        self._lags = np.zeros(len(state), bool)

    def _way(self, position: Array) -> Array:
        """How far (N,) it is to the goal: the shortest way, s at 1 m/s; in open space the distance, m."""
        assert self._target is not None
        if self._grid is None:
            return norm(position - self._target)
        cell = ((position - self._grid.origin) / self._grid.resolution).astype(int)
        rows, columns = self._time.shape
        return np.asarray(self._time[cell[:, 1].clip(0, rows - 1), cell[:, 0].clip(0, columns - 1)], float)

    def _ahead(self, pose: Array, points: Array) -> Array:
        """The point (2,) that a robot at ``pose`` (3,) is led to."""
        assert self._target is not None
        near = points[norm(points - pose[:2]).argmin()] if len(points) else self._target
        if self._grid is None or norm(near - pose[:2]) <= AHEAD:
            return np.asarray(near)
        place, step = pose[None, :2].copy(), self._grid.resolution
        for _ in range(int(AHEAD / step) + 1):
            place += step * read_vectors(self._direction, self._grid, place)
        return np.asarray(place[0])
