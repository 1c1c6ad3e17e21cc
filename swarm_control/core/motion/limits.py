"""Parameters that all motion models share."""

from dataclasses import dataclass, field

from swarm_control.core.motion.hopping import HopperMotion
from swarm_control.core.motion.riding import BicycleMotion
from swarm_control.core.parameters import param


@dataclass(frozen=True)
class PointMass:
    """How a point mass is drawn to where it is wanted in a group (Brogan & Hodgins 1997, equation 21)."""

    mass: float = param(25.14, "mass, that of the one-legged robot", unit="kg", low=0.001, high=1e6)
    position_gain: float = param(6000.0, "force per error of position", unit="N/m", low=0.001, high=1e9)
    velocity_gain: float = param(2000.0, "force per error of velocity", unit="N s/m", low=0.0, high=1e9)


@dataclass(frozen=True)
class HexapodMotion:
    """How a walking insect answers (:mod:`.hexapod`)."""

    response: float = param(
        0.15, "for how long a request is acted on: its velocity swings with its steps and says little over less", unit="s",
        low=0.01, high=10.0,
    )  # fmt: skip


@dataclass(frozen=True)
class Motion:
    """Parameters of the motion models."""

    heading_gain: float = param(
        4.0, "how fast an omnidirectional robot turns to its course; 0: keeps its heading", unit="1/s", low=0.0, high=50.0
    )  # fmt: skip
    mode: str = param(
        "acceleration", "what the sum of requests sets: the acceleration; the velocity, mobility times it; or the course, at step_speed",
        choices=("acceleration", "velocity", "step"),
    )  # fmt: skip
    mobility: float = param(0.2, "velocity per request, with mode velocity", unit="s", low=0.0, high=100.0)
    step_speed: float = param(0.2, "speed along any request, with mode step", unit="m/s", low=0.0, high=100.0)
    look_ahead: float = param(0.08, "control point of a differential drive, ahead of its axle", unit="m", low=0.005, high=5.0)
    point_mass: PointMass = field(default_factory=PointMass)
    hopper: HopperMotion = field(default_factory=HopperMotion)
    bicycle: BicycleMotion = field(default_factory=BicycleMotion)
    hexapod: HexapodMotion = field(default_factory=HexapodMotion)
