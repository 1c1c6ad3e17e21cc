"""Fence: no robot leaves a polygon, whatever it is commanded; it slows, then stops.

The floor is the polygon shrunk by footprint and margin: where the signed distance to the polygon's border, positive inside, is at
least ``radius + margin``. A command is followed through the model's own motion for the horizon H, the longest that a robot obeys it
(``command_timeout``). If braking as hard as the robot can, from any point of that way, ends on the floor, the command may stay as it
is; else its speed is cut to the largest share that does. So a robot from which braking ends on the floor stays one, by induction, and
a command that is the last one, because its node has died, does not lead out either.

Robots that take up commands only now and then, as one-legged ones do, have a ``reaction`` time, after which a command acts at the latest.
Their command is followed as if they went on for that time as they move now, then obeyed, and as if they had the commanded velocity at
once and went on with it for that time when they are to brake; and in the directions that it may have when they have turned till then as
fast as they can. All that must end on the floor.

A robot that is outside, put there or pushed, may move only inwards: on its way it never comes to be further out than by braking, and
it gains at least a fifth of its way.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from swarm_control.core.compiled import Compiled, Kernel, prange
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet
from swarm_control.safety.crossing import crossing_sides
from swarm_control.safety.polygon_distance import least_distance, signed_distance

STEP = 0.01
"""Longest step (s) in which a command's way is followed."""

INWARDS = 0.2
"""Share of a way that must lead inwards, for robots that are outside."""

SHARES, HALVINGS = 8, 4
"""Speeds tried: this many shares of the wish, the best then refined by halving so often."""

LIMIT: Any = None
TOP_RATE: Any = None
FOLLOW: Any = None
"""In the kernels below: what the model's :class:`~swarm_control.core.robot.Stopping` says."""


def polygon(corners: Sequence[float]) -> Array:
    """Corners (K, 2) m from the flat list x0, y0, x1, y1, …; empty when there are none. ``ValueError`` unless the polygon is simple."""
    flat = np.asarray(corners, float)
    if flat.size == 0:
        return np.empty((0, 2))
    if flat.size % 2 or flat.size < 6:
        raise ValueError(f"{flat.size} numbers found, expected x and y of at least three corners")
    points = flat.reshape(-1, 2)
    if not np.isfinite(points).all():
        raise ValueError("a corner that is not finite found, expected finite numbers")
    crossing = crossing_sides(points)
    if crossing is not None:
        raise ValueError(f"sides {crossing[0]} and {crossing[1]} meet, expected a polygon that does not touch or cross itself")
    return points


