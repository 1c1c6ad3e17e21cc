"""What is said of a robot that comes from a file: where its description is, what controls it, what it was found to be able to do."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swarm_control.core.open_group import open_group
from swarm_control.core.parameters import param
from swarm_control.robots.from_file.controllers import CONTROLLERS
from swarm_control.robots.sensors import Sensors


@dataclass(frozen=True)
class Ability:
    """What robots of the model can do, as ``swarm identify`` finds it; zeros: nobody has looked.

    Speeds are those that robots make in all directions that they move in.
    """

    footprint: float = param(0.0, "radius of a disc that holds the robot as it stands", unit="m", low=0.0, high=100.0)
    max_speed: float = param(0.0, "top speed", unit="m/s", low=0.0, high=100.0)
    max_acceleration: float = param(0.0, "how fast its speed follows a command", unit="m/s²", low=0.0, high=1000.0)
    max_turn_rate: float = param(0.0, "top turn rate", unit="rad/s", low=0.0, high=100.0)
    reaction: float = param(0.0, "time until a change of its command shows", unit="s", low=0.0, high=10.0)
    braking: float = param(0.0, "mean deceleration when it is told to stop at top speed", unit="m/s²", low=0.0, high=1000.0)
    track: float = param(0.0, "distance between the wheels", unit="m", low=0.0, high=10.0)
    found_for: str = param("", "what it was found for: a digest of description, controller and sensors")


@open_group(CONTROLLERS, lambda controller: controller.params, after="controller")
@dataclass(frozen=True)
class Described:
    """A robot from a file, ``models.<name>`` in scenario files: robots whose ``model`` has this name are such.

    Paths are relative to the file that names them, or ``package://NAME/…``: a ROS package, or a folder that a Python package has
    installed, in itself or under ``share``.
    """

    description: str = param("", "one line for the lists")
    mjcf: str = param("", "the robot in MuJoCo's own form")
    urdf: str = param("", "the robot as a URDF file")
    base: str = param("", "name of the body that carries all others; none: the one that moves freely")
    posture: tuple[str, ...] = param((), "angles that joints start with, and keep where nothing moves them: name=rad")
    footprint: float = param(0.0, "radius of a disc that holds the robot as it stands; 0: as identified", unit="m", low=0.0, high=100.0)
    step: float = param(0.002, "time step of the simulation", unit="s", low=0.0001, high=0.02)
    period: float = param(0.004, "time from one command to the servos to the next", unit="s", low=0.0005, high=0.1)
    controller: str = param("trot", "what moves the joints", choices=CONTROLLERS)
    sensors: Sensors = field(default_factory=Sensors)
    ability: Ability = field(default_factory=Ability)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
