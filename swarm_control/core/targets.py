"""From target points to commands, and where these commands lead: the two questions a formation asks of its robots.

Each model answers for one robot in its compiled function ``steer``; here they are put together, so that a fleet may mix models and
many candidate targets are judged in one call. Prediction is the exact arc of a constant twist, for every model.
"""

from functools import cache
from typing import Any

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, wrap
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet

STEER: Any = None
"""In the kernels below: the model's own function."""


def command_for_target(pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float) -> Array:
    """Twist (n, 3), robot's frame, that brings each robot as near to its ``target`` (n, 2) m as it can get in ``horizon`` s.

    ``pose`` (n, 3) and ``target`` are in the world frame, ``previous`` (n, 3) is the last command: accelerations over ``period`` (s)
    are limited with regard to it. A target that is not finite makes the robot brake to a stop.
    """
    twist: Array = np.empty((1, len(pose), 3))
    _ends(pose, target[None], previous, fleet, period, horizon, twist)
    result: Array = twist[0]
    return result


def reach(pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float) -> Array:
    """Where robots end, (K, n, 2) m, if they are given K sets of ``target`` (K, n, 2) m and keep the command for ``horizon`` s.

    The same as :func:`predict` of :func:`command_for_target`, in one call.
    """
    return _ends(pose, target, previous, fleet, period, horizon, np.empty((0, 0, 3)))


def _ends(pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float, twist: Array) -> Array:
    end = np.empty(target.shape)
    target = np.ascontiguousarray(target)
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    for model, robots in fleet.of_models:
        _reach(model)(len(target) * len(robots), robots, pose, target, previous, limits, period, horizon, twist, end)
    return end


def naive_command(pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, turn_gain: float) -> Array:
    """Twist (n, 3) by the naive wheel control (Lewis & Tan eqs 4–6), for comparison; models without one steer as in
    :func:`command_for_target`.
    """
    twist = command_for_target(pose, target, previous, fleet, period, period)
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    for model, robots in fleet.of_models:
        if model.naive_steer is not None:
            _naive(model)(len(robots), robots, pose, target, previous, limits, period, turn_gain, twist)
    return twist


def predict(pose: Array, twist: Array, dt: Array) -> Array:
    """Pose (n, 3) after obeying ``twist`` (n, 3), robot's frame, for ``dt`` (n,) s: the exact arc, any model."""
    result = np.empty(pose.shape)
    _predict(len(pose), pose, twist, dt, result)
    return result


def turn_to(pose: Array, heading: Array, previous: Array, fleet: Fleet, period: float) -> Array:
    """Twist (n, 3) that turns robots on the spot to ``heading`` (n,) rad; zero where it is NaN and for robots that cannot.

    Turn rates brake in time, half as hard as they could: ``s·T + s²/a ≤`` the remaining angle, a being the turn acceleration that the
    wheels, or the rim of robots without, allow.
    """
    lever, turns = fleet.radius.copy(), np.ones(len(fleet), bool)
    for model, robots in fleet.of_models:
        turns[robots] = model.turns_in_place
        if model.wheels:
            lever[robots] = 0.5 * fleet.wheel_base[robots]
    error = np.nan_to_num(wrap(heading - pose[:, 2]))
    a = fleet.max_acceleration / lever
    a_wheel = (fleet.max_acceleration * period)[:, None]
    top = np.minimum(fleet.max_turn_rate, fleet.max_speed / lever)
    rate = np.sqrt((0.5 * a * period) ** 2 + a * np.abs(error)) - 0.5 * a * period
    rate = np.sign(error) * np.minimum(np.minimum(rate, np.abs(error) / period), top)
    rate = np.clip(rate, previous[:, 2] - a * period, previous[:, 2] + a * period)
    slower = previous[:, :2] - np.clip(previous[:, :2], -a_wheel, a_wheel)
    return np.column_stack((slower, np.where(~turns | np.isnan(heading), 0.0, rate)))


@njit(cache=True)
def arc_chord(forward, left, rate, dt):  # type: ignore[no-untyped-def]
    """Displacement (x, y) in the robot's frame at the start of the arc that a constant twist drives in ``dt``."""
    half = 0.5 * rate * dt
    s, c = np.sin(half), np.cos(half)
    chord = dt if abs(half) < 1e-9 else dt * s / half
    return chord * (c * forward - s * left), chord * (s * forward + c * left)


def _reach_loop(robots, pose, target, previous, limits, period, horizon, twist, end):  # type: ignore[no-untyped-def]
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    for r in prange(len(robots)):
        i = robots[r]
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        gain = max_acceleration[i] * period
        old_u, old_v, old_w = previous[i, 0], previous[i, 1], previous[i, 2]
        for k in range(len(end)):
            tx, ty = target[k, i, 0] - pose[i, 0], target[k, i, 1] - pose[i, 1]
            if not (np.isfinite(tx) and np.isfinite(ty)):
                tx, ty = 0.0, 0.0
            u, v, w = STEER(
                c * tx + s * ty, c * ty - s * tx, old_u, old_v, old_w, max_speed[i], gain, max_turn_rate[i], 0.5 * wheel_base[i], horizon
            )
            if k < len(twist):
                twist[k, i, 0], twist[k, i, 1], twist[k, i, 2] = u, v, w
            x, y = arc_chord(u, v, w, horizon)
            end[k, i, 0], end[k, i, 1] = pose[i, 0] + c * x - s * y, pose[i, 1] + s * x + c * y


def _naive_loop(robots, pose, target, previous, limits, period, turn_gain, twist):  # type: ignore[no-untyped-def]
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    for r in prange(len(robots)):
        i = robots[r]
        tx, ty = target[i, 0] - pose[i, 0], target[i, 1] - pose[i, 1]
        if np.isfinite(tx) and np.isfinite(ty):
            c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
            u, v, w = STEER(
                c * tx + s * ty, c * ty - s * tx, previous[i, 0], previous[i, 1], previous[i, 2], max_speed[i],
                max_acceleration[i] * period, max_turn_rate[i], 0.5 * wheel_base[i], period, turn_gain,
            )  # fmt: skip
            twist[i, 0], twist[i, 1], twist[i, 2] = u, v, w


def _predict_loop(pose, twist, dt, result):  # type: ignore[no-untyped-def]
    for i in prange(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        x, y = arc_chord(twist[i, 0], twist[i, 1], twist[i, 2], dt[i])
        result[i, 0], result[i, 1] = pose[i, 0] + c * x - s * y, pose[i, 1] + s * x + c * y
        result[i, 2] = (pose[i, 2] + twist[i, 2] * dt[i] + np.pi) % (2.0 * np.pi) - np.pi


@cache
def _reach(model: RobotModel) -> Kernel:
    return Kernel(_reach_loop, model.name, STEER=model.steer)


@cache
def _naive(model: RobotModel) -> Kernel:
    return Kernel(_naive_loop, model.name, STEER=model.naive_steer)


_predict = Kernel(_predict_loop)
