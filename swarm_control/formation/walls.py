"""Robots in formation at walls: no target leads into a wall.

The filter would stop a robot there anyway. But one that rolls, told to go straight into a wall, stands and does not turn, and the structure
waits for it forever. Told to go along the wall, it turns.
"""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, norm
from swarm_control.core.grid import read_scalar, wall_distance
from swarm_control.core.state import Map


def along_walls(target: Array, position: Array, room: Array, map: Map) -> Array:
    """``target`` (M, 2) m, shifted where it would lead a robot into a wall from where it is, ``position`` (M, 2) m, world frame.

    ``room`` (M,) m is what centres are to keep from walls; who is nearer may stay as near. With n the direction in which the
    clearance c grows: ``n·(target − position) ≥ −max(c − room, 0)``.
    """
    clearance, away = near_walls(map, position)
    grid = map.grid
    exact = _distance(grid.occupied, grid.origin[0], grid.origin[1], grid.resolution, position, room + norm(target - position))
    over = -np.maximum(np.minimum(clearance, exact) - room, 0.0) - ((target - position) * away).sum(axis=1)
    result: Array = target + np.maximum(over, 0.0)[:, None] * away
    return result


def near_walls(map: Map, position: Array) -> tuple[Array, Array]:
    """Clearance (N,) m at the points (N, 2) m and the unit direction (N, 2) in which it grows."""
    grid = map.grid
    clearance, away = _walls(map.clearance, grid.origin[0], grid.origin[1], grid.resolution, position)
    return clearance, away


@njit(cache=True)
def _distance(occupied, x0, y0, resolution, position, most):  # type: ignore[no-untyped-def]
    """Distance (N,) m, at most ``most`` (N,), to the nearest occupied cell."""
    result = np.empty(len(position))
    for i in range(len(position)):
        result[i] = wall_distance(occupied, x0, y0, resolution, position[i, 0], position[i, 1], most[i])
    return result


@njit(cache=True)
def _walls(clearance: NDArray[np.float32], x0: float, y0: float, resolution: float, position: Array) -> tuple[Array, Array]:
    """The same, by central differences over two cells."""
    n = len(position)
    room, away = np.empty(n), np.zeros((n, 2))
    for i in range(n):
        x, y = position[i, 0], position[i, 1]
        room[i] = read_scalar(clearance, x0, y0, resolution, x, y)
        dx = read_scalar(clearance, x0, y0, resolution, x + resolution, y) - read_scalar(clearance, x0, y0, resolution, x - resolution, y)
        dy = read_scalar(clearance, x0, y0, resolution, x, y + resolution) - read_scalar(clearance, x0, y0, resolution, x, y - resolution)
        length = np.sqrt(dx * dx + dy * dy)
        if length > 1e-9:
            away[i, 0], away[i, 1] = dx / length, dy / length
    return room, away
