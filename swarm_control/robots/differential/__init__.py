"""Differential drive: an acceleration becomes wheel speeds through a point ahead of the axle.

The point ``p = x + L·(cos θ, sin θ)`` can move in any direction: its velocity ``w`` and the robot's speed and turn rate are in
one-to-one relation, ``v = w·e``, ``ω = w·e⊥/L`` (input–output linearisation, e.g. Siciliano et al., Robotics, §11.6). A shorter L
follows more closely and turns more sharply.
"""

import numpy as np

from swarm_control.core.actuation import along, clip, heard, roll
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array
from swarm_control.core.motion import Motion
from swarm_control.core.robot import RobotModel, StageDrive, Stopping, register_robot
from swarm_control.core.state import Fleet
from swarm_control.robots.differential.wheels import arc_for_point, naive_steer, point_of_arc, steer
from swarm_control.robots.omni import predict

__all__ = ["arc_for_point", "control_point", "lead", "limit", "naive_steer", "point_of_arc", "predict", "steer", "twist", "wheel_speeds"]


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


def lead(params: Motion) -> float:
    """How far (m) the control point is ahead of the axle."""
    return params.look_ahead


@njit(cache=True)
def steer_to(dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base, horizon):  # type: ignore[no-untyped-def]
    """:func:`steer` as every model is asked."""
    return steer(dx, dy, forward, rate, max_speed, gain, max_turn_rate, half_base, horizon)


@njit(cache=True)
def naive_steer_to(  # type: ignore[no-untyped-def]
    dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base, period, turn_gain
):  # fmt: skip
    """:func:`naive_steer` as every model is asked."""
    return naive_steer(dx, dy, forward, rate, max_speed, gain, max_turn_rate, half_base, period, turn_gain)


@njit(cache=True)
def limit(forward, left, rate, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """The twist with both wheels, and the turn rate, scaled together to the robot's limits."""
    over = max((abs(forward) + 0.5 * wheel_base * abs(rate)) / max_speed, abs(rate) / max_turn_rate, 1.0)
    return forward / over, 0.0, rate / over


@njit(cache=True)
def top_rate(speed, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """Turning gets what the speed leaves of the wheels'."""
    return 2.0 * max(max_speed - abs(speed), 0.0) / wheel_base


def _actuate_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Two wheels at v ± ω·b/2, scaled together to the top speed; |Δv| ≤ a·dt, and turning gets what v leaves of the wheels' speed."""
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    for k in prange(len(robots)):
        i = robots[k]
        wish, _, rate = heard(twist, i)
        over = max((abs(wish) + 0.5 * wheel_base[i] * abs(rate)) / max_speed[i], abs(rate) / max_turn_rate[i], 1.0)
        speed = along(i, old_pose, old_velocity)
        speed += clip(wish / over - speed, max_acceleration[i] * dt)
        rate = clip(rate / over, 2.0 * max(max_speed[i] - abs(speed), 0.0) / wheel_base[i])
        roll(i, speed, rate, old_pose, dt, move, pose, velocity)


register_robot(
    RobotModel(
        name="differential", help="Differential drive: two wheels; an acceleration becomes wheel speeds through a point ahead of the axle.",
        control_point=control_point, lead=lead, twist=twist, predict=predict, steer=steer_to, naive_steer=naive_steer_to, rolls=True,
        wheels=True, stopping=Stopping(limit, top_rate), actuate=Kernel(_actuate_loop), stage=StageDrive("diff", reads="diff"),
        gazebo="wheels",
    )
)  # fmt: skip
