"""What every engine offers, and what tells the controllers of its robots: runner and nodes know them by this alone."""

from typing import Protocol

from swarm_control.core.geometry import Array, BoolArray, IntArray
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


class BodyReadings(Protocol):
    """What may be recorded of bodies that are more than discs, by engines that have an attribute ``bodies``."""

    joint_names: tuple[tuple[str, ...], ...]
    """Of each robot (N, J), empty where it has fewer."""

    @property
    def touches(self) -> int:
        """Contact episodes of bodies so far."""

    @property
    def touching(self) -> BoolArray:
        """Whose body touches another's or a wall (N,)."""

    @property
    def joints(self) -> Array:
        """Where all joints are (N, J), no number where a robot has fewer."""


class OdometrySource(Protocol):
    """Turns the true state of each tick into the one that the controllers hear."""

    @property
    def measured(self) -> Array | None:
        """When what is now heard of each robot was measured (N,), s; −∞ before the first message. None: nothing is ever late or lost."""

    def observe(self, truth: SwarmState) -> SwarmState:
        """Return what is heard at the tick whose true state is ``truth``; to be called once per tick."""
