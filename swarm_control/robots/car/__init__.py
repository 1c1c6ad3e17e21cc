"""Car: a bicycle-like vehicle that cannot turn on the spot.

Its twist is a forward speed v and a turn rate ω with ``|ω| ≤ |v|/R``; R, the least turning radius, is ``max_speed/max_turn_rate``:
the turn rate is the one at top speed and full lock. It may reverse. An acceleration becomes a command through a point ahead of the
rear axle, as for the differential drive.
"""

import numpy as np

from swarm_control.core.actuation import along, clip, heard, roll
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array
from swarm_control.core.motion import Motion
from swarm_control.core.robot import RobotModel, StageDrive, Stopping, register_robot
from swarm_control.core.state import Fleet
from swarm_control.robots import differential
from swarm_control.robots.differential import control_point, lead
from swarm_control.robots.omni import predict

CREEP = 0.25
"""A car that must turn to get anywhere creeps at up to this share of its top speed."""

STEADY = 0.8
"""It creeps for this share of the turn that it is asked for: with all of it a circle, once begun, would ask for itself."""

__all__ = ["control_point", "predict", "steer", "turning_radius", "twist"]


def turning_radius(fleet: Fleet) -> Array:
    """Least turning radius (n,) m."""
    return fleet.max_speed / fleet.max_turn_rate


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the car's frame that brings the control point nearest to the ``desired`` velocity (n, 2), world frame.

    As for the differential drive. A car that is slow creeps on where that turns tighter than its speed allows, and turns as tightly as it
    can: what is beside a car is reached on a curve.
    """
    command = differential.twist(desired, pose, fleet, params, period)
    radius, speed = turning_radius(fleet), np.abs(command[:, 0])
    creep = np.minimum(np.minimum(STEADY * np.abs(command[:, 2]) * radius, np.hypot(desired[:, 0], desired[:, 1])), CREEP * fleet.max_speed)
    command[:, 0] = np.where(creep > speed, np.where(command[:, 0] < 0.0, -creep, creep), command[:, 0])
    limit = np.abs(command[:, 0]) / radius
    command[:, 2] = np.clip(command[:, 2], -limit, limit)
    return command


@njit(cache=True)
def steer(dx, dy, speed, max_speed, gain, max_turn_rate, horizon):  # type: ignore[no-untyped-def]
    """Twist that drives the car to, or nearest to, the point (``dx``, ``dy``) m in its frame within ``horizon`` s.

    Beyond the least turning circle: the tangent arc through the point. Inside it: full lock, to the point of that circle that is
    nearest to the target. ``gain`` (m/s) bounds the change of ``speed``; braking keeps the curvature.
    """
    radius = max_speed / max_turn_rate
    square = dx * dx + dy * dy
    if square < 1e-18:
        curvature, length = 0.0, 0.0
    else:
        curvature = 2.0 * dy / square
        if abs(curvature) * radius > 1.0:
            curvature = np.sign(curvature) / radius
        bent = abs(curvature)
        # the angle at the circle's centre, from the car to the direction of the target, the short way round
        length = dx if bent < 1e-9 else np.arctan2(dx * bent, 1.0 - dy * curvature) / bent
    wish = min(max(length / horizon, -max_speed), max_speed)
    forward = min(max(wish, speed - gain), speed + gain)
    return forward, 0.0, curvature * forward


@njit(cache=True)
def steer_to(dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base, horizon):  # type: ignore[no-untyped-def]
    """:func:`steer` as every model is asked."""
    return steer(dx, dy, forward, max_speed, gain, max_turn_rate, horizon)


@njit(cache=True)
def limit(forward, left, rate, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """The speed cut to the top speed; the turn rate is bounded by the speed, see :func:`top_rate`."""
    return min(max(forward, -max_speed), max_speed), 0.0, rate


@njit(cache=True)
def top_rate(speed, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """It turns no tighter than at full lock."""
    return min(abs(speed) / max_speed, 1.0) * max_turn_rate


def _actuate_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Speed up to the top speed, |Δv| ≤ a·dt, turning no tighter than at full lock: |ω| ≤ |v|·max_turn_rate/max_speed."""
    max_speed, max_acceleration, max_turn_rate, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        wish, _, rate = heard(twist, i)
        speed = along(i, old_pose, old_velocity)
        speed += clip(clip(wish, max_speed[i]) - speed, max_acceleration[i] * dt)
        rate = clip(rate, min(abs(speed) / max_speed[i], 1.0) * max_turn_rate[i])
        roll(i, speed, rate, old_pose, dt, move, pose, velocity)


register_robot(
    RobotModel(
        name="car", help="Car: a bicycle-like vehicle that cannot turn on the spot.",
        control_point=control_point, lead=lead, twist=twist, predict=predict, steer=steer_to, rolls=True, turns_in_place=False,
        stopping=Stopping(limit, top_rate), actuate=Kernel(_actuate_loop), gazebo="glides",
        stage=StageDrive(
            "diff", reads="car", notice="a car obeys speed and turn rate as they come; its turning circle is kept by the motion model alone"
        ),
    )
)  # fmt: skip
