"""Whether an object that is pushed overlaps a wall or another object."""

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.walldistance import nearest_cell, wall_distance
from swarm_control.sim.pushing import extent, surface


@njit(cache=True)
def _apart(ax, ay, a_turn, a_half, bx, by, b_turn, b_half):  # type: ignore[no-untyped-def]
    """Whether an axis of the first rectangle parts it from the second."""
    ca, sa, turn = np.cos(a_turn), np.sin(a_turn), b_turn - a_turn
    dx, dy = bx - ax, by - ay
    u, v = abs(ca * dx + sa * dy), abs(ca * dy - sa * dx)
    c, s = abs(np.cos(turn)), abs(np.sin(turn))
    return u >= a_half[0] + c * b_half[0] + s * b_half[1] or v >= a_half[1] + s * b_half[0] + c * b_half[1]


@jit
def overlap(a, a_shape, b, b_shape):  # type: ignore[no-untyped-def]
    """Whether two objects overlap."""
    if a_shape[2] > 0.0:
        return surface(a[0], a[1], b, b_shape)[0] < a_shape[2]
    if b_shape[2] > 0.0:
        return surface(b[0], b[1], a, a_shape)[0] < b_shape[2]
    if _apart(a[0], a[1], a[2], a_shape, b[0], b[1], b[2], b_shape):
        return False
    return not _apart(b[0], b[1], b[2], b_shape, a[0], a[1], a[2], a_shape)


@jit
def in_walls(table, pose, shape):  # type: ignore[no-untyped-def]
    """Whether an object overlaps an occupied square; ``table``: see :class:`~swarm_control.core.walldistance.WallDistance`."""
    far = extent(shape)
    if wall_distance(table, pose[0], pose[1], far) >= far:
        return False
    if shape[2] > 0.0:
        return True
    left, _, _, x0, y0, size = table
    rows, columns = left.shape
    half = np.array((0.5 * size, 0.5 * size))
    for i in range(nearest_cell(pose[1] - far, y0, size, rows), nearest_cell(pose[1] + far, y0, size, rows) + 1):
        for j in range(nearest_cell(pose[0] - far, x0, size, columns), nearest_cell(pose[0] + far, x0, size, columns) + 1):
            x, y = x0 + (j + 0.5) * size, y0 + (i + 0.5) * size
            if left[i, j] != j or _apart(pose[0], pose[1], pose[2], shape, x, y, 0.0, half):
                continue
            if not _apart(x, y, 0.0, half, pose[0], pose[1], pose[2], shape):
                return True
    return False
