"""One-legged robot: any velocity in the plane, which it takes up within a step; it turns slowly to face its course.

The robot itself sees to its hopping and its balance (:mod:`swarm_control.robots.hopper.control`). Velocity can change only in
stance, so what a robot is told acts for the whole step: τ = t_s + t_f.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.motion import Motion
from swarm_control.core.robot import MujocoBody, RobotModel, Stopping, register_robot
from swarm_control.core.state import Fleet
from swarm_control.robots import omni
from swarm_control.robots.hopper.body_parameters import Hopper
from swarm_control.robots.hopper.parameters import HopperMotion
from swarm_control.robots.omni import limit, predict, steer_to, top_rate

__all__ = ["control_point", "gains", "horizon", "predict", "response", "twist"]

REACTION = 0.52
"""A step, s: a velocity can change in stance only."""
BRAKING = 2.0
"""Mean deceleration of robots that are told to stop, m/s²."""


def control_point(pose: Array, velocity: Array, params: Motion, period: float) -> tuple[Array, Array]:
    """The body: position (n, 2) and velocity (n, 2), world frame."""
    return pose[:, :2], velocity[:, :2]


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame, over the next ``period`` (s).

    As of an omnidirectional robot (:func:`swarm_control.robots.omni.twist`), but slower to turn: on the ground the foot holds only so
    much torque.
    """
    own = params.hopper
    slow = replace(fleet, max_turn_rate=np.minimum(fleet.max_turn_rate, own.turn_rate))
    return omni.twist(desired, pose, slow, Motion(heading_gain=own.turn_gain), period)


def horizon(params: Motion) -> float:
    """Duration of a step, s."""
    own = params.hopper
    return own.stance + own.flight


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s) in a group.

    ``ẋ_d = ẋ + ½[(ẋ_g − ẋ) + e/(t_s/2 + t_f)]`` (Brogan & Hodgins 1997, equation 14; e predicted for the end of the step) is what the
    acceleration ``e/(2τ(t_s/2 + t_f)) + (ẋ_g − ẋ)/(2τ)`` makes of the velocity when it is acted on for a step, τ.
    """
    own, step = params.hopper, horizon(params)
    return 0.5 / (step * (0.5 * own.stance + own.flight)), 0.5 / step, step


def response(params: Motion, period: float) -> float:
    """For how long (s) a requested acceleration is acted on: a step."""
    return horizon(params)


def make(*arguments: Any) -> Any:
    """The robots in MuJoCo."""
    from swarm_control.robots.hopper.mujoco import Hoppers

    return Hoppers(*arguments)


register_robot(
    RobotModel(
        name="hopper", help="One-legged robot: any velocity in the plane, taken up within a step; it turns slowly.",
        control_point=control_point, twist=twist, predict=predict, gains=gains, response=response, parameters=HopperMotion,
        steer=steer_to, stopping=Stopping(limit, top_rate, REACTION, BRAKING), body=MujocoBody(Hopper, make, stream=0, shard=32),
    )
)  # fmt: skip
