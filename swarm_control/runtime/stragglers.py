"""Stragglers: robots that get no nearer to where they are to go are led there, each by the shortest way past walls and who has arrived."""

from collections.abc import Callable
from functools import partial

import numpy as np

from swarm_control.core.following import point_ahead, straight, way_ahead
from swarm_control.core.geometry import Array, BoolArray, IntArray, limit_norm, norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import ALONE, LED, SwarmState
from swarm_control.runtime import free_places
from swarm_control.runtime.free_places import FreePlaces
from swarm_control.runtime.headway import Headway, queueing
from swarm_control.runtime.making_way import MakingWay
from swarm_control.runtime.taking_turns import TakingTurns
from swarm_control.runtime.ways_past import WaysPast, ways_to

STUCK = 20.0
"""Those in the way of one that has not got nearer to its own place for so long (s) step aside for it."""

AHEAD = 8.0
"""A straggler is led to the point of its way that is so many of its widths ahead, or as far as it sees of it."""

CLOSE = 3.0
"""Of those who have come to a common goal they are asked that stand on the next so many widths of its way."""

MOST = 8
"""Those in the way of so many that are led in vain to a common goal are asked at a time."""

NEAR = 20.0
"""Where many lag, those that come the other way within so many widths of robots that are led give way and go back."""


class Stragglers:
    """Watches a flock of robots of this ``width`` (m) on their ``ground`` (open space: ways are straight).

    They are led where there is this ``margin`` (m) more than their width to either side.
    """

    def __init__(self, ground: FreeGround, width: float, margin: float = 0.0) -> None:
        self._ground, self._width, self._ahead, self._room = ground, width, AHEAD * width, 0.5 * width + margin
        self._held: tuple[Array, Array] | None = None
        self._key: bytes | None = None
        self._last = np.inf

    def lead(
        self, state: SwarmState, target: Array, arrived: BoolArray, points: Array, goal: Array, radius: float, sees: float,
        inside: Callable[[Array], BoolArray],
    ) -> IntArray:  # fmt: skip
        """Urge stragglers on the way to one goal: write to ``goal`` (N, 2) m, NaN where nobody is urged, where each is led to.

        ``target`` (2,) m: the flock's goal; ``arrived`` (N,): who is there; ``points`` (K, 2) m: the leaders' places, to the nearest of
        which robots go once they are near. Robots have arrived within ``radius`` (m) of the goal where they are ``inside``. Returns who is
        led (N,), and goes alone: nobody who ``sees`` (m) robots that have arrived, straight on, and is drawn to them, unless they keep it
        from the goal.
        """
        if not np.isfinite(target).all():
            return np.zeros(len(state), np.int64)
        map = self._ground.map
        if self._new(state, target) and map is not None:
            self._direction, time = ways_to(map, target, self._room, self._width)
            self._time = np.where(np.isfinite(time), time, np.float32(1e6))
        way = self._way(state.position, target)
        lags = self._progress.lags(state.time, way, arrived, state.valid)
        far: BoolArray = way > sees + radius
        for k in np.flatnonzero(lags):
            far[k] = far[k] or not (map is None or straight(map, state.position[k], target, np.inf, self._room))
            place = points[norm(points - state.position[k]).argmin()] if len(points) else target
            if map is None or straight(map, state.position[k], place, self._ahead, self._room):
                goal[k] = place
            else:
                goal[k] = point_ahead(self._direction, map, state.position[k], self._ahead, self._room)
        self._held = way, np.where((lags > 0) & far, self._progress.waited, 0.0)
        kept = np.flatnonzero((lags > 0) & ~far & (self._progress.waited > free_places.PATIENCE))
        seekers, standing = kept[np.argsort(way[kept], kind="stable")].tolist(), state.position[arrived]
        alone = self._free_places.lead(state.time, state.position, seekers, standing, target, radius, inside, self._ahead, goal)
        lags = np.where(far, lags, np.minimum(lags, LED))
        lags[alone] = ALONE
        if map is not None:
            stuck = np.flatnonzero((lags > 0) & (self._progress.waited > free_places.PATIENCE))
            stuck = stuck[np.argsort(way[stuck], kind="stable")[:MOST]]
            ways = {int(k): way_ahead(self._direction, map.grid, state.position[k], target, CLOSE * self._width) for k in stuck}
            self._make_way(state, ways, arrived & state.valid, arrived, target, map.grid, goal)
            lags[list(self._making_way.aside)] = ALONE
        return lags

    def take_held(self) -> tuple[Array, Array] | None:
        """How far (N,) it is for each, s at 1 m/s, and for how long (s) (N,) those that go alone have waited, as :meth:`lead` has found.

        Told once; None where nobody has been led to a common goal since.
        """
        held, self._held = self._held, None
        return held

    def lead_each(self, state: SwarmState, places: Array, arrived: BoolArray, goal: Array) -> IntArray:
        """Lead stragglers to their own ``places`` (N, 2) m, past those that have ``arrived`` (N,): write to ``goal`` (N, 2) m.

        Returns who is led (N,), and goes alone: all of them.
        """
        if self._ground.grid is None:
            return np.zeros(len(state), np.int64)
        if self._new(state, places):
            self._ways = WaysPast(self._ground.grid, self._width, self._room)
        to = places - state.position
        queue = partial(queueing, position=state.position, to=to, going=~arrived & state.valid, width=self._width)
        lags = self._progress.lags(state.time, norm(to), arrived, state.valid, queue)
        yielding = self._turns.look(
            state.time, np.flatnonzero(lags), self._progress.waited, state.position, places, NEAR * self._width
        )  # fmt: skip
        led = self._turns.led
        self._ways.keep(led)
        for k in yielding:
            goal[k] = state.position[k] - limit_norm(places[k] - state.position[k], self._ahead)
        for k in led:
            goal[k] = self._ways.point(k, state.time, state.position[k], places[k], state.position[arrived], self._ahead)
        stuck = [k for k in led if self._progress.waited[k] > STUCK]
        ways = {k: self._ways.points(k, state.position[k], 60.0 * self._width) for k in stuck}
        self._make_way(state, ways, (arrived | (lags > 0)) & state.valid, arrived, places, self._ways.grid, goal)
        lags[list(self._making_way.aside)] = ALONE  # until it is back
        return np.where(lags, ALONE, 0)

    def _make_way(
        self, state: SwarmState, ways: dict[int, Array], standing: BoolArray, arrived: BoolArray, places: Array, grid: Grid, goal: Array
    ) -> None:  # fmt: skip
        """Ask those ``standing`` (N,) in the ``ways`` of who is led in vain to step aside, and lead them: write to ``goal`` (N, 2) m.

        ``places``: where all are to go, (2,) or (N, 2) m.
        """
        position = state.position
        self._making_way.look(state.time, position, ways, standing, arrived, places - position, grid)
        for k, one in self._making_way.aside.items():
            near = straight(one.map, position[k], one.place, self._ahead, 0.5 * self._width)
            goal[k] = one.place if near else point_ahead(one.field, one.map, position[k], self._ahead, 0.5 * self._width)

    def _new(self, state: SwarmState, where: Array) -> bool:
        """Whether this is the first look at robots on their way there; then nobody has lagged yet."""
        new = self._key != where.tobytes() or state.time < self._last
        if new:
            self._progress = Headway(len(state), state.time, self._width)
            self._free_places = FreePlaces(self._ground, self._width, self._room)
            self._making_way, self._turns = MakingWay(self._width, self._room), TakingTurns(len(state))
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

