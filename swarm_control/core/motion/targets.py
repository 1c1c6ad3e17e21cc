"""From target points to commands, and where these commands lead: the two questions a formation asks of its robots.

Each model answers for one robot in a compiled function ``steer``; here they are put together, so that a fleet may mix models and
many candidate targets are judged in one call. Prediction is the exact arc of a constant twist, for every model.
"""

import numpy as np
from numba import njit, prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.motion import car, omni, wheels
from swarm_control.core.state import Fleet

CODES = {"omni": 0, "point_mass": 0, "hopper": 0, "differential": 1, "hexapod": 1, "car": 2, "bicycle": 2}


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
    _reach(
        end.size // 2, model_codes(fleet), pose, np.ascontiguousarray(target), previous, fleet.max_speed, fleet.max_acceleration,
        fleet.max_turn_rate, fleet.wheel_base, period, horizon, twist, end,
    )  # fmt: skip
    return end


def naive_command(pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, turn_gain: float) -> Array:
    """Twist (n, 3) by the naive wheel control (Lewis & Tan eqs 4–6), for comparison; other models than the differential drive
    steer as in :func:`command_for_target`.
    """
    twist = command_for_target(pose, target, previous, fleet, period, period)
    _naive(
        len(pose), model_codes(fleet), pose, target, previous, fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate,
        fleet.wheel_base, period, turn_gain, twist,
    )  # fmt: skip
    return twist


def predict(pose: Array, twist: Array, dt: Array) -> Array:
    """Pose (n, 3) after obeying ``twist`` (n, 3), robot's frame, for ``dt`` (n,) s: the exact arc, any model."""
    result = np.empty(pose.shape)
    _predict(len(pose), pose, twist, dt, result)
    return result


def turn_to(pose: Array, heading: Array, previous: Array, fleet: Fleet, period: float) -> Array:
    """Twist (n, 3) that turns robots on the spot to ``heading`` (n,) rad; zero where it is NaN and for cars, which cannot.

    Turn rates brake in time: ``s·T + s²/(2a) ≤`` the remaining angle, a being the turn acceleration that the wheels allow.
    """
    codes = model_codes(fleet)
    lever = np.where(codes == 1, 0.5 * fleet.wheel_base, fleet.radius)
    error = np.nan_to_num((heading - pose[:, 2] + np.pi) % (2.0 * np.pi) - np.pi)
    a = fleet.max_acceleration / lever
    a_wheel = (fleet.max_acceleration * period)[:, None]
    top = np.minimum(fleet.max_turn_rate, fleet.max_speed / lever)
    rate = np.sqrt((0.5 * a * period) ** 2 + a * np.abs(error)) - 0.5 * a * period
    rate = np.sign(error) * np.minimum(np.minimum(rate, np.abs(error) / period), top)
    rate = np.clip(rate, previous[:, 2] - a * period, previous[:, 2] + a * period)
    slower = previous[:, :2] - np.clip(previous[:, :2], -a_wheel, a_wheel)
    return np.column_stack((slower, np.where((codes == 2) | np.isnan(heading), 0.0, rate)))


def model_codes(fleet: Fleet) -> IntArray:
    """Each robot's motion model as a number (n,), see :data:`CODES`."""
    codes = np.zeros(len(fleet), np.int64)
    for name, robots in fleet.models.items():
        codes[robots] = CODES[name]
    return codes


@njit(cache=True)
def arc_chord(forward, left, rate, dt):  # type: ignore[no-untyped-def]
    """Displacement (x, y) in the robot's frame at the start of the arc that a constant twist drives in ``dt``."""
    half = 0.5 * rate * dt
    s, c = np.sin(half), np.cos(half)
    chord = dt if abs(half) < 1e-9 else dt * s / half
    return chord * (c * forward - s * left), chord * (s * forward + c * left)


def _reach_loop(  # type: ignore[no-untyped-def]
    codes, pose, target, previous, max_speed, max_acceleration, max_turn_rate, wheel_base, period, horizon, twist, end
):  # fmt: skip
    for i in prange(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        gain = max_acceleration[i] * period
        old_u, old_v, old_w = previous[i, 0], previous[i, 1], previous[i, 2]
        for k in range(len(end)):
            tx, ty = target[k, i, 0] - pose[i, 0], target[k, i, 1] - pose[i, 1]
            if not (np.isfinite(tx) and np.isfinite(ty)):
                tx, ty = 0.0, 0.0
            dx, dy = c * tx + s * ty, c * ty - s * tx
            if codes[i] == 1:
                u, v, w = wheels.steer(dx, dy, old_u, old_w, max_speed[i], gain, max_turn_rate[i], 0.5 * wheel_base[i], horizon)
            elif codes[i] == 2:
                u, v, w = car.steer(dx, dy, old_u, max_speed[i], gain, max_turn_rate[i], horizon)
            else:
                u, v, w = omni.steer(dx, dy, old_u, old_v, max_speed[i], gain, horizon)
            if k < len(twist):
                twist[k, i, 0], twist[k, i, 1], twist[k, i, 2] = u, v, w
            x, y = arc_chord(u, v, w, horizon)
            end[k, i, 0], end[k, i, 1] = pose[i, 0] + c * x - s * y, pose[i, 1] + s * x + c * y


def _naive_loop(  # type: ignore[no-untyped-def]
    codes, pose, target, previous, max_speed, max_acceleration, max_turn_rate, wheel_base, period, turn_gain, twist
):  # fmt: skip
    for i in prange(len(pose)):
        tx, ty = target[i, 0] - pose[i, 0], target[i, 1] - pose[i, 1]
        if codes[i] == 1 and np.isfinite(tx) and np.isfinite(ty):
            c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
            u, v, w = wheels.naive_steer(
                c * tx + s * ty, c * ty - s * tx, previous[i, 0], previous[i, 2], max_speed[i], max_acceleration[i] * period,
                max_turn_rate[i], 0.5 * wheel_base[i], period, turn_gain,
            )  # fmt: skip
            twist[i, 0], twist[i, 1], twist[i, 2] = u, v, w


def _predict_loop(pose, twist, dt, result):  # type: ignore[no-untyped-def]
    for i in prange(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        x, y = arc_chord(twist[i, 0], twist[i, 1], twist[i, 2], dt[i])
        result[i, 0], result[i, 1] = pose[i, 0] + c * x - s * y, pose[i, 1] + s * x + c * y
        result[i, 2] = (pose[i, 2] + twist[i, 2] * dt[i] + np.pi) % (2.0 * np.pi) - np.pi


_reach = Kernel(_reach_loop)
_naive = Kernel(_naive_loop)
_predict = Kernel(_predict_loop)
