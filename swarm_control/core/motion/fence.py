"""Fence: no robot leaves a polygon, whatever it is commanded; it slows, then stops.

The floor is the polygon shrunk by footprint and margin: where the signed distance to the polygon's border, positive inside, is at
least ``radius + margin``. A command is followed through the model's own motion for the horizon H, the longest that a robot obeys it
(``command_timeout``). If braking as hard as the robot can, from any point of that way, ends on the floor, the command may stay as it
is; else its speed is cut to the largest share that does. So a robot from which braking ends on the floor stays one, by induction, and
a command that is the last one, because its node has died, does not lead out either.

A robot that is outside, put there or pushed, may move only inwards: on its way it never comes to be further out than by braking, and
it gains at least a fifth of its way.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit, prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import Fleet

STEP = 0.02
"""Longest step (s) in which a command's way is followed."""

INWARDS = 0.2
"""Share of a way that must lead inwards, for robots that are outside."""

CODES = {"omni": 0, "differential": 1, "car": 2, "point_mass": 3}

SHARES, HALVINGS = 8, 4
"""Speeds tried: this many shares of the wish, the best then refined by halving so often."""


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
    crossing = _crossing(points)
    if crossing is not None:
        raise ValueError(f"sides {crossing[0]} and {crossing[1]} meet, expected a polygon that does not touch or cross itself")
    return points


