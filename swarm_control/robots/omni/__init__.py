"""Omnidirectional robot: any velocity in the plane, and it turns to face its course."""

import numpy as np

from swarm_control.core.actuation import approach, clip, heard, shorten, sinc
from swarm_control.core.actuation import wrap as wrapped
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.motion import Motion
from swarm_control.core.robot import RobotModel, StageDrive, Stopping, register_robot
from swarm_control.core.state import Fleet


def control_point(pose: Array, velocity: Array, params: Motion, period: float) -> tuple[Array, Array]:
    """The centre: position (n, 2) and mean velocity (n, 2) over the last ``period`` (s), world frame.

    A robot that turns at ω carries its velocity with it: ``velocity`` is by ω·T/2 further than the mean, which is what was desired.
    Built on the former, every tick of turning would bend the course.
    """
    mean = np.empty((len(pose), 2))
    _mean_velocity(len(pose), velocity, period, mean)
    return pose[:, :2], mean


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame, over the next ``period`` (s).

    The turn rate is ``heading_gain`` times the angle to the course. The velocity is expressed in the heading half-way through the
    period, so that the robot moves in the ``desired`` direction, as the separation filter must be able to rely on.
    """
    result: Array = _twist(len(pose), desired, pose, fleet.max_turn_rate, params.heading_gain, period)
    return result


def _twist_loop(desired, pose, max_turn_rate, gain, period):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.zeros((n, 3))
    for i in prange(n):
        x, y, rate = desired[i, 0], desired[i, 1], 0.0
        if gain > 0.0 and x * x + y * y > 1e-4:
            error = np.arctan2(y, x) - pose[i, 2]
            error -= 2.0 * np.pi * np.floor((error + np.pi) / (2.0 * np.pi))
            limit = min(max_turn_rate[i], np.pi / period)
            rate = min(max(gain * error, -limit), limit)
        heading = pose[i, 2] + 0.5 * rate * period
        c, s = np.cos(heading), np.sin(heading)
        result[i, 0], result[i, 1], result[i, 2] = c * x + s * y, c * y - s * x, rate
    return result


def _mean_velocity_loop(velocity, period, mean):  # type: ignore[no-untyped-def]
    for i in prange(len(velocity)):
        x, y, half = velocity[i, 0], velocity[i, 1], 0.5 * period * velocity[i, 2]
        if half != 0.0:
            c, s = np.cos(half), np.sin(half)
            x, y = c * x + s * y, c * y - s * x
        mean[i, 0], mean[i, 1] = x, y


_twist = Kernel(_twist_loop)
_mean_velocity = Kernel(_mean_velocity_loop)


def predict(pose: Array, command: Array, dt: float) -> Array:
    """Pose (n, 3) after obeying ``command`` (n, 3) for ``dt`` (s): the exact arc of a constant twist."""
    turn = command[:, 2] * dt
    half = 0.5 * turn
    chord = np.sinc(half / np.pi)[:, None] * dt
    moved = rotate(command[:, :2] * chord, pose[:, 2] + half)
    return np.column_stack((pose[:, :2] + moved, wrap(pose[:, 2] + turn)))


@njit(cache=True)
def steer(dx, dy, forward, left, max_speed, gain, horizon):  # type: ignore[no-untyped-def]
    """Twist that brings the robot to, or nearest to, the point (``dx``, ``dy``) m in its frame within ``horizon`` s.

    It keeps its heading. The velocity is the one nearest to the wish in the disc of ``max_speed`` and in the disc of ``gain`` (m/s)
    around the last velocity (``forward``, ``left``).
    """
    x, y = dx / horizon, dy / horizon
    square, change = x * x + y * y, (x - forward) ** 2 + (y - left) ** 2
    if square > max_speed * max_speed:
        scale = max_speed / np.sqrt(square)
        ax, ay = scale * x, scale * y
        if change <= gain * gain or (ax - forward) ** 2 + (ay - left) ** 2 <= gain * gain:
            x, y, change = ax, ay, 0.0
    if change > gain * gain:
        scale = gain / np.sqrt(change)
        ax, ay = forward + scale * (x - forward), left + scale * (y - left)
        if ax * ax + ay * ay > max_speed * max_speed:
            ax, ay = _corner(x, y, forward, left, max_speed, gain)
        x, y = ax, ay
    return x, y, 0.0


@njit(cache=True)
def _corner(x, y, forward, left, max_speed, gain):  # type: ignore[no-untyped-def]
    """Where the circle of ``max_speed`` around rest meets the circle of ``gain`` around the last velocity, on the side of the wish."""
    old = np.sqrt(forward * forward + left * left)
    along = min((old * old + max_speed * max_speed - gain * gain) / (2.0 * old), max_speed)
    across = np.sqrt(max_speed * max_speed - along * along)
    ux, uy = forward / old, left / old
    if ux * y - uy * x < 0.0:
        across = -across
    return ux * along - uy * across, uy * along + ux * across


@njit(cache=True)
def steer_to(dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base, horizon):  # type: ignore[no-untyped-def]
    """:func:`steer` as every model is asked."""
    return steer(dx, dy, forward, left, max_speed, gain, horizon)


@njit(cache=True)
def limit(forward, left, rate, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """The twist shortened to the robot's limits."""
    scale = max_speed / max(np.hypot(forward, left), max_speed)
    return scale * forward, scale * left, min(max(rate, -max_turn_rate), max_turn_rate)


@njit(cache=True)
def top_rate(speed, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """It turns as fast at any speed."""
    return max_turn_rate


def _actuate_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Any velocity up to the top speed; its change (world frame) is bounded: |Δv| ≤ a·dt. The velocity is the one at the step's end."""
    max_speed, max_acceleration, max_turn_rate, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        forward, left, rate = heard(twist, i)
        forward, left = shorten(forward, left, max_speed[i])
        rate = clip(rate, max_turn_rate[i])
        half = 0.5 * rate * dt
        c, s = np.cos(old_pose[i, 2] + 2.0 * half), np.sin(old_pose[i, 2] + 2.0 * half)
        vx, vy, _ = approach(
            old_velocity[i, 0], old_velocity[i, 1], c * forward - s * left, s * forward + c * left, max_acceleration[i] * dt
        )
        # the chord of the arc lies half a step's turn before the velocity at its end
        c, s, chord = np.cos(half), np.sin(half), sinc(half) * dt
        move[i, 0], move[i, 1] = chord * (c * vx + s * vy), chord * (c * vy - s * vx)
        pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], wrapped(old_pose[i, 2] + 2.0 * half)
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = vx, vy, rate


register_robot(
    RobotModel(
        name="omni", help="Omnidirectional robot: any velocity in the plane, and it turns to face its course.",
        control_point=control_point, twist=twist, predict=predict, steer=steer_to, stopping=Stopping(limit, top_rate),
        actuate=Kernel(_actuate_loop), stage=StageDrive("omni", reads="omni"), gazebo="glides",
    )
)  # fmt: skip
