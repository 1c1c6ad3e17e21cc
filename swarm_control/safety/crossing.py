"""Whether a polygon crosses or touches itself."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.safety.polygon_distance import sides_apart


def crossing_sides(points: Array) -> tuple[int, int] | None:
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
            if (j + 1) % k != i and sides_apart(a[0], a[1], b[0], b[1], *points[j], *points[(j + 1) % k]) == 0.0:
                return i, j
    return None


def _cross(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
