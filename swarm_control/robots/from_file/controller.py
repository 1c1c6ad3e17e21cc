"""What moves the joints of a robot that comes from a file: controllers by name, which anybody may add to.

A controller is told what the robot's own sensors read, never where the simulator has it, and answers with what its servos shall do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from swarm_control.core.declared import check_declared
from swarm_control.core.geometry import Array
from swarm_control.core.registry import Registry
from swarm_control.robots.sensors import Readings


@dataclass(frozen=True)
class Servo:
    """The motor of a joint. ``stiffness`` N·m/rad and ``damping`` N·m·s/rad; a ``stiffness`` of 0: the joint is told a speed."""

    joint: int
    stiffness: float
    damping: float


class JointDrive(Protocol):
    """A controller of n robots of one :class:`~swarm_control.robots.from_file.machine.Machine`."""

    servos: tuple[Servo, ...]
    """The joints that it moves; others swing freely."""
    posture: Array
    """Angles of all joints (J,) that robots start with."""
    height: float
    """Of the base's origin above the ground, then, m."""
    track: float
    """Distance between the wheels, m; 0 without wheels."""
    middle: tuple[float, float]
    """The point that it turns about and that counts as its place, m, in the base's frame: forward, left."""

    def reset(self) -> None:
        """Forget what it knew: all robots start again."""

    def forget(self, row: int) -> None:
        """Forget what it knew of one robot: this starts again."""

    def targets(self, readings: Readings, twist: Array, period: float) -> Array:
        """What the servos are told (n, len(servos)): angles, or speeds, for the next ``period`` (s).

        ``twist`` (n, 3): m/s, m/s, rad/s, robots' frames; finite.
        """


@dataclass(frozen=True, kw_only=True)
class JointController:
    """A kind of controller. ``params``: dataclass of its parameters, ``models.<robot>.<name>`` in scenario files.

    ``make``: (machine, params, n) → :class:`JointDrive` of n robots; it may import what is heavy. ``moves``: (params) → the robot model
    that the robot then moves like: omni, differential …
    """

    name: str
    help: str
    params: type
    make: Callable[..., JointDrive]
    moves: Callable[[Any], str]

    def __post_init__(self) -> None:
        try:
            check_declared(self.params)
        except ValueError as error:
            raise ValueError(f"controller {self.name}: {error}") from None


CONTROLLERS: Registry[JointController] = Registry("controller", "swarm_control.controllers")
"""All controllers by name. Complete once :mod:`swarm_control.robots.from_file.controllers` has been imported."""

register_controller = CONTROLLERS.add
