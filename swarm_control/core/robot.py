"""What a kind of robot is: how it is commanded, where a command leads, what it can still stop within, how simulators describe it.

One folder in ``robots/``, or a plugin, makes one :class:`RobotModel` and registers it. Arrays are for the n robots of the model; ``fleet``
is their part of the fleet (:class:`~swarm_control.core.state.Fleet`), which holds their limits. SI units. Twists (n, 3) are forward and
leftward speed and turn rate in the robots' frames; poses (n, 3) and velocities (n, 3) are in the world frame.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from swarm_control.core.compiled import Compiled, Kernel
from swarm_control.core.declared import check_declared
from swarm_control.core.registry import Registry


@dataclass(frozen=True)
class Stopping:
    """What robots of a model can still stop within, for fence and separation filter. ``limit`` and ``top_rate``: for one robot, compiled.

    ``limit``: (forward, left, rate, max_speed, max_turn_rate, wheel_base) → the twist that the robot makes of it. ``top_rate``: (speed,
    max_speed, max_turn_rate, wheel_base) → the fastest that it can turn at a speed, for robots that roll. ``reaction``: the longest time
    (s) that may pass, the command's period aside, before a change of command has an effect; 0: the robot follows the command as
    ``max_acceleration`` permits. ``braking`` (m/s²): the hardest that it brakes, where ``max_acceleration`` says more.
    """

    limit: Compiled
    top_rate: Compiled
    reaction: float = 0.0
    braking: float = math.inf


@dataclass(frozen=True)
class StageDrive:
    """How Stage describes robots of a model. ``writes``: Stage's drive for them; ``reads``: Stage's drive that stands for them, if any.

    ``turns``: whether they turn by themselves. ``notice``: what they do otherwise in Stage and Gazebo, a line for the user.
    """

    writes: str
    reads: str = ""
    turns: bool = True
    notice: str = ""


def may_stand(params: Any) -> float:
    """Robots obey any speed, 0 too."""
    return 0.0


@dataclass(frozen=True)
class MujocoBody:
    """Robots that MuJoCo moves. ``params``: parameters of their bodies, ``bodies.<model>`` in scenario files, if there are any.

    ``make``: (names, pose, velocity, radius, bodies, rng) → :class:`~swarm_control.robots.mujoco.Kind`; it may import what is heavy.
    ``stream``: number of their random stream, by which a seed gives the same robots. ``slowest``: (params) → the speed (m/s) that they
    keep to when they are told to go slower. ``shard``: how many of them go well in one of MuJoCo's models, which a thread steps.
    """

    params: type | None
    make: Callable[..., Any]
    stream: int
    shard: int = 4
    slowest: Callable[[Any], float] = may_stand


def no_lead(motion: Any) -> float:
    """The control point is the robot's own."""
    return 0.0


def period_response(motion: Any, period: float) -> float:
    """A request is acted on until the next one."""
    return period


def no_gains(motion: Any, period: float) -> None:
    """A group's gains hold."""
    return None


@dataclass(frozen=True, kw_only=True)
class RobotModel:
    """A kind of robot, all that is known of it. ``motion`` stands for the parameters ``control.motion``, ``period`` (s) for the control's.

    *What it is.* ``help``: one line. ``rolls``: it moves along its heading only. ``turns_in_place``: it can turn while it stands.
    ``wheels``: on two wheels, whose speeds are ``v ± ω·wheel_base/2`` and bounded by ``max_speed``. ``stops``: it can stand still.

    *Command from an acceleration.* ``control_point``: (pose, velocity, motion, period) → position (n, 2) and velocity (n, 2) of the point
    that takes any velocity in the plane. ``lead``: (motion) → how far (m) that point is from the footprint's centre. ``twist``: (desired
    (n, 2), pose, fleet, motion, period) → twist (n, 3) that gives the control point the desired velocity. ``response``: (motion, period)
    → for how long (s) a requested acceleration is acted on. ``gains``: (motion, period) → position gain (1/s²), velocity gain (1/s) and
    horizon (s) in a group, None: the group's. ``parameters``: dataclass of its own parameters, ``control.motion.<name>``.

    *Command from a target.* ``steer``: compiled, for one robot: (dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base,
    horizon) → twist towards the point (dx, dy) m in its frame; forward, left and rate are its last twist, ``gain`` (m/s) the change of
    speed that a period allows. ``naive_steer``: the same by the naive law of Lewis & Tan, with (…, period, turn_gain) in place of the
    horizon; None: ``steer``.

    *Prediction.* ``predict``: (pose, twist, dt) → pose after obeying the twist for ``dt`` (s).

    *Stopping.* ``stopping``: None: it cannot be held, and scenarios that fence it are refused.

    *Simulators.* ``actuate``: the planar engine's kernel, see :mod:`swarm_control.core.actuation`; ``body``: MuJoCo's; one of both.
    ``stage`` and ``gazebo`` (wheels or glides): how they are exported; None and nothing: they cannot be.
    """

    name: str
    help: str
    control_point: Callable[..., Any]
    twist: Callable[..., Any]
    predict: Callable[..., Any]
    steer: Compiled
    naive_steer: Compiled | None = None
    rolls: bool = False
    turns_in_place: bool = True
    wheels: bool = False
    stops: bool = True
    lead: Callable[[Any], float] = no_lead
    response: Callable[[Any, float], float] = period_response
    gains: Callable[[Any, float], tuple[float, float, float] | None] = no_gains
    parameters: type | None = None
    stopping: Stopping | None = None
    actuate: Kernel | None = None
    body: MujocoBody | None = None
    stage: StageDrive | None = None
    gazebo: str = ""

    @property
    def turns_on_the_move(self) -> bool:
        """Whether it can stand, but has to go in order to turn, as a car."""
        return self.rolls and self.stops and not self.turns_in_place

    @property
    def on_wheels(self) -> bool:
        """Whether it has two wheels on a plane, as robots on a lab floor have, not feet that count as such."""
        return self.wheels and self.actuate is not None

    def __post_init__(self) -> None:
        if (self.actuate is None) == (self.body is None):
            raise ValueError(f"robot {self.name}: expected either an actuation for the planar engine or a body for MuJoCo")
        for params in (self.parameters, self.body.params if self.body else None):
            try:
                check_declared(params) if params is not None else None
            except ValueError as error:
                raise ValueError(f"robot {self.name}: {error}") from None
        if self.gazebo not in ("", "wheels", "glides"):
            raise ValueError(f"robot {self.name}: gazebo {self.gazebo!r} found, expected wheels or glides")


ROBOTS: Registry[RobotModel] = Registry("robot model", "swarm_control.robots")
"""All robot models by name. Complete once :mod:`swarm_control.robots` has been imported."""

register_robot = ROBOTS.add


def wheeled() -> str:
    """Names of the models on two wheels, for messages."""
    return " or ".join(model.name for model in ROBOTS.values() if model.on_wheels)
