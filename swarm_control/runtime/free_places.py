"""Free places at a goal: robots that those who have arrived keep from it are led round them, each to a place that is free."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.runtime.ways_past import WaysPast

PATIENCE = 10.0
"""Who has not got nearer to the goal for so long (s) gets a place of its own."""

LONGEST = 15.0
"""Who has not come to its place after so long (s) gets another one."""

KEPT = 2.0
"""A place is kept for so long (s) for one that does not want it: as seen by noisy odometry, what keeps it from the goal comes and goes."""

MOST = 8
"""So many robots at a time have such places; the others wait for their turn."""

PLACES = 4000
"""The most places that are looked at."""


@dataclass
class Seat:
    """A place (2,) m that is kept for a robot, since when (s), and when it was last wanted (s)."""

    place: Array
    since: float
    wanted: float


class FreePlaces:
    """For robots of this ``width`` (m) that want this ``room`` (m) between their middle and the walls of the ``ground``."""

    def __init__(self, ground: FreeGround, width: float, room: float) -> None:
        self._ground, self._width, self._room = ground, width, room
        self._seats: dict[int, Seat] = {}
        self._disc: tuple[bytes, float] | None = None

    def lead(
        self, time: float, position: Array, seekers: Sequence[int], standing: Array, target: Array, radius: float,
        inside: Callable[[Array], BoolArray], ahead: float, goal: Array,
    ) -> list[int]:  # fmt: skip
        """Lead ``seekers``, the first first, from their ``position`` (N, 2) m to places within ``radius`` (m) of ``target`` (2,) m and
        ``inside``.

        They go past those who are ``standing`` (M, 2) m, each to the nearest place that is free. Writes to ``goal`` (N, 2) m where each of
        them goes next, at most so far ``ahead`` (m). Returns who is led: those who have got a place.
        """
        seekers = sorted(seekers, key=lambda k: k not in self._seats)[:MOST]
        self._seats = {k: seat for k, seat in self._seats.items() if k in seekers or time - seat.wanted < KEPT}
        if not seekers:
            return []
        self._look(target, radius, inside)
        for k in seekers:
            self._seat(k, time, position, standing)
        self._ways.keep([*self._seats])
        led = [k for k in seekers if k in self._seats]
        for k in led:
            goal[k] = self._ways.point(k, time, position[k], self._seats[k].place, standing, ahead)
        return led

    def _seat(self, k: int, time: float, position: Array, standing: Array) -> None:
        """Give robot ``k`` a place, if it needs another one and there is one."""
        seat = self._seats.get(k)
        late = seat is not None and time - seat.since > LONGEST
        if seat is not None and not late and not (norm(standing - seat.place) < 0.9 * self._width).any():
            seat.wanted = time
            return
        taken = np.array([*standing, *(one.place for one in self._seats.values())]).reshape(-1, 2)
        free = self._places
        if len(taken) and len(free):
            from scipy.spatial import cKDTree  # slow to load, and in few swarms robots are kept from their goal

            free = free[cKDTree(taken).query(free)[0] > 2.0 * self._room]
        self._seats.pop(k, None)
        if len(free):
            self._seats[k] = Seat(free[norm(free - position[k]).argmin()], time, time)

    def _look(self, target: Array, radius: float, inside: Callable[[Array], BoolArray]) -> None:
        """Find the places on free ground within ``radius`` (m) of ``target`` (2,) m."""
        key = target.tobytes(), radius
        if self._disc == key:
            return
        self._disc, within = key, radius - 0.1 * self._width
        apart = max(0.25 * self._width, 2.0 * within / np.sqrt(PLACES))
        steps = apart * np.arange(-int(within / apart), int(within / apart) + 1)
        points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        points = target + points[norm(points) <= within]
        points = points[self._ground.free(points, self._room)]
        self._places = points[inside(points)] if len(points) else points
        grid = self._ground.grid
        if grid is None:  # a square of open space, the circle and as much around it
            size = max(0.5 * self._width, 0.02 * radius)
            cells = 2 * int((2.0 * radius + 20.0 * self._width) / size)
            origin = float(target[0] - 0.5 * cells * size), float(target[1] - 0.5 * cells * size)
            grid = Grid(np.zeros((cells, cells), bool), origin, size)
        self._ways = WaysPast(grid, self._width, self._room)