def keep_inside(
    twist: Array, pose: Array, velocity: Array, fleet: Fleet, corners: Array, margin: float, horizon: float
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Return twists (N, 3) with which no robot leaves the fence, and which were changed (N,).

    ``twist`` (N, 3) is wished, robots' frames; ``pose`` and ``velocity`` (N, 3) are the present ones, world frame; ``corners``
    (K, 2) m. ``margin`` (m) must cover the error and the age of odometry; ``horizon`` (s) is the longest that a command is obeyed.
    """
    n = len(fleet)
    result, changed = twist.copy(), np.zeros(n, bool)
    models = np.zeros(n, np.int64)
    for name, code in CODES.items():
        models[fleet.models.get(name, [])] = code
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    steps = int(np.ceil(horizon / STEP))
    _fence(n, corners, models, pose, velocity, limits, fleet.radius + margin, steps, horizon / steps, result, changed)
    return result, changed


def clearance(corners: Array, points: Array) -> Array:
    """Signed distance (n,) m from ``points`` (n, 2) to the polygon's border, positive inside."""
    return np.array([_inside(corners, x, y) for x, y in points])


def _crossing(points: Array) -> tuple[int, int] | None:
    """Two sides that touch though they are not neighbours, or neighbours that fold back on each other; also sides of no length."""
    k = len(points)
    for i in range(k):
        a, b = points[i], points[(i + 1) % k]
        if np.array_equal(a, b):
            return i, (i + 1) % k
        c = points[(i + 2) % k]
        if _cross(a, b, c) == 0.0 and (c - b) @ (b - a) < 0.0:
            return i, (i + 1) % k
        for j in range(i + 2, k):
            if (j + 1) % k != i and _apart(a[0], a[1], b[0], b[1], *points[j], *points[(j + 1) % k]) == 0.0:
                return i, j
    return None


def _cross(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@njit(cache=True)
def _to_side(x, y, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Distance from a point to the side a–b."""
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    t = 0.0 if length == 0.0 else min(max(((x - ax) * dx + (y - ay) * dy) / length, 0.0), 1.0)
    return np.hypot(x - ax - t * dx, y - ay - t * dy)


@njit(cache=True)
def _apart(ax, ay, bx, by, cx, cy, dx, dy):  # type: ignore[no-untyped-def]
    """Distance between the segments a–b and c–d; zero when they meet."""
    s = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    t = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    u = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    v = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if s * t < 0.0 and u * v < 0.0:
        return 0.0
    return min(
        min(_to_side(ax, ay, cx, cy, dx, dy), _to_side(bx, by, cx, cy, dx, dy)),
        min(_to_side(cx, cy, ax, ay, bx, by), _to_side(dx, dy, ax, ay, bx, by)),
    )


@njit(cache=True)
def _inside(corners, x, y):  # type: ignore[no-untyped-def]
    """Signed distance from a point to the border, positive inside (even–odd rule)."""
    nearest, inside, k = np.inf, False, len(corners)
    for i in range(k):
        ax, ay, bx, by = corners[i - 1, 0], corners[i - 1, 1], corners[i, 0], corners[i, 1]
        nearest = min(nearest, _to_side(x, y, ax, ay, bx, by))
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return nearest if inside else -nearest


@njit(cache=True)
def _lowest(corners, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Least signed distance to the border on the segment a–b, and that of b; −∞ for one that leads out and in again."""
    first, last = _inside(corners, ax, ay), _inside(corners, bx, by)
    if first <= 0.0 or last <= 0.0:
        return min(first, last), last
    lowest = min(first, last)
    for i in range(len(corners)):
        lowest = min(lowest, _apart(ax, ay, bx, by, corners[i - 1, 0], corners[i - 1, 1], corners[i, 0], corners[i, 1]))
    return (lowest if lowest > 0.0 else -np.inf), last


@njit(cache=True)
def _within_limits(code, forward, left, rate, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """What the robot makes of a twist: shortened to its limits, each model in its way."""
    if code == 1:
        over = max((abs(forward) + 0.5 * wheel_base * abs(rate)) / max_speed, abs(rate) / max_turn_rate, 1.0)
        return forward / over, 0.0, rate / over
    if code == 2:
        return min(max(forward, -max_speed), max_speed), 0.0, rate
    scale = max_speed / max(np.hypot(forward, left), max_speed)
    return scale * forward, scale * left, 0.0 if code == 3 else min(max(rate, -max_turn_rate), max_turn_rate)


@njit(cache=True)
def _follow(i, code, pose, velocity, limits, forward, left, rate, corners, steps, dt):  # type: ignore[no-untyped-def]
    """Follow a twist for ``steps`` of ``dt``; at each of their ends, and now, brake.

    Returns the least signed distance to the border on all that, the one where the last braking ends, and the length of the way.
    """
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    x, y, yaw, vx, vy, way = pose[i, 0], pose[i, 1], pose[i, 2], velocity[i, 0], velocity[i, 1], 0.0
    speed, a = np.cos(yaw) * vx + np.sin(yaw) * vy, max_acceleration[i]
    rolls = code == 1 or code == 2
    forward, left, rate = _within_limits(code, forward, left, rate, max_speed[i], max_turn_rate[i], wheel_base[i])
    lowest, last = np.inf, 0.0
    for k in range(steps + 1):
        if rolls:
            vx, vy = speed * np.cos(yaw), speed * np.sin(yaw)
        brake = np.hypot(vx, vy) / (2.0 * a)
        low, last = _lowest(corners, x, y, x + brake * vx, y + brake * vy)
        lowest = min(lowest, low)
        if k == steps:
            way += np.hypot(brake * vx, brake * vy)
            break
        if not rolls:
            yaw += rate * dt
            dx, dy = np.cos(yaw) * forward - np.sin(yaw) * left - vx, np.sin(yaw) * forward + np.cos(yaw) * left - vy
            scale = min(1.0, a * dt / max(np.hypot(dx, dy), 1e-300))
            vx, vy = vx + scale * dx, vy + scale * dy
        else:
            speed += min(max(forward - speed, -a * dt), a * dt)
            if code == 1:
                top = 2.0 * max(max_speed[i] - abs(speed), 0.0) / wheel_base[i]
            else:
                top = min(abs(speed) / max_speed[i], 1.0) * max_turn_rate[i]
            half = 0.5 * dt * min(max(rate, -top), top)
            vx, vy = speed * np.cos(yaw + half), speed * np.sin(yaw + half)
            yaw += 2.0 * half
        x, y, way = x + vx * dt, y + vy * dt, way + np.hypot(vx, vy) * dt
    return lowest, last, way


def _fence_loop(corners, models, pose, velocity, limits, room, steps, dt, twist, changed):  # type: ignore[no-untyped-def]
    for i in prange(len(pose)):
        forward, left, rate, code = twist[i, 0], twist[i, 1], twist[i, 2], models[i]
        a = limits[1][i]
        fast = max(np.hypot(velocity[i, 0], velocity[i, 1]), np.hypot(forward, left))
        here = _inside(corners, pose[i, 0], pose[i, 1])
        if here - room[i] > fast * steps * dt + 0.5 * fast * fast / a:
            continue
        braking = _follow(i, code, pose, velocity, limits, 0.0, 0.0, 0.0, corners, 0, dt)[0] - room[i]
        good, bad = -1.0, 1.0
        for k in range(SHARES + HALVINGS + 1):
            share = 1.0 - k / SHARES if good < 0.0 else 0.5 * (good + bad)
            turn = rate * share if code == 2 else rate
            low, last, way = _follow(i, code, pose, velocity, limits, share * forward, share * left, turn, corners, steps, dt)
            low, last = low - room[i], last - room[i]
            if low >= 0.0 or (low >= braking - 1e-9 and braking < 0.0 and last >= min(0.0, braking + INWARDS * way)):
                good = share
                if k == 0:
                    break
            else:
                bad = share
        if good == 1.0:
            continue
        changed[i] = True
        twist[i, 0], twist[i, 1] = max(good, 0.0) * forward, max(good, 0.0) * left
        twist[i, 2] = 0.0 if good < 0.0 else (rate * good if code == 2 else rate)


_fence = Kernel(_fence_loop)
