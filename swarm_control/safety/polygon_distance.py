"""Distances to the border of a polygon, for compiled functions. Corners are (K, 2) m."""

import numpy as np

from swarm_control.core.compiled import njit


@njit(cache=True)
def to_side(x, y, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Distance from a point to the side a–b."""
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    t = 0.0 if length == 0.0 else min(max(((x - ax) * dx + (y - ay) * dy) / length, 0.0), 1.0)
    return np.hypot(x - ax - t * dx, y - ay - t * dy)


@njit(cache=True)
def sides_apart(ax, ay, bx, by, cx, cy, dx, dy):  # type: ignore[no-untyped-def]
    """Distance between the segments a–b and c–d; zero when they meet."""
    s = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    t = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    u = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    v = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if s * t < 0.0 and u * v < 0.0:
        return 0.0
    return min(
        min(to_side(ax, ay, cx, cy, dx, dy), to_side(bx, by, cx, cy, dx, dy)),
        min(to_side(cx, cy, ax, ay, bx, by), to_side(dx, dy, ax, ay, bx, by)),
    )


@njit(cache=True)
def signed_distance(corners, x, y):  # type: ignore[no-untyped-def]
    """Signed distance from a point to the border, positive inside (even–odd rule)."""
    nearest, inside, k = np.inf, False, len(corners)
    for i in range(k):
        ax, ay, bx, by = corners[i - 1, 0], corners[i - 1, 1], corners[i, 0], corners[i, 1]
        nearest = min(nearest, to_side(x, y, ax, ay, bx, by))
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return nearest if inside else -nearest


@njit(cache=True)
def least_distance(corners, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Least signed distance to the border on the segment a–b, and that of b; −∞ for one that leads out and in again."""
    first, last = signed_distance(corners, ax, ay), signed_distance(corners, bx, by)
    if first <= 0.0 or last <= 0.0:
        return min(first, last), last
    lowest = min(first, last)
    for i in range(len(corners)):
        lowest = min(lowest, sides_apart(ax, ay, bx, by, corners[i - 1, 0], corners[i - 1, 1], corners[i, 0], corners[i, 1]))
    return (lowest if lowest > 0.0 else -np.inf), last
