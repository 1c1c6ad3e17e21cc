"""Keeping a formation: from the scenario's parameters and goals to orders, and from tick to tick."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from swarm_control.core.formation import step as core
from swarm_control.core.formation.drive import Order, Path, ToPose, Velocity
from swarm_control.core.formation.memory import Memory, Step
from swarm_control.core.formation.structure import Structure, members
from swarm_control.core.geometry import Array
from swarm_control.core.motion import targets
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.errors import InputError
from swarm_control.scenario.schema import Goal, VirtualStructure
from swarm_control.sim.structures import Change, Design, between, design, impose, reconfigure

SAMPLES = 0.02
"""Time (s) between the points of a timed way."""


class Keeper:
    """Keeps one structure. Hosted it serves all robots; onboard only ``own``, by what that robot hears.

    The structure is imposed when every member has been heard from; until then all stand. ``visits``: goals reached so far, counting
    every round; ``problem``: why the last change of parameters was refused, or nothing.
    """

    def __init__(self, fleet: Fleet, goals: Sequence[Goal], period: float, own: int | None = None) -> None:
        self.structure: Structure | None = None
        self.last: Step | None = None
        self.visits, self.problem = 0, ""
        self._fleet, self._goals, self._period, self._own = fleet, list(goals), period, own
        self._asked: Design | None = None
        self._wanted: tuple[object, ...] = ()
        self._change: Change | None = None
        self._changed_at, self._rested = 0.0, 0.0
        self._began: float | None = None
        self._memory: Memory | None = None
        self._order: Order | None = None
        self._passes: list[float] = []
        self._twist: Array | None = None
        self._last_visit = len(self._goals) - 1

    def step(self, state: SwarmState, stamp: Array, params: VirtualStructure, deviation: Array | None = None) -> Step | None:
        """One tick; ``stamp`` (N,) s is when each robot's pose was measured. None while there is no structure yet."""
        memory = self._memory or Memory.start(len(self._fleet), self._period, params)
        self._began = state.time if self._began is None else self._began
        self._look(state, params)
        if self.structure is None:
            return None
        memory, order = self._ordered(memory, state.time, params)
        heading = np.full(len(self._fleet), self.structure.pose[2]) if params.face_ahead else None
        made = core.step(
            state, stamp, self._shaped(state.time, params), order, self._fleet, targets, memory, params, self._period, deviation,
            heading, self._own,
        )  # fmt: skip
        self.structure, self._memory, self.last = made.structure, made.memory, made
        self._progress(made)
        return made

    def told(self, twist: Array) -> None:
        """What the robots were told in the end (N, 3), after the filter: the next tick expects them to have done that."""
        if self._memory is not None:
            self._memory = replace(self._memory, commands=np.concatenate((twist[None], self._memory.commands[1:])))

    def total(self, params: VirtualStructure) -> int:
        """How many goals there are to reach, all rounds together."""
        return len(self._goals) * params.repeat

    @property
    def goal(self) -> Goal | None:
        """The goal whose turn it is; the last one when all have been reached."""
        return self._goals[self._place(self.visits)] if self._goals else None

    @property
    def due(self) -> Array | None:
        """Where (3,) a timed way is by now, the goal's pose by its time; None when the structure is not on one."""
        return self._order.at(self._memory.clock) if isinstance(self._order, Path) and self._memory is not None else None

    def steer(self, twist: Array | None) -> None:
        """Move at ``twist`` (3,): vx, vy (m/s), ω (rad/s) in the structure's frame, whatever the goals are; None: goals again."""
        same = twist is self._twist or (twist is not None and self._twist is not None and np.array_equal(twist, self._twist))
        if not same:
            self._twist, self._order = twist, None

    def send(self, goal: Goal) -> None:
        """Put ``goal`` in the place of the present one."""
        self.steer(None)
        if not self._goals:
            self._goals = [goal]
        else:
            self._goals[self._place(self.visits)] = goal
        self.visits = max(min(self.visits, self._last_visit), 0)
        self._order = None

    def _place(self, visit: int) -> int:
        return max(min(visit, self._last_visit), 0) % len(self._goals)

    def _look(self, state: SwarmState, params: VirtualStructure) -> None:
        """Make or change the structure if the parameters ask for another one, once all of its robots are heard."""
        wanted = (params.members, params.shape, params.spacing, params.points)
        if wanted != self._wanted:
            self._wanted = wanted
            try:
                self._asked, self.problem = design(params, self._fleet.names, "control.formation"), ""
            except InputError as error:
                self.problem = str(error)
        if self._asked is None or not state.valid[members(self._asked.names, self._fleet.names)].all():
            return
        if self.structure is None:
            self.structure = impose(self._asked, state.position[members(self._asked.names, self._fleet.names)])
        else:
            self._change = reconfigure(self._asked, self.structure, self._fleet.names, state.position)
            self.structure, self._changed_at, self._order = self._change.structure, state.time, None
        self._asked = None

    def _shaped(self, time: float, params: VirtualStructure) -> Structure:
        """The structure at this point of a gradual change."""
        assert self.structure is not None
        if self._change is None or params.morph_time == 0.0:
            self._change = None
            return self.structure
        share = min((time - self._changed_at) / params.morph_time, 1.0)
        found = between(self._change, share, self.structure.names, self.structure.pose)
        if share >= 1.0:
            self._change = None
        return found or self.structure

    def _ordered(self, memory: Memory, time: float, params: VirtualStructure) -> tuple[Memory, Order]:
        self._last_visit = self.total(params) - 1
        velocity = None if self._goals or self._twist is not None else np.array(params.velocity)
        if isinstance(self._order, Velocity) and velocity is not None and not np.array_equal(self._order.twist, velocity):
            self._order = None
        if self._order is None:
            self._order, self._passes = self._next(params, velocity if velocity is not None else self._twist)
            first, self._rested, memory = self.last is None, 0.0, memory.order()
            # a timetable counts from the run's start, so that robots that each keep their own agree on it
            memory = replace(memory, clock=time - (self._began or 0.0)) if first and self._passes else memory
        return memory, self._order

    def _next(self, params: VirtualStructure, twist: Array | None) -> tuple[Order, list[float]]:
        """The order for now, and when (s, the order's clock) goals are passed on its way, if it is timed."""
        assert self.structure is not None
        if twist is not None:
            # going straight, the yaw is held: a robot that stops does not make the others circle around it
            return Velocity(twist, heading=None if twist[2] else float(self.structure.pose[2])), []
        total = self.total(params)
        left = [self._goals[self._place(visit)] for visit in range(self.visits, total)]
        untimed = next((k for k, goal in enumerate(left) if goal.time == 0.0), len(left))
        if untimed == 0:
            return ToPose(pose_of(left[0] if left else self._goals[self._place(total)])), []
        return timed(self.structure.pose, left[:untimed])

    def _progress(self, made: Step) -> None:
        """Goals on a timed way are passed; the others, and the last of the way, are reached by resting there."""
        if self._order is None or not self._goals or isinstance(self._order, Velocity) or self.visits > self._last_visit:
            return
        while len(self._passes) > 1 and made.memory.clock >= self._passes[0]:
            self._passes.pop(0)
            self.visits += 1
        self._rested = self._rested + self._period if made.memory.rest else 0.0
        goal = self.goal
        if goal is not None and made.memory.rest and self._rested >= goal.hold - 1e-9:
            self.visits += 1
            self._order = self._order if self.visits > self._last_visit else None


def pose_of(goal: Goal) -> Array:
    """Pose (3,) of a structure at a goal."""
    return np.array([*goal.position, np.deg2rad(goal.heading)])


def timed(start: Array, goals: Sequence[Goal]) -> tuple[Path, list[float]]:
    """A smooth timed way from rest at ``start`` (3,) through ``goals`` to rest: cubic in between; and when each goal is passed, s."""
    from scipy.interpolate import CubicSpline

    times = np.concatenate(([0.0], np.cumsum([goal.time for goal in goals])))
    poses = np.array([start, *(pose_of(goal) for goal in goals)])
    poses[:, 2] = np.unwrap(poses[:, 2])
    at = np.linspace(0.0, times[-1], max(int(np.ceil(times[-1] / SAMPLES)), 1) + 1)
    return Path(at, CubicSpline(times, poses, bc_type="clamped")(at)), [float(t) for t in times[1:]]
