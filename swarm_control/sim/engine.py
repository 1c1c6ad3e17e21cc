"""What every engine offers: controllers, runner and nodes know engines by this alone."""

from typing import Protocol

from swarm_control.core.geometry import IntArray
from swarm_control.core.state import Commands, Fleet, SwarmState


class Engine(Protocol):
    """Moves the robots of ``fleet``, one ``step`` of its own fixed length at a time."""

    @property
    def fleet(self) -> Fleet:
        """The robots that it moves."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""

    def reset(self) -> None:
        """Put every robot back to where it started; time and collisions too."""

    def step(self, commands: Commands) -> None:
        """Let one time step pass in which the robots obey ``commands``."""

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move."""
