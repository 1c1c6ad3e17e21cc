"""Which planned way a structure's robots are on, and why there is none."""

import warnings
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Order, ToPose
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.memory import StructureStep
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.timetable import UnreachableError
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.journey import Journey, Terms, form, lead

SQUARED = Fit()

STALLED = 4.0
"""A plan that has waited for so long (s) for a robot that works is made anew from where robots are; after each time twice as long."""

SETTLED = 10.0
"""Robots that were led to a goal rest there within this time (s)."""


@dataclass(frozen=True)
class Situation:
    """What a structure with its middle at the origin of its frame has before it: ``pose`` (M, 3) of its robots, in the order of its names,
    the ``order`` for its ``pivot`` (2,) m, and whether it has been ``kept`` before: else it lies where it was imposed.
    """

    structure: Structure
    pose: Array
    order: Order
    pivot: Array
    kept: bool


class JourneyPlanner:
    """Plans the ways of one structure's robots. ``way``: the planned way that they are on, None for none.

    ``problem``: why there is no way, or nothing. ``formed``: whether the robots have taken their places in the structure.
    """

    def __init__(self) -> None:
        self.way: PlannedWay | None = None
        self.problem, self.formed = "", False
        self._map: Map | None = None
        self._led: Array | None = None
        self._clock, self._since, self._bears = -1.0, np.inf, STALLED
        self._stalled, self._restless = False, np.inf

    def start(self, now: Situation, terms: Terms | None) -> tuple[Structure, Order]:
        """Plan how robots take their places and come to where the order leads; ``terms`` None: nothing is to be planned.

        Returns the structure, its points perhaps dealt anew, and the order: to stand where there is no way.
        """
        old = self.way if self._stalled else None
        self.way, self.problem, structure = None, "", now.structure
        self._bears = 2.0 * self._bears if self._stalled else STALLED
        self._clock, self._since, self._stalled = -1.0, np.inf, False
        if now.kept:
            structure = structure.at(fit(structure.points, now.pose[:, :2], np.ones(len(structure)), structure.pose, SQUARED).pose)
        if terms is None:
            self.formed = True
            return structure, now.order
        self._map = terms.map
        order = now.order
        try:
            journey = self._led_on(structure, now, terms)
        except UnreachableError as error:
            if old is not None:
                self.way = old
                return now.structure, order
            self._refuse(str(error))
            order, journey = ToPose(structure.about(now.pivot).pose), None
        if journey is None and not self.formed:
            journey = self._formed_on(structure, now, terms)
        self.formed = journey is None
        if journey is None:
            return structure, order
        self.way = journey.way
        return journey.structure, order

    def arrived(self, made: StructureStep, fleet: Fleet, patience: float) -> bool:
        """Whether the robots have come to the end of their way, which is over then."""
        clock, names = made.memory.clock, made.structure.names
        if self.way is None:
            return False
        over = clock >= self.way.schedule.duration
        self._look(clock, made.memory.time, not over, bool(made.failed[members(names, fleet.names)].any()))
        if not over:
            return False
        position = made.memory.belief.pose[members(names, fleet.names), :2]
        if float(norm(position - self.way.places(names, clock)).max()) > patience:
            return False
        self.way, self.formed, self._restless = None, True, made.memory.time
        return True

    def unsettled(self, made: StructureStep) -> bool:
        """Whether robots that were led to a goal have not come to rest there for long: cars cannot mend an error beside them. Then the way
        there is to be planned again.
        """
        time = made.memory.time
        if self._led is None or made.memory.rest or made.failed.any():
            self._restless = time
        if time - self._restless <= SETTLED:
            return False
        self._restless, self._led = time, None
        return True

    def outdated(self, map: Map | None) -> bool:
        """Whether what was planned, or found to be impossible, was so for another map, or the plan has waited for too long."""
        return self._stalled or (map is not self._map and (self.way is not None or bool(self.problem)))

    def _look(self, clock: float, time: float, under_way: bool, failed: bool) -> None:
        """Note since when the plan has waited, on its way or at its end; for robots that have failed it waits for ever."""
        if (under_way and clock > self._clock + 1e-9) or failed or self._clock < 0.0:
            self._clock, self._since = clock, time
        self._stalled = time - self._since > self._bears

    def _led_on(self, structure: Structure, now: Situation, terms: Terms) -> Journey | None:
        """The way to a goal to which no way has led yet."""
        if not isinstance(now.order, ToPose):
            return None
        goal = now.order.goal
        middle = np.append(goal[:2] - rotate(now.pivot, goal[2]), goal[2])
        if self.formed and self._led is not None and np.array_equal(self._led, middle):
            return None
        found = lead(structure, now.pose, middle, terms)
        self._led = middle if found is not None else None
        return found

    def _formed_on(self, structure: Structure, now: Situation, terms: Terms) -> Journey | None:
        """The ways of robots to their points; none where there is none, which is told."""
        try:
            return form(structure, now.pose, terms)
        except UnreachableError as error:
            self._refuse(str(error))
            return None

    def _refuse(self, why: str) -> None:
        if why != self.problem:
            warnings.warn(f"formation: {why}", RuntimeWarning, stacklevel=2)
        self.problem = why
