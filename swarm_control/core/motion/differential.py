"""Differential drive: an acceleration becomes wheel speeds through a point ahead of the axle.

The point ``p = x + L·(cos θ, sin θ)`` can move in any direction: its velocity ``w`` and the robot's speed and turn rate are in
one-to-one relation, ``v = w·e``, ``ω = w·e⊥/L`` (input–output linearisation, e.g. Siciliano et al., Robotics, §11.6). A shorter L
follows more closely and turns more sharply.
"""

import numpy as np
from numba import prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array
from swarm_control.core.motion.limits import Motion
from swarm_control.core.motion.omni import predict
from swarm_control.core.motion.wheels import arc_for_point, naive_steer, point_of_arc, steer
from swarm_control.core.state import Fleet

__all__ = ["arc_for_point", "control_point", "naive_steer", "point_of_arc", "predict", "steer", "twist", "wheel_speeds"]


def control_point(pose: Array, velocity: Array, params: Motion, period: float) -> tuple[Array, Array]:
    """The point ahead of the axle: position (n, 2), and the velocity (n, 2) that it had at the beginning of the last ``period`` (s).

    World frame. A robot that turns at ω carries the point's velocity with it: ``velocity`` is by ω·T further than what was desired.
    Built on the former, a robot that turns would go on turning.
    """
    point, moving = np.empty((len(pose), 2)), np.empty((len(pose), 2))
    _point(len(pose), pose, velocity, params.look_ahead, period, point, moving)
    return point, moving


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame that gives the control point the ``desired`` velocity (n, 2), world frame.

    Both wheels, and the turn rate, are scaled together to the robots' limits, which keeps the direction.
    """
    result: Array = _twist(
        len(pose), desired, pose, fleet.max_speed, fleet.max_turn_rate, fleet.wheel_base, params.look_ahead
    )  # fmt: skip
    return result


def _point_loop(pose, velocity, look_ahead, period, point, moving):  # type: ignore[no-untyped-def]
    for i in prange(len(pose)):
        x, y = look_ahead * np.cos(pose[i, 2]), look_ahead * np.sin(pose[i, 2])
        point[i, 0], point[i, 1] = pose[i, 0] + x, pose[i, 1] + y
        vx, vy, turn = velocity[i, 0] - velocity[i, 2] * y, velocity[i, 1] + velocity[i, 2] * x, velocity[i, 2] * period
        if turn != 0.0:
            c, s = np.cos(turn), np.sin(turn)
            vx, vy = c * vx + s * vy, c * vy - s * vx
        moving[i, 0], moving[i, 1] = vx, vy


def _twist_loop(desired, pose, max_speed, max_turn_rate, wheel_base, look_ahead):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.zeros((n, 3))
    for i in prange(n):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        forward = c * desired[i, 0] + s * desired[i, 1]
        rate = (c * desired[i, 1] - s * desired[i, 0]) / look_ahead
        fastest = abs(forward) + 0.5 * wheel_base[i] * abs(rate)
        over = max(fastest / max_speed[i], abs(rate) / max_turn_rate[i], 1.0)
        result[i, 0], result[i, 2] = forward / over, rate / over
    return result


_point = Kernel(_point_loop)
_twist = Kernel(_twist_loop)


def wheel_speeds(forward: Array, rate: Array, wheel_base: Array) -> Array:
    """Speeds of the left and right wheel, (2, n) m/s, for speed ``forward`` (n,) m/s and turn ``rate`` (n,) rad/s."""
    half = 0.5 * wheel_base * rate
    return np.stack((forward - half, forward + half))
