"""Bicycle: it goes where it faces, turns by leaning, and needs a while to begin.

A wished velocity becomes a speed and a turn rate towards its direction. The bicycle itself sees to its balance
(:mod:`swarm_control.robots.bicycle.control`).
"""

from typing import Any

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.motion import Motion
from swarm_control.core.robot import MujocoBody, RobotModel, register_robot
from swarm_control.core.state import Fleet
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.parameters import BicycleMotion
from swarm_control.robots.car import steer_to
from swarm_control.robots.omni import predict

__all__ = ["control_point", "gains", "predict", "response", "twist"]


def control_point(pose: Array, velocity: Array, params: Motion, period: float) -> tuple[Array, Array]:
    """The point between the wheels: position (n, 2) and velocity (n, 2), world frame.

    The velocity is taken along the heading: sideways the point moves a little as the rider steers to keep the balance, which is no course.
    """
    moving = np.empty((len(pose), 2))
    _ahead(len(pose), pose, velocity, moving)
    return pose[:, :2], moving


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame.

    The speed is that of the desired velocity along the heading e, the turn rate ``ω = ψ/T``, ψ the angle to the desired direction and T
    the ``turn_time``. An acceleration a to the side, acted on for T, gives ``ω ≈ a/v``: the turn whose acceleration it is. ω is cut to
    ``max_turn_rate`` and ``max_acceleration/v``; the bicycle does not go backwards.
    """
    result: Array = _twist(len(pose), desired, pose, fleet.max_speed, fleet.max_turn_rate, fleet.max_acceleration, params.bicycle.turn_time)
    return result


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s) in a group.

    The law is printed as ``ẋ_d = k_p e + k_v(ẋ_g − ẋ)`` (Brogan & Hodgins 1997, equation 20), by which a bicycle in its place and on
    course would be told to stand. ẋ_d is read as the velocity with which the right side vanishes, ``ẋ_g + (k_p/k_v)·e``; it is approached
    with the time constant T = ``turn_time``: ``a = (ẋ_d − ẋ)/T``. Only the ratio of the gains counts, which is also all that the paper
    says of them beside their values.
    """
    own = params.bicycle
    return own.position_gain / own.velocity_gain / own.turn_time, 1.0 / own.turn_time, own.horizon


def response(params: Motion, period: float) -> float:
    """For how long (s) a requested acceleration is acted on."""
    return params.bicycle.turn_time


def _ahead_loop(pose, velocity, moving):  # type: ignore[no-untyped-def]
    for i in prange(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        speed = velocity[i, 0] * c + velocity[i, 1] * s
        moving[i, 0], moving[i, 1] = speed * c, speed * s


def _twist_loop(desired, pose, max_speed, max_turn_rate, max_acceleration, turn_time):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.zeros((n, 3))
    for i in prange(n):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        forward, left = c * desired[i, 0] + s * desired[i, 1], c * desired[i, 1] - s * desired[i, 0]
        speed = min(max(forward, 0.0), max_speed[i])
        limit = min(max_turn_rate[i], max_acceleration[i] / max(speed, 1e-6))
        rate = np.arctan2(left, forward) / turn_time if left * left + forward * forward > 1e-12 else 0.0
        result[i, 0], result[i, 2] = speed, min(max(rate, -limit), limit)
    return result


_ahead = Kernel(_ahead_loop)
_twist = Kernel(_twist_loop)


def slowest(body: Bicycle) -> float:
    """The speed (m/s) below which it would fall."""
    return body.min_speed


def make(*arguments: Any) -> Any:
    """The robots in MuJoCo."""
    from swarm_control.robots.bicycle.mujoco import Bicycles

    return Bicycles(*arguments)


register_robot(
    RobotModel(
        name="bicycle", help="Bicycle: it goes where it faces, turns by leaning, needs a while to begin, and cannot stand.",
        control_point=control_point, twist=twist, predict=predict, gains=gains, response=response, parameters=BicycleMotion,
        steer=steer_to, rolls=True, turns_in_place=False, stops=False,
        body=MujocoBody(Bicycle, make, stream=1, shard=5, slowest=slowest),
    )
)  # fmt: skip
