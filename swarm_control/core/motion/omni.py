"""Omnidirectional robot: any velocity in the plane, and it turns to face its course."""

import numpy as np
from numba import njit, prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.motion.limits import Motion
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
