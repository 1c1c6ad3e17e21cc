"""What robots that each keep a formation by themselves tell each other of it."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.runtime.goal_list import NewGoal
from swarm_control.runtime.outset import Outset


@dataclass(frozen=True)
class PartWord:
    """A structure as a robot has it: its ``pose`` (3,), the ``clock`` (s) of its order, how many goals, ``visits``, are behind it, the
    ``span`` (s) of the planned way that it is on, 0 for none, the ``outset`` of its last plan, and the ``goal`` that it was sent to last.
    """

    pose: Array
    clock: float
    visits: int
    span: float
    outset: Outset | None
    goal: NewGoal

    def alike(self, other: "PartWord") -> bool:
        """Whether both are on the same way to the same goal, so that their clocks can be compared."""
        if self.visits != other.visits or self.goal.time != other.goal.time or (self.span > 0.0) != (other.span > 0.0):
            return False
        return self.planned_as(other)

    def planned_as(self, other: "PartWord") -> bool:
        """Whether both have planned from the same."""
        return self.outset is not None and other.outset is not None and self.outset.same(other.outset)


@dataclass(frozen=True)
class Word:
    """What the robot ``speaker`` (its index) says at ``time`` (s).

    How many it hears, its ``degree``; whether it is ``lost``, as it hears nobody; for how long (s) it has been ``failing`` to do as it is
    told, 0: it is not; its structure's ``parts``; which robots (N,) have been ``dropped``; the ``places`` (N, 4) from which all begin, x y
    yaw and when they were measured; since when (N,), s, each robot is known to be ``ready``, as it knew all places, and to be
    ``informed``, as it knew that all are ready. NaN is not known.
    """

    speaker: int
    time: float
    degree: int
    lost: bool
    failing: float
    parts: tuple[PartWord, ...]
    dropped: BoolArray
    places: Array
    ready: Array
    informed: Array

    def same_team(self, other: "Word") -> bool:
        """Whether both keep structures of the same robots."""
        return len(self.parts) == len(other.parts) and bool(np.array_equal(self.dropped, other.dropped))
