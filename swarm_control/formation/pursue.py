"""Slow robots are led back to their course gently: what noise adds to a short way must not turn them.

A robot that rolls reaches a point that is x ahead and y beside it by turning through ``2·atan(y/x)``. At full speed x is large; when a
structure leaves or stops it is a few millimetres, as the noise of y is, and robots would point anywhere. So where the way of one horizon
is shorter than ``L`` the robot is led as in pure pursuit towards its course ``L`` further on: an arc through (X, Y) there has at x ahead
the lateral distance ``Y·x²/(X² + Y²)``.
"""

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.formation.robots import Robots

NEAR = 0.5
"""In L: robots further from their points are not on their course, and are sent there the direct way."""


def eased(target: Array, goal: Array, point: Array, squad: Robots, least: float) -> Array:
    """Targets (M, 2) m, world frame, in place of ``target`` (M, 2), for robots whose points, ``point`` (M, 2) now, move to ``goal`` (M, 2).

    The same where a way is at least ``least`` (m), for robots that do not roll or are sent beside their points, and for those that
    point elsewhere or are far from their points.
    """
    pose, rolls = squad.pose, squad.fleet.column(lambda model: model.rolls) & (target == goal).all(axis=1)
    way = target - point
    length = norm(way)
    gentle = rolls & (length < least) & (length > 1e-9) & (norm(point - pose[:, :2]) < NEAR * least)
    if not gentle.any():
        return target
    ahead = rotate(target - pose[:, :2], -pose[:, 2])
    far = rotate(point + way * (least / np.maximum(length, 1e-9))[:, None] - pose[:, :2], -pose[:, 2])
    gentle &= np.abs(far[:, 1]) < np.abs(far[:, 0])
    side = far[:, 1] * ahead[:, 0] ** 2 / np.maximum((far**2).sum(axis=1), 1e-18)
    led = pose[:, :2] + rotate(np.column_stack((ahead[:, 0], side)), pose[:, 2])
    return np.where(gentle[:, None], led, target)
