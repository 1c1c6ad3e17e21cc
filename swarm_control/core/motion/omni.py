"""Omnidirectional robot: any velocity in the plane, and it turns to face its course."""

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate, wrap
from swarm_control.core.motion.limits import Motion
from swarm_control.core.state import Fleet


def control_point(pose: Array, velocity: Array, params: Motion) -> tuple[Array, Array]:
    """The centre: position (n, 2) and velocity (n, 2), world frame."""
    return pose[:, :2], velocity[:, :2]


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame, over the next ``period`` (s).

    The turn rate is ``heading_gain`` times the angle to the course. The velocity is expressed in the heading half-way through the
    period, so that turning does not bend the path.
    """
    error = wrap(np.arctan2(desired[:, 1], desired[:, 0]) - pose[:, 2])
    limit = np.minimum(fleet.max_turn_rate, np.pi / period)
    rate = np.clip(params.heading_gain * error, -limit, limit)
    rate = np.where(norm(desired) > 1e-2, rate, 0.0)
    body = rotate(desired, -(pose[:, 2] + 0.5 * rate * period))
    return np.column_stack((body, rate))


def predict(pose: Array, command: Array, dt: float) -> Array:
    """Pose (n, 3) after obeying ``command`` (n, 3) for ``dt`` (s): the exact arc of a constant twist."""
    turn = command[:, 2] * dt
    half = 0.5 * turn
    chord = np.sinc(half / np.pi)[:, None] * dt
    moved = rotate(command[:, :2] * chord, pose[:, 2] + half)
    return np.column_stack((pose[:, :2] + moved, wrap(pose[:, 2] + turn)))
