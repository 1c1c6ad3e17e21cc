"""A lattice of places on the map: which ways between neighbours walls leave, and how long the shortest ways to a point are."""

import heapq
from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.state import Map
from swarm_control.core.walldistance import WallDistance, way_distance

MOST_NODES = 60_000
"""A lattice has no more places than about this."""

SIDES = np.array([(0, 1), (1, 0), (1, 1), (1, -1)])
"""Neighbours in rows and columns whose ways are kept with a place; the others are kept with theirs."""


def walls_of(map: Map) -> WallDistance:
    """Exact distances to the walls of ``map``."""
    return WallDistance(map.grid)


def ways_to_walls(walls: WallDistance, begin: Array, end: Array, cap: float) -> Array:
    """Distance (N,) m, at most ``cap``, of the straight ways ``begin`` → ``end`` (N, 2) m from the nearest wall."""
    if not walls.walls:
        return np.full(len(begin), cap)
    result: Array = _ways(walls.table, np.ascontiguousarray(begin, float), np.ascontiguousarray(end, float), cap)
    return result


@njit(cache=True)
def _ways(table, begin, end, cap):  # type: ignore[no-untyped-def]
    result = np.empty(len(begin))
    for k in range(len(begin)):
        result[k] = way_distance(table, begin[k, 0], begin[k, 1], end[k, 0] - begin[k, 0], end[k, 1] - begin[k, 1], cap)
    return result


@dataclass(frozen=True)
class FloorLattice:
    """Places (M, 2) m in ``rows`` and ``columns``, ``pitch`` (m) apart; ``sides`` (M, 4): distance (m, at most ``cap``) from walls on the
    ways to the neighbours of :data:`SIDES`, below zero where there is none.
    """

    places: Array
    rows: int
    columns: int
    pitch: float
    sides: Array
    walls: WallDistance
    cap: float

    @classmethod
    def of(cls, map: Map, points: Array, pitch: float, cap: float) -> "FloorLattice":
        """Over the whole map, or farther where one of the ``points`` (P, 2) m is outside."""
        x0, x1, y0, y1 = map.grid.extent
        low, high = np.array([x0, y0]), np.array([x1, y1])
        if (points < low).any() or (points > high).any():
            low, high = np.minimum(low, points.min(axis=0) - 10.0 * cap), np.maximum(high, points.max(axis=0) + 10.0 * cap)
        columns, rows = (np.maximum(np.floor((high - low) / pitch), 1)).astype(int) + 1
        x, y = (0.5 * (a + b) + pitch * (np.arange(n) - 0.5 * (n - 1)) for a, b, n in zip(low, high, (columns, rows), strict=True))
        places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        walls = map.once(walls_of)
        node, sides = np.arange(len(places)).reshape(rows, columns), np.full((len(places), 4), -1.0)
        for k, (up, right) in enumerate(SIDES):
            begin = node[: rows - up, max(-right, 0) : columns - max(right, 0)].ravel()
            end = node[up:, max(right, 0) : columns - max(-right, 0)].ravel()
            sides[begin, k] = ways_to_walls(walls, places[begin], places[end], cap)
        return cls(places, int(rows), int(columns), pitch, sides, walls, cap)

    def entries(self, point: Array, need: float, ways: int = 12) -> IntArray:
        """Nodes (E,) to which a robot at ``point`` (2,) m can go straight, the nearest ones; it gets no nearer to walls than ``need`` (m),
        or than it is.
        """
        near = np.argsort(norm(self.places - point), kind="stable")[: 4 * ways]
        here = float(self.walls.distance(point[None], self.cap)[0])
        free = ways_to_walls(self.walls, np.broadcast_to(point, (len(near), 2)), self.places[near], self.cap) >= min(need, here) - 1e-6
        free &= self.walls.distance(self.places[near], self.cap) >= need
        result: IntArray = near[free][:ways]
        return result

    def lengths(self, point: Array, entries: IntArray, need: float) -> Array:
        """Length (M,) m of the shortest way from each node to ``point`` (2,) m, which is left by its ``entries``; infinite without one."""
        begin = norm(self.places[entries] - point)
        result: Array = _lengths(entries, begin, self.sides, self.rows, self.columns, self.pitch, need)
        return result


@njit(cache=True)
def neighbour(node, k, sides, rows, columns, need):  # type: ignore[no-untyped-def]
    """The k-th of the eight neighbours that a robot can go to with ``need`` (m) to walls; −1 if there is none."""
    i, j = node // columns, node % columns
    up = (0, 1, 1, 1, 0, -1, -1, -1)[k]
    right = (1, 0, 1, -1, -1, 0, -1, 1)[k]
    if not (0 <= i + up < rows and 0 <= j + right < columns):
        return -1
    other = (i + up) * columns + j + right
    free = sides[node, k] if k < 4 else sides[other, k - 4]
    return other if free >= need else -1


@njit(cache=True)
def _lengths(entries, begin, sides, rows, columns, pitch, need):  # type: ignore[no-untyped-def]
    """Dijkstra's."""
    result = np.full(rows * columns, np.inf)
    heap = [(0.0, np.int64(-1))]
    heapq.heappop(heap)
    for e in range(len(entries)):
        if begin[e] < result[entries[e]]:
            result[entries[e]] = begin[e]
            heapq.heappush(heap, (begin[e], entries[e]))
    while len(heap) > 0:
        gone, node = heapq.heappop(heap)
        if gone > result[node]:
            continue
        for k in range(8):
            other = neighbour(node, k, sides, rows, columns, need)
            if other < 0:
                continue
            farther = gone + (pitch if k % 4 < 2 else 1.4142135623730951 * pitch)
            if farther < result[other] - 1e-12:
                result[other] = farther
                heapq.heappush(heap, (farther, np.int64(other)))
    return result


def exits(lattice: FloorLattice, entries: IntArray) -> BoolArray:
    """From which nodes (M,) a point with these ``entries`` is reached straight."""
    result = np.zeros(len(lattice.places), bool)
    result[entries] = True
    return result
