"""What a route is planned for: a formation, from where, to where, among which walls."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet, Map
from swarm_control.core.walldistance import WallDistance
from swarm_control.formation.drive import Drive
from swarm_control.formation.routing.proof import TOLERANCE, pair_needs, wall_distances
from swarm_control.formation.structure import place

STEP = 0.025
"""Progress between samples of ways, m: that of the fastest robot where the way is rigid, else of the path's middle."""

MARGIN = 0.02
"""Ways keep so much more from walls where there is room, m: for bends between samples."""


@dataclass(frozen=True)
class RouteTask:
    """``points`` (N, 2) m, structure's frame; ``pose`` (3,) now and ``goal`` (3,); ``room`` (m) between footprints, and to walls;
    ``headway`` (m): what robots in a column keep from each other besides, where the column fits.
    """

    points: Array
    pose: Array
    goal: Array
    fleet: Fleet
    map: Map
    room: float
    drive: Drive
    headway: float = 0.0

    @cached_property
    def need(self) -> Array:
        """What each robot's centre is to keep from walls (N,), m."""
        return self.fleet.radius + self.room

    @cached_property
    def widest(self) -> float:
        """The same for the largest robot, m."""
        return float(self.need.max())

    @cached_property
    def pair(self) -> Array:
        """What centres are to keep from each other (N, N), m."""
        return pair_needs(self.fleet, self.room)

    @cached_property
    def ends(self) -> Array:
        """The robots' places (N, 2) m at the goal."""
        return place(self.points, self.goal)

    @cached_property
    def extent(self) -> float:
        """Greatest distance of a point from the structure's origin, m."""
        return float(norm(self.points).max())

    @cached_property
    def soonest(self) -> float:
        """No way of the whole takes less time, s: straight, at full speed."""
        top = np.minimum(self.drive.speed_share * self.fleet.max_speed, self.drive.max_speed)
        return float((norm(self.ends - place(self.points, self.pose)) / top).max())

    @cached_property
    def walls(self) -> WallDistance:
        """Exact distances to walls."""
        return wall_distances(self.map)

    @cached_property
    def tightest_turn(self) -> Array:
        """Least turning radius of each robot (N,), m; zero for those that turn on the spot."""
        bound = self.fleet.column(lambda model: model.rolls and not model.turns_in_place)
        return np.where(bound, self.fleet.max_speed / self.fleet.max_turn_rate, 0.0)

    @cached_property
    def keep(self) -> float:
        """What ways keep from walls where there is room, m."""
        return self.widest + MARGIN

    def bands(self, least: float) -> tuple[tuple[float, float], ...]:
        """What smoothed ways keep from walls, and how stiff they are, at ``least`` (m): pairs that are to be tried, m.

        A way that goes round a corner as far off as a car's turning circle is wide bends no tighter than the car can.
        """
        turn = float(self.tightest_turn.max())
        if turn == 0.0:
            return ((self.keep, least),)
        wide = max(self.keep, 1.1 * turn)
        return (self.keep, max(least, 2.5 * turn)), (wide, max(least, 2.5 * turn)), (wide, max(2.0 * least, 4.0 * turn))

    @cached_property
    def glides(self) -> bool:
        """Whether no robot needs to turn before it goes another way."""
        return not self.fleet.column(lambda model: model.rolls).any()

    def free(self, places: Array) -> bool:
        """Whether robots at ``places`` (N, 2) m have their room to walls and to each other."""
        if self.walls.walls and (self.walls.distance(places, 2.0 * self.widest) < self.need - TOLERANCE).any():
            return False
        short = norm(places[:, None] - places) < self.pair - TOLERANCE
        return not (short & ~np.eye(len(places), dtype=bool)).any()
