"""Which planned way a structure's robots are on, and why there is none."""

import warnings
from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Order, Path, ToPose, at_most
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.forming.among_walls import Walls
from swarm_control.formation.memory import StructureStep
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.timetable import UnreachableError
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.journey import Journey, form, lead
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.stall_watch import STALLED, StallWatch
from swarm_control.runtime.terms import Situation, Terms
from swarm_control.runtime.timed_ways import free_until, met

SQUARED = Fit()

NEARER, LAGS = 0.01, 0.1
"""To come nearer by so much (m) is to get on; on a timed way to move by so much, or not to lag by more than the second."""

SETTLED = 10.0
"""Robots that were led to a goal rest there within this time (s)."""


class JourneyPlanner:
    """Plans the ways of one structure's robots. ``way``: the planned way that they are on, None for none.

    ``problem``: why there is no way, or nothing. ``formed``: whether the robots have taken their places in the structure. ``outset``: what
    was planned from, ``told``: what the next plan is to be made from, as another robot did, which ``begins`` at this time (s) on its clock;
    ``lead`` as in ``PlannedWay``.
    """

    def __init__(self) -> None:
        self.way: PlannedWay | None = None
        self.problem, self.formed = "", False
        self.outset: Outset | None = None
        self.told: Outset | None = None
        self.begins = self.lead = 0.0
        self._was_formed = False
        self._map: Map | None = None
        self._room = 0.0
        self._led: Array | None = None
        self._watch, self._restless, self._straight = StallWatch(), np.inf, False
        self._blocked, self._left, self._nearer, self._was = False, np.inf, np.inf, np.zeros(3)

    def start(self, now: Situation, terms: Terms | None) -> tuple[Structure, Order]:
        """Plan how robots take their places and come to where the order leads; ``terms`` None: nothing is to be planned.

        Returns the structure, its points perhaps dealt anew, and the order: to stand where there is no way.
        """
        old, self._was_formed = self.way if self._watch.stalled else None, self.formed
        self.way, self.problem, structure = None, "", now.structure
        self._watch.begin()
        self._straight, self._left = False, np.inf
        if now.kept:
            structure = structure.at(fit(structure.points, now.pose[:, :2], np.ones(len(structure)), structure.pose, SQUARED).pose)
        if terms is None:
            self.formed = True
            return structure, now.order
        self._map, self._room = terms.map, terms.filter.room or terms.room
        order = now.order
        try:
            journey = self._led_on(structure, now, terms)
        except UnreachableError as error:
            if old is not None:
                self.way = old
                return now.structure, order
            goal = f"goal ({order.goal[0]:.4g}, {order.goal[1]:.4g}): " if isinstance(order, ToPose) else ""
            self._refuse(f"{goal}{error}", now.obstacles)
            order, journey = ToPose(structure.about(now.pivot).pose), None
        if journey is None and not self.formed:
            journey = self._formed_on(structure, now, terms)
        self.formed = journey is None
        if journey is None:
            self._straight = isinstance(order, ToPose)
            return structure, order
        self.way = replace(journey.way, lead=self.lead)
        return journey.structure, order

    def outset_at(self, own: Outset) -> Array:
        """Where robots are (N, 3), for a plan that is made now: as ``own`` has it, or as another robot told."""
        before, told = self.outset, self.told if self.told is not None and self.told.visits == own.visits else None
        again = before.attempt + 1 if before is not None and before.visits == own.visits else 0
        self.outset, self.told = told or replace(own, attempt=again), None
        self.begins = self.begins if told is not None else 0.0
        return self.outset.pose

    def follow(self, told: Outset, clock: float) -> None:
        """Plan once more, as another robot did whose plan's clock (s) this is."""
        again = self.outset is not None and told.attempt > self.outset.attempt
        self.told, self.begins, self._watch.stalled = told, clock, again
        if not again:
            self.formed, self._led = self._was_formed, None

    def change(self, formed: bool) -> None:
        """There is another structure, into which robots have ``formed`` or not: what led the old one to its goal does not lead this one."""
        self.formed, self._led = formed, None

    def arrived(self, made: StructureStep, fleet: Fleet, patience: float) -> bool:
        """Whether the robots have come to the end of their way, which is over then."""
        clock, names = made.memory.clock, made.structure.names
        if self.way is None:
            return False
        over, robots = clock >= self.way.schedule.duration, members(names, fleet.names)
        behind = self.way.behind(names, clock, made.memory.belief.pose[robots], patience)
        self._watch.look(clock, made.memory.time, not over, bool((made.failed[robots] & behind).any()))
        if not over or behind.any():
            return False
        self.way, self.formed, self._straight, self._restless = None, True, True, made.memory.time
        return True

    def unsettled(self, made: StructureStep, fleet: Fleet) -> bool:
        """Whether robots that were led to a goal have not come to rest there for long: cars cannot mend an error beside them. Then the way
        there is to be planned again.
        """
        time = made.memory.time
        if self._led is None or made.memory.rest or made.failed[members(made.structure.names, fleet.names)].any():
            self._restless = time
        if time - self._restless <= SETTLED:
            return False
        self._restless, self._led = time, None
        return True

    def stuck(self, made: StructureStep, fleet: Fleet, order: ToPose | Path, pivot: Array, obstacles: tuple[str, ...]) -> bool:
        """Whether the way that was ordered for the ``pivot`` is to be planned again: robots that were led there do not settle, or the rigid
        structure has got no nearer for long, though its robots work, and it is on a timed way, or there are walls, or others stand as
        ``obstacles``, or one of its own has been pushed out of its place.
        """
        robots, timed = members(made.structure.names, fleet.names), isinstance(order, Path)
        if not timed and not obstacles and self._map is None and not (made.distance > fleet.radius[robots]).any():
            self._nearer = made.memory.time
            return self.unsettled(made, fleet)
        pose, far = made.structure.about(pivot).pose, float(norm(made.structure.points).max())
        left = at_most(pose, order.at(made.memory.clock) if isinstance(order, Path) else order.goal, far)
        left += 0.0 if timed else float(np.nanmax(made.distance, initial=0.0))  # to come into their places is to get on as well
        if timed and order.end(made.memory.clock) is None:
            gets_on = left < LAGS or at_most(pose, self._was, far) > NEARER
        else:
            gets_on = left < self._left - NEARER or made.memory.rest or (timed and left < LAGS)
        if gets_on or made.failed[robots].any():
            self._left, self._nearer, self._was = left, made.memory.time, pose
        stands = made.memory.time - self._nearer > STALLED
        self._blocked = self._straight and stands
        return self._blocked or (timed and stands) or self.unsettled(made, fleet)

    def outdated(self, map: Map | None, structure: Structure, fleet: Fleet, clock: float) -> bool:
        """Whether another robot's plan is to be made, or the plan has waited for too long, or was made, or found to be impossible, for
        another map, and this ``map`` leaves no room beside the robots on the rest of their way: what the separation filter keeps, without
        one what was planned with.
        """
        if self._watch.stalled or self.told is not None or map is self._map:
            return self._watch.stalled or self.told is not None
        if self.way is not None and map is not None:
            left = self.way.schedule.after(clock).place[:, members(structure.names, self.way.names)]
            walls = Walls(map, fleet.radius[members(structure.names, fleet.names)] + self._room)
            self._map = map if walls.clear(left) else self._map
        return map is not self._map and (self.way is not None or self._straight or bool(self.problem))

    def wait(self) -> None:
        """The robots may not go for now: the plan does not stall meanwhile."""
        self._watch.wait()

    def _led_on(self, structure: Structure, now: Situation, terms: Terms) -> Journey | None:
        """The way to a goal to which no way has led yet."""
        if isinstance(now.order, Path):
            until = free_until(now.order, structure.about(now.pivot), terms)
            if np.isfinite(until):
                raise UnreachableError(f"the trajectory leads into {met(now.order, until)}")
        if not isinstance(now.order, ToPose):
            return None
        goal = now.order.goal
        middle = np.append(goal[:2] - rotate(now.pivot, goal[2]), goal[2])
        if self.formed and not self._blocked and self._led is not None and np.array_equal(self._led, middle):
            return None
        found = lead(structure, now.pose, middle, terms, straight=not self._blocked, dealt=not self.formed)
        self._blocked = False
        self._led = middle if found is not None else None
        return found

    def _formed_on(self, structure: Structure, now: Situation, terms: Terms) -> Journey | None:
        """The ways of robots to their points; none where there is none, which is told."""
        try:
            return form(structure, now.pose, terms)
        except UnreachableError as error:
            self._refuse(str(error), now.obstacles)
            return None

    def _refuse(self, why: str, obstacles: tuple[str, ...]) -> None:
        why += f"; {', '.join(obstacles)} counted as a wall, for standing there" if obstacles else ""
        if why != self.problem:
            warnings.warn(f"formation: {why}", RuntimeWarning, stacklevel=2)
        self.problem, self._led = why, None
