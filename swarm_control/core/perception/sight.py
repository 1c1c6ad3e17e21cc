"""Lines of sight: whom nearer robots hide, and whom walls hide."""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Neighbourhoods


def hidden(seen: Neighbourhoods, pose: Array, radius: Array, grid: Grid | None = None) -> BoolArray:
    """Which pairs (M,) cannot see each other for what is in between.

    Robot j is hidden from i when the line from centre to centre crosses the footprint, of ``radius`` (N,) m, of another robot that i
    would see and that is nearer to i, or when it crosses an occupied cell of the ``grid``; a line that only touches is free.
    """
    rows = len(seen.start) - 1
    blocked: BoolArray = _behind_robots(rows, seen.start, seen.index, seen.offset, seen.distance, radius)
    if grid is not None:
        _behind_walls(rows, seen.start, seen.offset, pose, grid.occupied, *grid.origin, grid.resolution, blocked)
    return blocked


def _behind_robots_loop(start, index, offset, distance, radius):  # type: ignore[no-untyped-def]
    """Robot k covers the line to j when it is nearer, ahead on that line, and off it by less than its radius."""
    blocked = np.zeros(len(index), np.bool_)
    for i in prange(len(start) - 1):
        for j in range(start[i], start[i + 1]):
            dx, dy, d = offset[j, 0], offset[j, 1], distance[j]
            for k in range(start[i], start[i + 1]):
                if distance[k] < d and offset[k, 0] * dx + offset[k, 1] * dy > 0.0:
                    off = abs(offset[k, 0] * dy - offset[k, 1] * dx)
                    if off < radius[index[k]] * d:
                        blocked[j] = True
                        break
    return blocked


def _behind_walls_loop(start, offset, pose, occupied, x0, y0, resolution, blocked):  # type: ignore[no-untyped-def]
    for i in prange(len(start) - 1):
        for j in range(start[i], start[i + 1]):
            if not blocked[j]:
                u, v = (pose[i, 0] - x0) / resolution, (pose[i, 1] - y0) / resolution
                blocked[j] = crosses(occupied, u, v, offset[j, 0] / resolution, offset[j, 1] / resolution)


@njit(cache=True)
def crosses(occupied, u, v, du, dv):  # type: ignore[no-untyped-def]
    """Whether the line from (``u``, ``v``) on by (``du``, ``dv``), in cells, goes through an occupied one (Amanatides & Woo 1987)."""
    rows, columns = occupied.shape
    column, row = int(np.floor(u)), int(np.floor(v))
    step_u, step_v = (1 if du > 0.0 else -1), (1 if dv > 0.0 else -1)
    next_u = ((column + (du > 0.0)) - u) / du if du != 0.0 else np.inf
    next_v = ((row + (dv > 0.0)) - v) / dv if dv != 0.0 else np.inf
    width_u = abs(1.0 / du) if du != 0.0 else np.inf
    width_v = abs(1.0 / dv) if dv != 0.0 else np.inf
    entered = 0.0
    while entered < 1.0:
        leaves = min(next_u, next_v, 1.0)
        if leaves > entered and 0 <= row < rows and 0 <= column < columns and occupied[row, column]:
            return True
        entered = leaves
        if next_u <= next_v:
            column += step_u
            next_u += width_u
        else:
            row += step_v
            next_v += width_v
    return False


_behind_robots = Kernel(_behind_robots_loop)
_behind_walls = Kernel(_behind_walls_loop)
