"""Following a field of directions over a map: where it leads, and how much of that can be gone to straight on."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.compiled import jit
from swarm_control.core.fields import clearance_of
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid, read_scalar, way_length
from swarm_control.core.state import Map

Field = NDArray[np.float32]


def point_ahead(direction: Field, map: Map, position: Array, ahead: float, room: float) -> Array:
    """The point (2,) m that is so far ``ahead`` (m) on the way from ``position`` (2,) m, or as far as it can be gone to straight on.

    ``direction`` (H, W, 2) leads; to be gone to straight on is meant as in `straight`.
    """
    x, y = position
    return np.array(_ahead(direction, *clearance_of(map), x, y, int(ahead / map.grid.resolution) + 1, room))


def straight(map: Map, position: Array, place: Array, within: float, room: float) -> bool:
    """Whether a ``place`` (2,) m is ``within`` (m) of a ``position`` (2,) m and can be gone to straight on.

    With this ``room`` (m) to walls all the way, or as much as there is at ``position``.
    """
    return bool(_straight(*clearance_of(map), *position, *place, within, room))


def way_ahead(direction: Field, grid: Grid, position: Array, goal: Array, most: float) -> Array:
    """The points (K, 2) m of the way on which ``direction`` (H, W, 2) leads from a ``position`` to a ``goal`` (2,) m, for ``most`` (m)."""
    way: Array = _way(direction, *grid.origin, grid.resolution, *position, *goal, int(most / grid.resolution))
    return way


@jit
def _straight(clearance, x0, y0, resolution, x, y, to_x, to_y, within, room):  # type: ignore[no-untyped-def]
    dx, dy = to_x - x, to_y - y
    far = np.hypot(dx, dy)
    if far > within or far == 0.0:
        return far == 0.0
    here = read_scalar(clearance, x0, y0, resolution, x, y)
    return way_length(clearance, x0, y0, resolution, x, y, dx / far, dy / far, here, room, far) >= far


@jit
def _ahead(direction, clearance, x0, y0, resolution, x, y, steps, room):  # type: ignore[no-untyped-def]
    to_x, to_y, seen_x, seen_y = x, y, x, y
    for k in range(steps):
        along = read_scalar(direction[:, :, 0], x0, y0, resolution, to_x, to_y)
        across = read_scalar(direction[:, :, 1], x0, y0, resolution, to_x, to_y)
        to_x, to_y = to_x + resolution * along, to_y + resolution * across
        if k > 1 and not _straight(clearance, x0, y0, resolution, x, y, to_x, to_y, np.inf, room):
            break
        seen_x, seen_y = to_x, to_y
    return seen_x, seen_y


@jit
def _way(direction, x0, y0, resolution, x, y, to_x, to_y, steps):  # type: ignore[no-untyped-def]
    points = np.empty((steps + 1, 2))
    points[0] = x, y
    for k in range(steps):
        along = read_scalar(direction[:, :, 0], x0, y0, resolution, x, y)
        across = read_scalar(direction[:, :, 1], x0, y0, resolution, x, y)
        x, y = x + resolution * along, y + resolution * across
        points[k + 1] = x, y
        if np.hypot(x - to_x, y - to_y) < resolution:
            return points[: k + 2]
    return points
