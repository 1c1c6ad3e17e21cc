"""Keeping a formation: from the scenario's parameters and goals to orders, and from tick to tick."""

from dataclasses import replace

import numpy as np

from swarm_control.core import targets
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation import step as core
from swarm_control.formation.departure import DepartureWatch
from swarm_control.formation.design import Change, between
from swarm_control.formation.drive import Drive, Order, Path, ToPose, Velocity
from swarm_control.formation.field import Pull
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.memory import FormationMemory, StructureStep
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.goal_orders import in_field, order_for, pose_of, steered
from swarm_control.runtime.journey import Terms, terms_of
from swarm_control.runtime.journey_planner import JourneyPlanner, Situation
from swarm_control.safety.separation_filter import UNFILTERED, SeparationFilter
from swarm_control.scenario.schema import Goal
from swarm_control.scenario.trajectories import trajectory_of


class StructureController:
    """Keeps one ``structure``, and takes it to ``goals``. Hosted it serves all robots; onboard only ``own``, by what that robot hears.

    ``began`` (s): when the timetable of the goals starts; ``memory``: what is known from before. ``visits``: goals reached so far,
    counting every round.
    """

    def __init__(
        self, fleet: Fleet, goals: list[Goal], period: float, own: int | None, structure: Structure, began: float,
        memory: FormationMemory | None = None,
    ) -> None:  # fmt: skip
        self.structure = structure
        self.last: StructureStep | None = None
        self.visits, self.memory = 0, memory
        self._fleet, self._goals, self._period, self._own = fleet, goals, period, own
        self._change: Change | None = None
        self._changed_at, self._rested = 0.0, 0.0
        self._began, self._pivot = began, np.zeros(2)
        self._order: Order | None = None
        self._passes: list[float] = []
        self._twist: Array | None = None
        self._planner, self._watch = JourneyPlanner(), DepartureWatch(own)
        self._sent: Itinerary | None = None
        self._last_visit, self._to_start, self._drive = len(self._goals) - 1, False, Drive()

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
        made = core.step(
            state, stamp, self._shaped(state.time, params), order, self._fleet, targets, memory, params, self._period, deviation,
            heading, self._own, None if isinstance(order, Pull) else map,
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
        return self._planner.problem

    def note_commands(self, twist: Array) -> None:
        """What the robots were told in the end (N, 3), after the filter: the next tick expects them to have done that."""
        if self.memory is not None:
            self.memory = replace(self.memory, commands=np.concatenate((twist[None], self.memory.commands[1:])))

    def change(self, change: Change, time: float) -> None:
        """Take on another structure, gradually from ``time`` (s) if the parameters say so."""
        self.structure, self._change, self._changed_at, self._order = change.structure, change, time, None
        # on the move robots go over to the new structure as they go; at rest they take their places by a plan
        self._planner.formed = self.memory is not None and not self.memory.rest

    def total(self, params: FormationParameters) -> int:
        """How many goals there are to reach, all rounds together."""
        return len(self._goals) * params.repeat

    @property
    def goal(self) -> Goal | None:
        """The goal whose turn it is; the last one when all have been reached."""
        return self._goals[self._place(self.visits)] if self._goals else None

    @property
    def due(self) -> Array | None:
        """Where (3,) a timed way is by now, the goal's pose by its time; None when the structure is not on one."""
        return self._order.at(self.memory.clock) if isinstance(self._order, Path) and self.memory is not None else None

    def steer(self, twist: Array | None) -> None:
        """Move at ``twist`` (3,): vx, vy (m/s), ω (rad/s) in the structure's frame, whatever the goals are; None: goals again."""
        same = twist is self._twist or (twist is not None and self._twist is not None and np.array_equal(twist, self._twist))
        if not same:
            self._twist, self._order = twist, None

    def send(self, goal: Goal) -> None:
        """Put ``goal`` in the place of the present one."""
        self.steer(None)
        self._sent, self._to_start = None, False
        if not self._goals:
            self._goals.append(goal)
        else:
            self._goals[self._place(self.visits)] = goal
        self.visits = max(min(self.visits, self._last_visit), 0)
        self._order = None

    def follow(self, trajectory: Itinerary) -> float:
        """Go to the beginning of ``trajectory`` and follow it, in place of the present goal; return by which factor it is slowed."""
        self.send(Goal(position=tuple(trajectory.end[:2].tolist()), heading=float(np.rad2deg(trajectory.end[2]))))
        self._sent = trajectory
        return self._path(trajectory)[1]

    def skip_to(self, visits: int) -> None:
        """Count so many goals as behind the structure."""
        self.visits, self._order = visits, None

    def _place(self, visit: int) -> int:
        return max(min(visit, self._last_visit), 0) % len(self._goals)

    def _shaped(self, time: float, params: FormationParameters) -> Structure:
        """The structure at this point of a gradual change."""
        if self._change is None or params.morph_time == 0.0:
            self._change = None
            return self.structure
        share = min((time - self._changed_at) / params.morph_time, 1.0)
        found = between(self._change, share, self.structure.names, self.structure.pose)
        if share >= 1.0:
            self._change = None
        return found or self.structure

    def _ordered(
        self, memory: FormationMemory, state: SwarmState, params: FormationParameters, map: Map | None, filter: SeparationFilter
    ) -> tuple[FormationMemory, Order]:  # fmt: skip
        self._last_visit, self._drive = self.total(params) - 1, params.drive
        if not np.array_equal(self._pivot, params.pivot):
            self._pivot, self._order = np.array(params.pivot), None
        velocity = None if self._goals or self._twist is not None else np.array(params.velocity)
        if isinstance(self._order, Velocity) and velocity is not None and not np.array_equal(self._order.twist, velocity):
            self._order = None
        way = self._planner.way
        if self._order is None or self._planner.outdated(map):
            if self._order is None or way is None:
                order, self._passes = self._next(params, velocity if velocity is not None else self._twist)
            else:
                order = self._order
            terms = terms_of(self._fleet, params, map, filter, self._period) if params.plan.enabled else None
            self._plan(self._pulled(order, params, map), memory, state, params, terms)
            first, self._rested = self.last is None, 0.0
            memory = memory if way is not None and way is self._planner.way else memory.order()
            self._watch.forget()
            # a timetable counts from the run's start, so that robots that each keep their own agree on it
            memory = replace(memory, clock=state.time - self._began) if first and self._passes and not self._planner.way else memory
        if self._planner.way is not None:
            return memory, self._planner.way
        assert self._order is not None
        self._order = self._pulled(self._order, params, map)
        return memory, self._order

    def _pulled(self, order: Order, params: FormationParameters, map: Map | None) -> Order:
        """The ``order``, but a goal draws by a field of forces if the parameters say so now."""
        if not isinstance(order, (ToPose, Pull)):
            return order
        return in_field(order.goal, params, map, float(self._fleet.radius[members(self.structure.names, self._fleet.names)].max()))

    def _plan(self, order: Order, memory: FormationMemory, state: SwarmState, params: FormationParameters, terms: Terms | None) -> None:
        """Have planned what the ``order`` needs; the structure stands where there is no way."""
        robots, kept = members(self.structure.names, self._fleet.names), self.last is not None
        pose = (memory.belief.pose if state.time - memory.time < 2.0 * self._period else state.pose)[robots]
        # after the first forming, a change that takes its time needs no plan
        self._planner.formed |= params.morph_time > 0.0 and kept
        self.structure, self._order = self._planner.start(Situation(self.structure.centred(), pose, order, self._pivot, kept), terms)
        self._passes = [] if self._planner.problem else self._passes

    def _go_on(self, made: StructureStep, way: PlannedWay, params: FormationParameters) -> None:
        """On a planned way: keep the structure's own points, and go on to the order when the way is over."""
        self.structure = made.structure.deformed(way.points[members(made.structure.names, way.names)], made.structure.pose)
        if self._planner.arrived(made, self._fleet, params.plan.patience):
            # a timetable begins from where the structure has formed
            self.memory, self._order = made.memory.order(), None if self._passes else self._order

    def _next(self, params: FormationParameters, twist: Array | None) -> tuple[Order, list[float]]:
        """The order for now, and when (s, the order's clock) goals are passed on its way, if it is timed."""
        pose = self.structure.about(self._pivot).pose
        if twist is not None:
            return steered(pose, twist), []
        total = self.total(params)
        trajectory = self._sent or trajectory_of(params.trajectory)
        if trajectory is not None and self.visits < total:
            self._to_start = not self._to_start
            return (ToPose(trajectory.start) if self._to_start else self._path(trajectory)[0]), []
        left = [self._goals[self._place(visit)] for visit in range(self.visits, total)]
        return order_for(pose, left or [replace(self._goals[self._place(total)], time=0.0)])

    def _path(self, trajectory: Itinerary) -> tuple[Path, float]:
        """The timed path of a trajectory for the robots as they are now, and by which factor it is slowed."""
        fleet = self._fleet.take(members(self.structure.names, self._fleet.names))
        return trajectory.path(self.structure.about(self._pivot).points, fleet, self._drive)

    def _progress(self, made: StructureStep, params: FormationParameters) -> None:
        """Goals on a timed way are passed; the others, and the last of the way, are reached by resting there."""
        if self._order is None or not self._goals or isinstance(self._order, Velocity) or self.problem or self.visits > self._last_visit:
            return
        while len(self._passes) > 1 and made.memory.clock >= self._passes[0]:
            self._passes.pop(0)
            self.visits += 1
        if self._to_start:
            self._order = None if made.memory.rest else self._order
            return
        self._rested = self._rested + self._period if made.memory.rest else 0.0
        goal = self.goal
        rested = goal is not None and made.memory.rest and self._rested >= goal.hold - 1e-9
        if rested or self._left_behind(made, params.tolerance):
            self.visits += 1
            self._order = self._order if self.visits > self._last_visit else None

    def _left_behind(self, made: StructureStep, tolerance: float) -> bool:
        """Onboard: whether another robot leaves this goal for the next one."""
        if not isinstance(self._order, (ToPose, Pull)) or self.visits >= self._last_visit:
            return False
        robots = members(made.structure.names, self._fleet.names)
        goals = self._order.goal, pose_of(self._goals[self._place(self.visits + 1)])
        return self._watch.left_behind(made.structure.about(self._pivot), made.memory.belief.pose[robots], robots, goals, tolerance)
