"""The goals of a structure, one after the other, and a trajectory that may stand in the place of one."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.formation.drive import Order, Path, ToPose, remaining
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.memory import StructureParameters, StructureStep
from swarm_control.formation.parameters import FormationParameters
from swarm_control.runtime.goal_orders import order_for, pose_of
from swarm_control.scenario.schema import Goal
from swarm_control.scenario.trajectories import trajectory_of


@dataclass(frozen=True)
class NewGoal:
    """At ``time`` (s) the goal after so many ``visits`` was replaced by one with this ``pose`` (3,); robots go by the latest."""

    time: float
    visits: int
    pose: Array

    def after(self, other: "NewGoal") -> bool:
        """Whether it takes the place of the ``other``: of two at the same time, all choose the same one."""
        return (self.time, *self.pose.tolist()) > (other.time, *other.pose.tolist())


NEAR, LINGERED = 5.0, 20.0
"""A structure that has been within so many tolerances of its goal for so long (s), and its robots of their points, comes no nearer. Times
when it was not count against it."""

CLOSE, FASTER = 2.0, 5.0
"""Where noise hides more than the tolerance that was asked for, times within so many tolerances count so many times."""

NONE_NEW = NewGoal(-np.inf, 0, np.full(3, -np.inf))
"""All goals are those that were there from the first."""


class GoalList:
    """``visits``: goals that are behind the structure, counting every round; ``last``: the visit to the last of them.

    ``to_start``: whether the structure is on its way to where a trajectory begins, ``at_start``: whether it has come there.
    ``new``: the goal that was put in another's place last.
    """

    def __init__(self, goals: list[Goal]) -> None:
        self.visits, self.last, self.to_start, self.new = 0, len(goals) - 1, False, NONE_NEW
        self.at_start = False
        self._goals, self._untimed = goals, -1
        self._passes: list[float] = []
        self._rested = self._lingered = 0.0
        self._sent: Itinerary | None = None
        self._on_trajectory = True

    def __bool__(self) -> bool:
        return bool(self._goals)

    @property
    def over(self) -> bool:
        """Whether there is no goal left to reach."""
        return not self._goals or self.visits > self.last

    @property
    def timed(self) -> bool:
        """Whether goals are passed at times of their own."""
        return bool(self._passes)

    def watched(self, order: Order) -> TypeGuard[ToPose | Path]:
        """Whether a structure with this ``order`` that gets on no farther is to be given another: not one that follows a trajectory."""
        return isinstance(order, ToPose) or (isinstance(order, Path) and self.timed)

    @property
    def present(self) -> Goal | None:
        """The goal whose turn it is; the last one when all have been reached."""
        return self._goals[self._place(self.visits)] if self._goals else None

    @property
    def positions(self) -> list[tuple[float, ...]]:
        """Where the goals are, m."""
        return [goal.position for goal in self._goals]

    @property
    def following(self) -> Array | None:
        """Pose (3,) of the goal after the present one; None where there is none."""
        return pose_of(self._goals[self._place(self.visits + 1)]) if self.visits < self.last else None

    def total(self, repeat: int) -> int:
        """How many goals there are to reach, all rounds together."""
        return len(self._goals) * repeat

    def put(self, goal: Goal, sent: Itinerary | None = None, time: float = -np.inf) -> None:
        """Put ``goal`` in the place of the present one, at the end of the trajectory ``sent``, if any, at ``time`` (s)."""
        self._sent, self.to_start, self.at_start = sent, False, False
        if not self._goals:
            self._goals.append(goal)
        else:
            self._goals[self._place(self.visits)] = goal
        self.visits = max(min(self.visits, self.last), 0)
        self.new = NewGoal(time, self.visits, pose_of(goal))

    def replace(self, goals: list[Goal], time: float) -> None:
        """Go to the last of these ``goals`` from ``time`` (s) on, with the others behind."""
        self._goals, self._sent, self.to_start, self.visits, self.last = goals, None, False, len(goals) - 1, len(goals) - 1
        self._on_trajectory = self.at_start = False
        if not np.array_equal(self.new.pose, pose_of(goals[-1])):  # otherwise others have said so already
            self.new = NewGoal(time, self.visits, pose_of(goals[-1]))

    def begin(self) -> None:
        """A new order is given."""
        self._rested = 0.0

    def give_up_time(self, order: Order) -> None:
        """The structure does not get on on the timed way to the present goal: it is to go there whenever it can."""
        if isinstance(order, Path) and self.present is not None:
            self._untimed = self.visits
            x, y = self.present.position
            warnings.warn(
                f"goal ({x:.4g}, {y:.4g}): the formation cannot follow its timed way; the time is not kept", RuntimeWarning, stacklevel=2
            )

    def drop_times(self) -> None:
        """No times are kept: the structure stands."""
        self._passes = []

    def order(
        self, pose: Array, params: FormationParameters, path: Callable[[Itinerary], tuple[Path, float]],
        free_until: Callable[[Path], float],
    ) -> Order:  # fmt: skip
        """The order for a structure at ``pose`` (3,); ``path`` makes one of a trajectory, ``free_until`` as for :func:`order_for`."""
        total, self._passes = self.total(params.repeat), []
        trajectory = self._sent or (trajectory_of(params.trajectory) if self._on_trajectory else None)
        if trajectory is not None and self.visits < total:
            self.to_start, self.at_start = not self.at_start, False
            return ToPose(trajectory.start) if self.to_start else path(trajectory)[0]
        left = [self._goals[self._place(visit)] for visit in range(self.visits, total)]
        left[:1] = [replace(goal, time=0.0) for goal in left[:1]] if self._untimed == self.visits else left[:1]
        order, self._passes = order_for(pose, left or [replace(self._goals[self._place(total)], time=0.0)], free_until)
        return order

    def pass_by(self, clock: float) -> None:
        """Count the goals of a timed way that are passed by ``clock`` (s); the last of them is reached by resting there."""
        while len(self._passes) > 1 and clock >= self._passes[0]:
            self._passes.pop(0)
            self.visits += 1

    def rested(self, made: StructureStep, order: Order, pivot: Array, params: StructureParameters, period: float) -> bool:
        """Whether the structure, after another ``period`` (s), has rested at the present goal for as long as that holds.

        To have been near the end of the ``order`` with the ``pivot`` for long counts as well: where
        odometry is late and noisy robots may never come to rest.
        """
        end, rest, goal = order.end(made.memory.clock), made.memory.rest, self.present
        held, off = made.structure.about(pivot), float(np.nanmax(made.distance, initial=0.0))
        away = np.inf if end is None else max(remaining(held.points, held.pose, end), off) / params.tolerance
        self._rested = self._rested + period if rest else 0.0
        passed = FASTER if away < CLOSE and params.tolerance > params.drive.tolerance else 1.0 if away < NEAR else -1.0
        self._lingered = max(self._lingered + passed * period, 0.0)
        if goal is None or not ((rest and self._rested >= goal.hold - 1e-9) or self._lingered >= goal.hold + LINGERED):
            return False
        self._lingered = 0.0
        return True

    def _place(self, visit: int) -> int:
        return max(min(visit, self.last), 0) % len(self._goals)
