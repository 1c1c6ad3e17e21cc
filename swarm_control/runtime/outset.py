"""What a plan was made from: robots that each plan for all make the same plan where they plan from the same."""

from dataclasses import dataclass

from swarm_control.core.geometry import Array


@dataclass(frozen=True)
class Outset:
    """Robots were at ``pose`` (N, 3), world frame, when a way to the goal after so many ``visits`` was planned at ``time`` (s) by the robot
    ``origin`` (its index, −1 for one that serves all), at this ``attempt``, from 0.
    """

    visits: int
    attempt: int
    time: float
    origin: int
    pose: Array

    def same(self, other: "Outset") -> bool:
        """Whether that is the ``other`` one."""
        return self._rank == other._rank

    def goes_before(self, other: "Outset") -> bool:
        """Whether robots plan from this and not from the ``other``: of the newest attempts the one that was made first."""
        return self.visits == other.visits and self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int, float, int]:
        return -self.visits, -self.attempt, self.time, self.origin
