"""From a structure's goals, or a joystick, to orders."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Map
from swarm_control.formation.drive import Order, Path, ToPose, Velocity
from swarm_control.formation.field import Pull
from swarm_control.formation.parameters import FormationParameters
from swarm_control.runtime.timed_ways import met
from swarm_control.scenario.schema import Goal

SAMPLES = 0.02
"""Time (s) between the points of a timed way."""


def steered(pose: Array, twist: Array) -> Velocity:
    """Move at ``twist`` (3,): vx, vy (m/s), ω (rad/s), from ``pose`` (3,).

    Going straight, the yaw is held: a robot that stops does not make the others circle around it; turning, the place.
    """
    turning = bool(twist[2])
    return Velocity(twist, heading=None if turning else float(pose[2]), place=pose[:2] if turning and not twist[:2].any() else None)


def order_for(pose: Array, goals: Sequence[Goal], free_until: Callable[[Path], float]) -> tuple[Order, list[float]]:
    """The order for a structure at ``pose`` (3,) with these ``goals`` before it: to the first, or through all that are timed in a row.

    Also when (s, the order's clock) goals are passed on a timed way. That leads to the last goal before ``free_until`` says that walls are
    in the way. Where that is before the first, its time is not kept, which a line says: the way there is to be planned.
    """
    row = next((k for k, goal in enumerate(goals) if goal.time == 0.0), len(goals))
    while row > 0:
        path, passes = timed(pose, goals[:row])
        until = free_until(path)
        free = sum(time < until for time in passes)
        if free == row:
            return path, passes
        row = free
    if goals[0].time > 0.0:
        x, y = goals[0].position
        warnings.warn(
            f"goal ({x:.4g}, {y:.4g}): its timed way leads into {met(path, until)}; its time of {goals[0].time:.4g} s is not kept",
            RuntimeWarning, stacklevel=2,
        )  # fmt: skip
    return ToPose(pose_of(goals[0])), []


def in_field(order: Order, params: FormationParameters, map: Map | None, radius: float) -> Order:
    """The ``order``, but a goal draws robots of ``radius`` (m) by a field of forces if the parameters say so now."""
    if not isinstance(order, (ToPose, Pull)):
        return order
    return Pull(order.goal, params.force_field, map, radius) if params.force_field.enabled else ToPose(order.goal)


def pose_of(goal: Goal) -> Array:
    """Pose (3,) of a structure at a goal."""
    return np.array([*goal.position, np.deg2rad(goal.heading)])


def timed(start: Array, goals: Sequence[Goal]) -> tuple[Path, list[float]]:
    """A smooth timed way from rest at ``start`` (3,) through ``goals`` to rest: cubic in between; and when each goal is passed, s."""
    from scipy.interpolate import CubicSpline

    times = np.concatenate(([0.0], np.cumsum([goal.time for goal in goals])))
    poses = np.array([start, *(pose_of(goal) for goal in goals)])
    poses[:, 2] = np.unwrap(poses[:, 2])
    at = np.linspace(0.0, times[-1], max(int(np.ceil(times[-1] / SAMPLES)), 1) + 1)
    return Path(at, CubicSpline(times, poses, bc_type="clamped")(at)), [float(t) for t in times[1:]]
