"""The proof of a schedule: how near its robots come to walls and to each other, exactly, between samples too."""

from typing import NamedTuple

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Map
from swarm_control.core.walldistance import WallDistance, way_distance

TOLERANCE = 1e-3
"""A schedule may fall short of the room that is asked for by this much, m: less than any robot's control keeps."""


class Shortfall(NamedTuple):
    """Where a schedule is tightest: ``spare`` (m) is what it keeps beyond the asked, negative: it lacks so much.

    ``robots`` are the indices (the same one twice: with a wall), ``place`` (2,) m where the first of them is.
    """

    spare: float
    robots: tuple[int, int]
    place: Array


def wall_distances(map: Map) -> WallDistance:
    """Exact distances to the walls of ``map``, made once."""
    return map.once(_wall_distances)


def _wall_distances(map: Map) -> WallDistance:
    return WallDistance(map.grid)


def pair_needs(fleet: Fleet, room: float) -> Array:
    """What the centres of each two robots are to keep between them (N, N), m."""
    needs: Array = fleet.radius[:, None] + fleet.radius + room
    return needs


def tightest(place: Array, fleet: Fleet, map: Map, room: float) -> Shortfall:
    """Where places (T, N, 2) m, straight and even in between, are tightest.

    Walls are the squares of the grid's occupied cells, so nothing is lost to interpolation: it is the exact distance of each straight
    part from these squares. Of two robots it is the closest approach of two points that move evenly,
    ``t* = −Δx·Δv/‖Δv‖²`` cut to the part.
    """
    walls = wall_distances(map)
    place = np.ascontiguousarray(place if len(place) > 1 else np.repeat(place, 2, axis=0))
    spare, i, j, k = _tightest(place, fleet.radius + room, pair_needs(fleet, room), walls.table, walls.walls)
    return Shortfall(float(spare), (int(i), int(j)), place[int(k), int(i)])


@njit(cache=True)
def _tightest(place, need, pair, table, walls):  # type: ignore[no-untyped-def]
    """Least spare, the two robots, and the sample before it."""
    best, who, other, when = 1e9, 0, 0, 0
    for k in range(len(place) - 1):
        for i in range(place.shape[1]):
            x, y = place[k, i, 0], place[k, i, 1]
            dx, dy = place[k + 1, i, 0] - x, place[k + 1, i, 1] - y
            if walls:
                cap = need[i] + min(best, 0.5)
                spare = way_distance(table, x, y, dx, dy, cap) - need[i]
                if spare < best:
                    best, who, other, when = spare, i, i, k
            for j in range(i):
                ex, ey = x - place[k, j, 0], y - place[k, j, 1]
                wx, wy = dx - place[k + 1, j, 0] + place[k, j, 0], dy - place[k + 1, j, 1] + place[k, j, 1]
                square = wx * wx + wy * wy
                t = min(max(-(ex * wx + ey * wy) / square, 0.0), 1.0) if square > 0.0 else 0.0
                spare = np.hypot(ex + t * wx, ey + t * wy) - pair[i, j]
                if spare < best:
                    best, who, other, when = spare, i, j, k
    return best, who, other, when
