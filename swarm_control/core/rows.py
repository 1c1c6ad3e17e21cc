"""Compiled loops over the rows of states and neighbourhoods."""

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, IntArray


def _row_mean_loop(start: IntArray, values: Array) -> Array:
    """Mean of the ``values`` (P, 2) of each row, whose first one is at ``start`` (N + 1,); zero where there is none."""
    rows = len(start) - 1
    result = np.zeros((rows, 2))
    for i in prange(rows):
        n = start[i + 1] - start[i]
        if n > 0:
            x, y = 0.0, 0.0
            for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
                x += values[k, 0]
                y += values[k, 1]
            result[i, 0] = x / n
            result[i, 1] = y / n
    return result


def _finite_loop(pose, velocity):  # type: ignore[no-untyped-def]
    """Which rows hold nothing but finite values: of anything else, the difference from itself is not zero."""
    good = np.empty(len(pose), np.bool_)
    for i in prange(len(pose)):
        x, y, yaw = pose[i, 0], pose[i, 1], pose[i, 2]
        vx, vy, rate = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        good[i] = (x - x) + (y - y) + (yaw - yaw) + (vx - vx) + (vy - vy) + (rate - rate) == 0.0
    return good


row_mean = Kernel(_row_mean_loop)
finite_rows = Kernel(_finite_loop)
