"""Keeping a formation: from the scenario's parameters and goals to orders, and from tick to tick."""

from dataclasses import replace

import numpy as np

from swarm_control.core import targets
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation import step as core
from swarm_control.formation.departure import DepartureWatch
from swarm_control.formation.design import Change, GradualChange
from swarm_control.formation.drive import Drive, Order, Path, ToPose, Velocity
from swarm_control.formation.field import Pull
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.memory import FormationMemory, StructureStep
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.goal_list import GoalList
from swarm_control.runtime.goal_orders import in_field, steered
from swarm_control.runtime.journey_planner import JourneyPlanner
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.terms import Situation, Terms, terms_of
from swarm_control.runtime.timed_ways import free_until
from swarm_control.safety.separation_filter import UNFILTERED, SeparationFilter
from swarm_control.scenario.schema import Goal


class StructureController:
    """Keeps one ``structure``, and takes it to ``goals``. Hosted it serves all robots; onboard only ``own``, by what that robot hears.

    ``began`` (s): when the timetable of the goals starts; ``memory``: what is known from before. ``obstacles``: robots that are on the map.
    ``order``: what the structure does now, None where the next step is to find that out.
    """

    obstacles: tuple[str, ...] = ()

    def __init__(
        self, fleet: Fleet, goals: list[Goal], period: float, own: int | None, structure: Structure, began: float,
        memory: FormationMemory | None = None,
    ) -> None:  # fmt: skip
        self.structure, self.memory, self.goals = structure, memory, GoalList(goals)
        self.last: StructureStep | None = None
        self._fleet, self._period, self._own = fleet, period, own
        self._change = GradualChange()
        self._began, self._pivot = began, np.zeros(2)
        self.order: Order | None = None
        self._twist: Array | None = None
        self.planner, self._watch, self._drive = JourneyPlanner(), DepartureWatch(own), Drive()

    def step(
        self, state: SwarmState, stamp: Array, params: FormationParameters, deviation: Array | None = None, map: Map | None = None,
        filter: SeparationFilter = UNFILTERED,
    ) -> StructureStep:  # fmt: skip
        """One tick; ``stamp`` (N,) s is when each robot's pose was measured, ``map`` where walls are, ``filter`` what keeps robots
        apart, at which a plan must not be held up.
        """
        memory = self.memory or FormationMemory.start(len(self._fleet), self._period, params)
        memory, order = self._ordered(memory, state, params, map, filter)
        heading = np.full(len(self._fleet), self.structure.pose[2]) if params.face_ahead else None
        structure = self._change.shaped(self.structure, state.time, params.morph_time)
        made = core.step(
            state, stamp, structure, order, self._fleet, targets, memory, params, self._period, deviation, heading, self._own,
            None if isinstance(order, Pull) else map,
        )  # fmt: skip
        self.structure, self.memory, self.last = made.structure, made.memory, made
        if isinstance(order, PlannedWay):
            self._go_on(made, order, params)
        else:
            self._progress(made, params)
        return made

    @property
    def problem(self) -> str:
        """Why there is no way to the goal, or nothing."""
        return self.planner.problem

    def note_commands(self, twist: Array) -> None:
        """What the robots were told in the end (N, 3), after the filter: the next tick expects them to have done that."""
        if self.memory is not None:
            self.memory = replace(self.memory, commands=np.concatenate((twist[None], self.memory.commands[1:])))

    def change(self, change: Change, time: float) -> None:
        """Take on another structure, gradually from ``time`` (s) if the parameters say so."""
        self.structure, self.order = change.structure, None
        self._change.begin(change, time)
        # on the move robots go over to the new structure as they go; at rest they take their places by a plan
        self.planner.change(formed=self.memory is not None and not self.memory.rest)

    @property
    def due(self) -> Array | None:
        """Where (3,) a timed way is by now, the goal's pose by its time; None when the structure is not on one."""
        return self.order.at(self.memory.clock) if isinstance(self.order, Path) and self.memory is not None else None

    def steer(self, twist: Array | None) -> None:
        """Move at ``twist`` (3,): vx, vy (m/s), ω (rad/s) in the structure's frame, whatever the goals are; None: goals again."""
        same = twist is self._twist or (twist is not None and self._twist is not None and np.array_equal(twist, self._twist))
        if not same:
            self._twist, self.order = twist, None

    def send(self, goal: Goal, sent: Itinerary | None = None) -> None:
        """Put ``goal`` in the place of the present one, at the end of a trajectory that is ``sent``, if any."""
        self.steer(None)
        self.goals.put(goal, sent, self.memory.time if self.memory is not None else 0.0)
        self.order = None

    def follow(self, trajectory: Itinerary) -> float:
        """Go to the beginning of ``trajectory`` and follow it, in place of the present goal; return by which factor it is slowed."""
        self.send(Goal(position=tuple(trajectory.end[:2].tolist()), heading=float(np.rad2deg(trajectory.end[2]))), trajectory)
        return self._path(trajectory)[1]

    def skip_to(self, visits: int) -> None:
        """Count so many goals as behind the structure."""
        self.goals.visits, self.order = visits, None

    def _ordered(
        self, memory: FormationMemory, state: SwarmState, params: FormationParameters, map: Map | None, filter: SeparationFilter
    ) -> tuple[FormationMemory, Order]:  # fmt: skip
        self.goals.last, self._drive = self.goals.total(params.repeat) - 1, params.drive
        if not np.array_equal(self._pivot, params.pivot):
            self._pivot, self.order = np.array(params.pivot), None
        asked = self._twist if self.goals or self._twist is not None else np.array(params.velocity)
        if isinstance(self.order, Velocity) and asked is not None and not np.array_equal(self.order.twist, asked):
            self.order = None
        way = self.planner.way
        if self.order is None or self.planner.outdated(map, self.structure, self._fleet, memory.clock):
            terms = terms_of(self.structure, self._fleet, params, map, filter, self._period) if params.plan.enabled else None
            order = self.order if self.order is not None and way is not None else self._next(params, asked, terms)
            self._plan(self._pulled(order, params, map), memory, state, params, terms)
            first = self.last is None
            self.goals.begin()
            memory = memory if way is not None and way is self.planner.way else memory.order(self.planner.begins)
            self._watch.forget()
            # a timetable counts from the run's start, so that robots that each keep their own agree on it
            memory = replace(memory, clock=state.time - self._began) if first and self.goals.timed and not self.planner.way else memory
        if self.planner.way is not None:
            return memory, self.planner.way
        assert self.order is not None
        self.order = self._pulled(self.order, params, map)
        return memory, self.order

    def _pulled(self, order: Order, params: FormationParameters, map: Map | None) -> Order:
        return in_field(order, params, map, float(self._fleet.radius[members(self.structure.names, self._fleet.names)].max()))

    def _plan(self, order: Order, memory: FormationMemory, state: SwarmState, params: FormationParameters, terms: Terms | None) -> None:
        """Have planned what the ``order`` needs; the structure stands where there is no way."""
        robots, kept = members(self.structure.names, self._fleet.names), self.last is not None
        pose = memory.belief.pose if state.time - memory.time < 2.0 * self._period else state.pose
        pose = self.planner.outset_at(Outset(self.goals.visits, 0, state.time, -1 if self._own is None else self._own, pose))[robots]
        # after the first forming, a change that takes its time needs no plan
        self.planner.formed |= params.morph_time > 0.0 and kept
        situation = Situation(self.structure.centred(), pose, order, self._pivot, kept, self.obstacles)
        self.structure, self.order = self.planner.start(situation, terms)
        if self.planner.problem:
            self.goals.drop_times()

    def _go_on(self, made: StructureStep, way: PlannedWay, params: FormationParameters) -> None:
        """On a planned way: keep the structure's own points, and go on to the order when the way is over."""
        self.structure = made.structure.deformed(way.points[members(made.structure.names, way.names)], made.structure.pose)
        if self.planner.arrived(made, self._fleet, params.plan.patience):
            # a timetable begins from where the structure has formed
            self.memory, self.order = made.memory.order(), None if self.goals.timed else self.order

    def _next(self, params: FormationParameters, twist: Array | None, terms: Terms | None) -> Order:
        """The order for now."""
        held = self.structure.about(self._pivot)
        if twist is None:
            return self.goals.order(held.pose, params, self._path, lambda path: free_until(path, held, terms))
        self.goals.drop_times()
        return steered(held.pose, twist)

    def _path(self, trajectory: Itinerary) -> tuple[Path, float]:
        """The timed path of a trajectory for the robots as they are now, and by which factor it is slowed."""
        fleet = self._fleet.take(members(self.structure.names, self._fleet.names))
        return trajectory.path(self.structure.about(self._pivot).points, fleet, self._drive)

    def _progress(self, made: StructureStep, params: FormationParameters) -> None:
        """Goals on a timed way are passed; the others, and the last of the way, are reached by resting there."""
        goals = self.goals
        if self.order is None or goals.over or isinstance(self.order, Velocity) or self.problem:
            return
        goals.pass_by(made.memory.clock)
        if goals.to_start:
            goals.at_start = made.memory.rest
            self.order = None if made.memory.rest else self.order
        elif goals.watched(self.order) and self.planner.stuck(made, self._fleet, self.order, self._pivot, self.obstacles):
            goals.give_up_time(self.order)
            self.order = None
        elif goals.rested(made, self.order, self._pivot, params, self._period) or self._left_behind(made, params.tolerance):
            goals.visits += 1
            self.order = self.order if goals.over else None

    def _left_behind(self, made: StructureStep, tolerance: float) -> bool:
        """Onboard: whether another robot leaves this goal for the next one."""
        following = self.goals.following
        if following is None or not isinstance(self.order, (ToPose, Pull)):
            return False
        robots, poses = members(made.structure.names, self._fleet.names), (self.order.goal, following)
        return self._watch.left_behind(made.structure.about(self._pivot), made.memory.belief.pose[robots], robots, poses, tolerance)