def keep_inside(
    twist: Array, pose: Array, velocity: Array, fleet: Fleet, corners: Array, margin: float, horizon: float, period: float = STEP
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Return twists (N, 3) with which no robot leaves the fence, and which were changed (N,).

    ``twist`` (N, 3) is wished, robots' frames; ``pose`` and ``velocity`` (N, 3) are the present ones, world frame; ``corners``
    (K, 2) m. ``margin`` (m) must cover the error and the age of odometry; ``horizon`` (s) is the longest that a command is obeyed, taken
    up to whole steps; a whole number of steps makes a ``period`` (s), at whose end the next command comes.
    Robots of models without :class:`~swarm_control.core.robot.Stopping` keep their wish: they are of squads without a fence, see
    ``scenario/safeguards.py``.
    """
    result, changed = twist.copy(), np.zeros(len(fleet), bool)
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    step = period / np.ceil(period / STEP - 1e-9)
    steps = int(np.ceil(horizon / step - 1e-9))
    for model, robots in fleet.of_models:
        if model.stopping is None:
            continue
        where = (robots, corners, pose, velocity, limits, fleet.radius + margin)
        how = (model.rolls, model.turns_in_place, model.stopping.reaction, model.stopping.braking)
        _fence(model)(len(robots), *where, *how, steps, step, result, changed)
    return result, changed


def clearance(corners: Array, points: Array) -> Array:
    """Signed distance (n,) m from ``points`` (n, 2) to the polygon's border, positive inside."""
    return np.array([signed_distance(corners, x, y) for x, y in points])


def _follow(  # type: ignore[no-untyped-def]
    i, rolls, pose, velocity, limits, wait, reaction, swing, braking, forward, left, rate, corners, steps, dt
):  # fmt: skip
    """Go on for ``wait``, turn by ``swing``, follow a twist for ``steps`` of ``dt``; at each of their ends, and before, brake: ``reaction``
    later. A robot that changes its velocity at once in each step, as engines do, and one that does so evenly both go that way.

    Returns the least signed distance to the border on all that, the one where the last braking ends, and the length of the way.
    """
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    x, y, yaw, vx, vy, way = pose[i, 0], pose[i, 1], pose[i, 2], velocity[i, 0], velocity[i, 1], 0.0
    speed, hardest = np.cos(yaw) * vx + np.sin(yaw) * vy, min(max_acceleration[i], braking)
    a = np.inf if reaction > 0.0 or (wait > 0.0 and np.hypot(forward, left) > np.hypot(vx, vy)) else hardest
    if wait > 0.0:
        x, y, way = x + vx * wait, y + vy * wait, np.hypot(vx, vy) * wait
    yaw += swing
    forward, left, rate = LIMIT(forward, left, rate, max_speed[i], max_turn_rate[i], wheel_base[i])
    lowest, last, exact_x, exact_y = np.inf, 0.0, x, y
    for k in range(steps + 1):
        if rolls:
            vx, vy = speed * np.cos(yaw), speed * np.sin(yaw)
        brake = reaction + np.hypot(vx, vy) / (2.0 * hardest)
        low, last = least_distance(corners, x, y, x + brake * vx, y + brake * vy)
        lowest = min(lowest, low)
        if k > 0 and reaction == 0.0:
            low, also = least_distance(corners, exact_x, exact_y, exact_x + brake * vx, exact_y + brake * vy)
            lowest, last = min(lowest, low), min(last, also)
        if k == steps:
            way += np.hypot(brake * vx, brake * vy)
            break
        if not rolls:
            yaw += rate * dt
            dx, dy = np.cos(yaw) * forward - np.sin(yaw) * left - vx, np.sin(yaw) * forward + np.cos(yaw) * left - vy
            scale = min(1.0, a * dt / max(np.hypot(dx, dy), 1e-300))
            lag = 0.5 * min(np.hypot(dx, dy) / a, dt)
            exact_x, exact_y = exact_x - lag * scale * dx, exact_y - lag * scale * dy
            vx, vy = vx + scale * dx, vy + scale * dy
            c, s = np.cos(0.5 * rate * dt), np.sin(0.5 * rate * dt)
            mx, my = c * vx + s * vy, c * vy - s * vx
        else:
            change = min(max(forward - speed, -a * dt), a * dt)
            speed += change
            top = TOP_RATE(speed, max_speed[i], max_turn_rate[i], wheel_base[i])
            half = 0.5 * dt * min(max(rate, -top), top)
            mx, my = speed * np.cos(yaw + half), speed * np.sin(yaw + half)
            lag = 0.5 * change * min(abs(change) / a, dt)
            exact_x, exact_y = exact_x - lag * np.cos(yaw + half), exact_y - lag * np.sin(yaw + half)
            yaw += 2.0 * half
        exact_x, exact_y = exact_x + mx * dt, exact_y + my * dt
        x, y, way = x + mx * dt, y + my * dt, way + np.hypot(mx, my) * dt
    return lowest, last, way


def _fence_loop(  # type: ignore[no-untyped-def]
    robots, corners, pose, velocity, limits, room, rolls, turns_in_place, reaction, braking, steps, dt, twist, changed
):  # fmt: skip
    for k in prange(len(robots)):
        i = robots[k]
        forward, left, rate = twist[i, 0], twist[i, 1], twist[i, 2]
        a, bends = min(limits[1][i], braking), rolls and not turns_in_place
        fast = max(np.hypot(velocity[i, 0], velocity[i, 1]), np.hypot(forward, left))
        here = signed_distance(corners, pose[i, 0], pose[i, 1])
        if here - room[i] > fast * steps * dt + 0.5 * fast * fast / a + fast * reaction:
            continue
        stopped = FOLLOW(i, rolls, pose, velocity, limits, 0.0, reaction, 0.0, braking, 0.0, 0.0, 0.0, corners, 0, dt)[0] - room[i]
        good, bad = -1.0, 1.0
        for n in range(SHARES + HALVINGS + 1):
            share = 1.0 - n / SHARES if good < 0.0 else 0.5 * (good + bad)
            turn = rate * share if bends else rate
            wish = (share * forward, share * left, turn)
            low, last, way = FOLLOW(i, rolls, pose, velocity, limits, 0.0, reaction, 0.0, braking, *wish, corners, steps, dt)
            for case in range(6 if reaction > 0.0 else 0):
                wait, swing = (case % 2) * reaction, (case // 2 - 1) * limits[2][i] * reaction
                also = FOLLOW(i, rolls, pose, velocity, limits, wait, reaction - wait, swing, braking, *wish, corners, steps, dt)
                low, last, way = min(low, also[0]), min(last, also[1]), max(way, also[2])
            low, last = low - room[i], last - room[i]
            if low >= 0.0 or (low >= stopped - 1e-9 and stopped < 0.0 and last >= min(0.0, stopped + INWARDS * way)):
                good = share
                if n == 0:
                    break
            else:
                bad = share
        if good == 1.0:
            continue
        changed[i] = True
        twist[i, 0], twist[i, 1] = max(good, 0.0) * forward, max(good, 0.0) * left
        twist[i, 2] = 0.0 if good < 0.0 else (rate * good if bends else rate)


@cache
def _fence(model: RobotModel) -> Kernel:
    assert model.stopping is not None
    follow = Compiled(_follow, model.name, {"LIMIT": model.stopping.limit, "TOP_RATE": model.stopping.top_rate})
    return Kernel(_fence_loop, model.name, FOLLOW=follow)
