"""A planned way as an order: every robot to a place of its own, while the structure changes its form, bends or is only just forming.

A rigid structure is told where to go, and its points follow from that. On a planned way it is the other way round: the schedule says where
each robot is to be, and the structure's frame is fitted to these places. The plan waits for robots that are behind, as the structure does.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm, rotate, wrap
from swarm_control.core.parameters import param
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.follow import aim
from swarm_control.formation.robots import Robots
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.timetable import Timetable

SQUARED = Fit()

STILL = 1e-6
"""Places nearer to each other than this (m) are the same place."""


AT_PLACE = 0.03
"""Robots that are this near (m) to their places may turn there."""


TURNED = 0.05
"""Who is off its heading by less than this (rad) has turned."""


@dataclass(frozen=True)
class Planning:
    """Parameters of planned ways."""

    enabled: bool = param(True, "whether robots take their places, and pass walls, on ways that are planned for all of them together")
    opens: bool = param(
        True, "whether it opens for obstacles and closes again, where that saves a fifth of the time, or less if that deforms it less"
    )
    patience: float = param(0.05, "the plan waits for robots that are farther behind", unit="m", low=1e-4, high=10.0)


@dataclass(frozen=True)
class PlannedWay:
    """The robots ``names`` (N,) go by ``schedule``, one column each; ``points`` (N, 2) m are theirs in the structure that they make.

    ``lead`` (s): robots may be so far ahead of the clock, where each has a clock of its own. To wait for those who wait would be for ever.
    ``others``: robots, by name, that are not waited for.
    """

    schedule: Timetable
    names: tuple[str, ...]
    points: Array
    lead: float = 0.0
    others: frozenset[str] = frozenset()
    brakes: ClassVar[bool] = False

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """Where the structure's frame is to be one horizon later, yaw nearest to that of ``pose`` (3,)."""
        return self._frame(self.schedule.at(clock + horizon), self.points, pose)

    def end(self, clock: float) -> Array | None:
        """Where the structure's frame comes to rest, once the schedule is over."""
        return self._last if clock >= self.schedule.duration else None

    def structure(self, structure: Structure, clock: float) -> Structure:
        """The ``structure``, of robots that are on this way, as it is to be at ``clock`` (s)."""
        rows = members(structure.names, self.names)
        places = self.schedule.at(clock)[rows]
        pose = self._frame(places, self.points[rows], structure.pose)
        return structure.deformed(rotate(places - pose[:2], -pose[2]), pose)

    def places(self, names: tuple[str, ...], clock: float) -> Array:
        """Where these robots are to be, (M, 2) m, world frame, at ``clock`` (s)."""
        return self.schedule.at(clock)[members(names, self.names)]

    def targets(self, names: tuple[str, ...], clock: float, squad: Robots) -> Array:
        """What these robots, the ``squad``, are to aim at, (M, 2) m, world frame: their places at the horizon."""
        rolls = squad.fleet.column(lambda model: model.rolls).astype(bool)
        return aim(self.schedule.of(members(names, self.names)), clock, squad.horizon, squad.pose, rolls, squad.fleet.radius)

    def facing(self, names: tuple[str, ...], clock: float, squad: Robots) -> Array:
        """Headings (M,) rad to which robots turn on the spot while they stand at their places: towards where they go next, or the other way
        if that is nearer. NaN for robots that move, that stay, that are not at their places, and that cannot turn so.
        """
        rows = members(names, self.names)
        here = self.schedule.at(clock)[rows]
        moves = norm(self.schedule.at(clock + squad.horizon)[rows] - here) > STILL
        moves |= norm(squad.pose[:, :2] - here) > AT_PLACE
        moves |= ~squad.fleet.column(lambda model: model.turns_in_place).astype(bool)
        ahead = self._ahead[min(int(np.searchsorted(self.schedule.time, clock)), len(self._ahead) - 1)][rows]
        turn = wrap(ahead - squad.pose[:, 2])
        ahead = np.where(np.abs(turn) > 0.5 * np.pi, ahead + np.pi, ahead)
        return np.where(moves, np.nan, ahead)

    def lag(self, names: tuple[str, ...], clock: float, squad: Robots) -> float:
        """How far (m) the farthest is off its way between now and the horizon: who is ahead does not lag."""
        off = self._off(names, clock, squad)
        later = clock + squad.horizon
        while later < clock + self.lead and float(off.max()) > AT_PLACE:
            off = np.minimum(off, self._off(names, later, squad))
            later += squad.horizon
        return float(off.max())

    def _off(self, names: tuple[str, ...], clock: float, squad: Robots) -> Array:
        """How far (M,) m each robot is off its way between ``clock`` (s) and one horizon later."""
        here = self.places(names, clock)
        way, error = self.places(names, clock + squad.horizon) - here, squad.pose[:, :2] - here
        share = np.clip((error * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-18), 0.0, 1.0)
        return np.where(self.awaited(names), norm(error - share[:, None] * way), 0.0)

    def behind(self, names: tuple[str, ...], clock: float, pose: Array, patience: float) -> BoolArray:
        """Which of these robots (M,), at ``pose`` (M, 3), are waited for and farther than ``patience`` (m) from their places."""
        return np.asarray(self.awaited(names) & (norm(pose[:, :2] - self.places(names, clock)) > patience))

    def awaited(self, names: tuple[str, ...]) -> BoolArray:
        """Which of these robots (M,) are waited for."""
        return np.array([name not in self.others for name in names])

    def waits(self, names: tuple[str, ...], clock: float, squad: Robots) -> bool:
        """Whether somebody would leave its place in the next period who has not turned to where it goes."""
        heading = self.facing(names, clock, squad)
        leaves = np.isfinite(heading) & np.isnan(self.facing(names, clock + squad.period, squad)) & self.awaited(names)
        return bool((np.abs(wrap(heading - squad.pose[:, 2]))[leaves] > TURNED).any())

    @cached_property
    def _ahead(self) -> Array:
        """Direction (T, N) of the next move of each robot from each sample of the schedule on; NaN where there is none."""
        steps = np.diff(self.schedule.place, axis=0)
        course = np.where(norm(steps) > STILL, np.arctan2(steps[..., 1], steps[..., 0]), np.nan)
        found = np.full(self.schedule.place.shape[:2], np.nan)
        for k in range(len(course) - 1, -1, -1):
            found[k] = np.where(np.isnan(course[k]), found[k + 1], course[k])
        return found

    @cached_property
    def _last(self) -> Array:
        return self._frame(self.schedule.place[-1], self.points, np.zeros(3))

    def _frame(self, places: Array, points: Array, previous: Array) -> Array:
        """The pose (3,) at which ``points`` (M, 2) lie nearest to ``places`` (M, 2) m."""
        pose = fit(points, places, np.ones(len(places)), previous, SQUARED).pose
        pose[2] = previous[2] + wrap(pose[2] - previous[2])
        return pose
