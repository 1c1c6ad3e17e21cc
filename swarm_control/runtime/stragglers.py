"""Stragglers: robots that get no nearer to where they are to go are led there, each by the shortest way past walls and who has arrived."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.following import point_ahead, straight, way_ahead
from swarm_control.core.geometry import Array, BoolArray, IntArray, limit_norm, norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import ALONE, LED, Map, SwarmState
from swarm_control.runtime.headway import Headway
from swarm_control.runtime.making_way import MakingWay, with_robots
from swarm_control.runtime.right_of_way import RightOfWay

STUCK = 20.0
"""Those in the way of one that has not got nearer to its own place for so long (s) step aside for it."""

AHEAD = 8.0
"""A straggler is led to the point of its way that is so many of its widths ahead, or as far as it sees of it."""

RENEWED = 2.0
"""Ways past robots that have arrived are looked for again after so long (s)."""

MOST = 8
"""So many stragglers at a time are led past robots that have arrived; the others wait for their turn."""

NEAR = 20.0
"""Where more than twice as many lag, those that come the other way within so many widths of robots that are led give way and go back."""

CELLS = 400_000
"""The most cells of a grid on which such ways are looked for."""


class Stragglers:
    """Watches a flock of robots of this ``width`` (m) on their ``ground`` (open space: ways are straight).

    They are led where there is this ``margin`` (m) more than their width to either side.
    """

    def __init__(self, ground: FreeGround, width: float, margin: float = 0.0) -> None:
        self._ground, self._width, self._ahead, self._room = ground, width, AHEAD * width, 0.5 * width + margin
        self._key: bytes | None = None
        self._last = np.inf

    def lead(self, state: SwarmState, target: Array, arrived: BoolArray, points: Array, goal: Array, near: float) -> IntArray:
        """Urge stragglers on the way to one goal: write to ``goal`` (N, 2) m, NaN where nobody is urged, where each is led to.

        ``target`` (2,) m: the flock's goal; ``arrived`` (N,): who is there; ``points`` (K, 2) m: the leaders' places, to the nearest of
        which robots go once they are near. Returns who is led (N,), and goes alone: nobody whose way is no longer than ``near`` (m), who
        sees robots that have arrived, and is drawn to them.
        """
        if not np.isfinite(target).all():
            return np.zeros(len(state), np.int64)
        map = self._ground.map
        if self._new(state, target) and map is not None:
            self._direction, time = _ways(map, target, self._room, self._width)
            self._time = np.where(np.isfinite(time), time, np.float32(1e6))
        way = self._way(state.position, target)
        lags = self._progress.lags(state.time, way, arrived | ~state.valid)
        for k in np.flatnonzero(lags):
            place = points[norm(points - state.position[k]).argmin()] if len(points) else target
            if map is None or straight(map, state.position[k], place, self._ahead, self._room):
                goal[k] = place
            else:
                goal[k] = point_ahead(self._direction, map, state.position[k], self._ahead, self._room)
        self._right_of_way.look(state.time, state.position, way, np.where((lags > 0) & (way > near), self._progress.waited, 0.0))
        self._right_of_way.lead(state.position, self._ahead, goal)
        return np.where(way > near, lags, np.minimum(lags, LED))

    def lead_each(self, state: SwarmState, places: Array, arrived: BoolArray, goal: Array) -> IntArray:
        """Lead stragglers to their own ``places`` (N, 2) m, past those that have ``arrived`` (N,): write to ``goal`` (N, 2) m.

        Returns who is led (N,), and goes alone: all of them.
        """
        if self._ground.grid is None:
            return np.zeros(len(state), np.int64)
        if self._new(state, places):
            self._fields: dict[int, tuple[float, NDArray[np.float32], Map]] = {}
            self._fine = _refined(self._ground.grid, 0.5 * self._width)
            self._making_way = MakingWay(self._width, self._room)
        lags = self._progress.lags(state.time, norm(state.position - places), arrived | ~state.valid)
        led, yielding = _turns(np.flatnonzero(lags), list(self._fields), state.position, places, NEAR * self._width)
        self._fields = {k: self._fields[k] for k in led if k in self._fields}
        for k in yielding:
            goal[k] = state.position[k] - limit_norm(places[k] - state.position[k], self._ahead)
        parked: Map | None = None
        for k in led:
            if k not in self._fields or state.time - self._fields[k][0] > RENEWED:
                parked = parked or make_map(with_robots(self._fine, state.position[arrived], 0.7 * self._width))
                self._fields[k] = state.time, *self._past(parked, places[k], state.position[k])
            if not straight(self._fields[k][2], state.position[k], places[k], self._ahead, self._room):
                goal[k] = point_ahead(*self._fields[k][1:], state.position[k], self._ahead, self._room)
        self._make_way(state, places, arrived, lags > 0, led, goal)
        lags[list(self._making_way.aside)] = ALONE  # until it is back
        return np.where(lags, ALONE, 0)

    def _past(self, parked: Map, place: Array, position: Array) -> tuple[NDArray[np.float32], Map]:
        """Directions to a ``place`` past those who are ``parked``, and the map with them; where there is no way, without them."""
        direction, time = _ways(parked, place, self._room, self._width)
        row, column = ((position - parked.grid.origin) / parked.grid.resolution).astype(int)[::-1].clip(0)
        if np.isfinite(time[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]).any():
            return direction, parked
        bare = make_map(self._fine)
        return _ways(bare, place, self._room, self._width)[0], bare

    def _make_way(self, state: SwarmState, places: Array, arrived: BoolArray, lags: BoolArray, led: list[int], goal: Array) -> None:
        """Ask those who stand in the way of who is ``led`` in vain to step aside, and lead them: write to ``goal`` (N, 2) m."""
        position, far = state.position, 60.0 * self._width
        stuck = [k for k in led if self._progress.waited[k] > STUCK]
        ways = {k: way_ahead(self._fields[k][1], self._fields[k][2].grid, position[k], places[k], far) for k in stuck}
        self._making_way.look(state.time, position, ways, (arrived | lags) & state.valid, arrived, self._fine)
        for k, one in self._making_way.aside.items():
            near = straight(one.map, position[k], one.place, self._ahead, 0.5 * self._width)
            goal[k] = one.place if near else point_ahead(one.field, one.map, position[k], self._ahead, 0.5 * self._width)

    def _new(self, state: SwarmState, where: Array) -> bool:
        """Whether this is the first look at robots on their way there; then nobody has lagged yet."""
        new = self._key != where.tobytes() or state.time < self._last
        if new:
            self._progress = Headway(len(state), state.time, self._width)
            self._right_of_way = RightOfWay(len(state), self._width)
        self._key, self._last = where.tobytes(), state.time
        return new

    def _way(self, position: Array, target: Array) -> Array:
        """How far (N,) it is to the goal: the shortest way, s at 1 m/s; in open space the distance, m."""
        grid = self._ground.grid
        if grid is None:
            return norm(position - target)
        cell = ((position - grid.origin) / grid.resolution).astype(int)
        rows, columns = self._time.shape
        return np.asarray(self._time[cell[:, 1].clip(0, rows - 1), cell[:, 0].clip(0, columns - 1)], float)


def _turns(lagging: IntArray, led: list[int], position: Array, places: Array, near: float) -> tuple[list[int], list[int]]:
    """Whose turn it is, of the ``lagging`` (indices), and who of them within ``near`` (m) gives way; who has been ``led`` goes on being so.

    Robots that go the same way have their turns together: those nearest to the foremost, the one with the shortest way left.
    """
    led = [k for k in led if k in lagging]
    others = np.array([k for k in lagging if k not in led], int)
    if not len(others):
        return led[:MOST], []
    to = places - position
    first = led[0] if led else int(others[norm(to[others]).argmin()])
    opposite = to[others] @ to[first] < 0.0
    order = np.lexsort((norm(position[others] - position[first]), opposite))
    turn = [*led, *(int(k) for k in others[order])][:MOST]
    if len(lagging) <= 2 * MOST:
        return turn, []
    turn = [k for k in turn if k in led or to[k] @ to[first] >= 0.0]
    close = norm(position[others][:, None] - position[turn][None]).min(axis=1) < near
    return turn, [int(k) for k in others[close & opposite]]


def _ways(map: Map, target: Array, room: float, width: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Directions (H, W, 2) to ``target`` (2,) m and times (H, W), s at 1 m/s, for robots of this ``width`` (m) that need ``room`` (m)."""
    return guidance_field(map, (float(target[0]), float(target[1])), room, 1.5 * width)


def _refined(grid: Grid, size: float) -> Grid:
    """The grid with cells of at most ``size`` (m), as far as there are not too many of them."""
    finer = 1
    while grid.resolution / finer > size and grid.occupied.size * (finer + 1) ** 2 <= CELLS:
        finer += 1
    return Grid(np.kron(grid.occupied, np.ones((finer, finer), bool)).astype(bool), grid.origin, grid.resolution / finer)
