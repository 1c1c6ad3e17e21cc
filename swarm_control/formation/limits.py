"""What robots can do of a structure's motion: the speed and the change of it that every point of the structure keeps within."""

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive


def speeds(points: Array, pose: Array, twist: Array, fleet: Fleet) -> Array:
    """Speed (N,) m/s that each robot needs, of its faster wheel, when the structure at ``pose`` moves with ``twist`` (3,), world frame."""
    arm = rotate(points, pose[2])
    point = norm(twist[:2] + twist[2] * np.stack((-arm[:, 1], arm[:, 0]), axis=-1))
    return point + 0.5 * abs(float(twist[2])) * fleet.wheel_base


def limit(
    points: Array, pose: Array, wish: Array, last: Array | None, fleet: Fleet, end: Array | None, period: float, horizon: float,
    params: Drive,
) -> Array:  # fmt: skip
    """Cut the way from ``pose`` to ``wish`` (3,) to what the robots can do in one ``horizon`` (s); return the pose (3,) to aim at.

    Limits the speed of every point. Unless ``last`` is None also brakes in time for ``end``, translation and turn each by itself, and
    limits in one ``period`` the change from ``last`` (3,), the structure's last wished velocity, per s.
    """
    twist = limited_speed(points, pose, (wish - pose) / horizon, fleet, None if last is None else end, horizon, params)
    return pose + horizon * (twist if last is None else limited_change(points, pose, twist, last, fleet, period, params))


def limited_speed(points: Array, pose: Array, twist: Array, fleet: Fleet, end: Array | None, horizon: float, params: Drive) -> Array:
    """The ``twist`` (3,) cut so that no point is too fast, and unless ``end`` is None all brake in time: the way there is twist·H."""
    top = np.minimum(params.speed_share * fleet.max_speed, params.max_speed)
    if end is not None:
        brake = params.acceleration_share * fleet.max_acceleration
        go, turn = (_braked(points, pose, twist * part, fleet, top, brake, horizon) for part in _PARTS)
        twist = go + turn
    need = speeds(points, pose, twist, fleet)
    return twist / max(1.0, float((need / top).max()), abs(float(twist[2])) / params.max_turn_rate)


def limited_change(points: Array, pose: Array, twist: Array, last: Array, fleet: Fleet, period: float, params: Drive) -> Array:
    """The ``twist`` (3,) no further from ``last`` (3,) than robots can change their speeds in one ``period`` (s)."""
    change = twist - last
    sharp = float((speeds(points, pose, change, fleet) / (params.acceleration_share * fleet.max_acceleration * period)).max())
    return twist if sharp <= 1.0 else last + change / sharp


_PARTS = (np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))


def _braked(points: Array, pose: Array, twist: Array, fleet: Fleet, top: Array, brake: Array, horizon: float) -> Array:
    """The twist (3,), cut so that each point can stop at the way's end: speed s needs ``s·H + s²/(2a)``. The way is twist·H."""
    need = speeds(points, pose, twist, fleet)
    stop = np.sqrt((brake * horizon) ** 2 + 2.0 * brake * need * horizon) - brake * horizon
    return twist / max(1.0, float((need / np.maximum(np.minimum(top, stop), 1e-12)).max()))
