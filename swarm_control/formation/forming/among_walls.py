"""Rearrangement on a map: straight where walls let all robots pass, else one robot after the other on a lattice, then made straight."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map
from swarm_control.formation.forming.lattice import MOST_NODES, FloorLattice, walls_of, ways_to_walls
from swarm_control.formation.forming.prioritised import Trip, one_by_one
from swarm_control.formation.timetable import UnreachableError

PITCH = 0.7
"""Places of the lattice are so many of the room that the least robot needs apart, then a half and a quarter of that."""

TOLERANCE = 1e-6
"""By so much (m) robots may be nearer to walls than wanted."""


@dataclass(frozen=True)
class Walls:
    """What N robots ``need`` (N,) m between their middles and the walls of the ``map``."""

    map: Map
    need: Array

    def spare(self, knots: Array) -> Array:
        """How far (K, N) m robots at ``knots`` (K, N, 2) m are from walls, beyond what is needed; at most twice that."""
        walls, cap = self.map.once(walls_of), 3.0 * float(self.need.max())
        return np.array([walls.distance(place, cap) - self.need for place in knots])

    def passes(self, begin: Array, end: Array, robots: IntArray | slice = slice(None)) -> BoolArray:
        """Who (N,) keeps to the need, or gets no nearer than at the begin, on the straight way ``begin`` → ``end`` (N, 2) m."""
        walls, cap = self.map.once(walls_of), float(self.need.max())
        here = walls.distance(begin, cap)
        result: BoolArray = ways_to_walls(walls, begin, end, cap) >= np.minimum(self.need[robots], here) - TOLERANCE
        return result

    def clear(self, knots: Array) -> bool:
        """Whether all legs of ``knots`` (K, N, 2) m are free of walls."""
        return all(bool(self.passes(a, b).all()) for a, b in pairwise(knots))

    def check(self, goal: Array) -> None:
        """:class:`UnreachableError` where a point of ``goal`` (N, 2) m is nearer to a wall than even the least robot may be."""
        far = self.map.once(walls_of).distance(goal, 3.0 * float(self.need.max()))
        if (far < self.need.min() - TOLERANCE).any():
            k = int(np.argmin(far))
            raise UnreachableError(f"point {k} of the structure is {far[k]:.3g} m from a wall, {self.need.min():.3g} m wanted")


def open_floor(keep: Array, points: Array) -> Walls:
    """No walls, and room enough round the ``points`` (P, 2) m for all robots to go round each other; ``keep`` (N,) m."""
    around, cell = 2.0 * float(keep.max()) * (2.0 + np.sqrt(len(keep))), float(keep.min())
    low, high = points.min(axis=0) - around, points.max(axis=0) + around
    columns, rows = np.ceil((high - low) / cell).astype(int)
    grid = Grid(np.zeros((rows, columns), bool), (float(low[0]), float(low[1])), cell)
    return Walls(make_map(grid), keep)


@dataclass(frozen=True)
class ShortestWays:
    """Ways on a ``lattice`` from N places to N points: ``length`` (robot, goal) m, ``goals`` and ``starts``: their entries."""

    lattice: FloorLattice
    length: Array
    starts: list[IntArray]
    goals: list[IntArray]
    fields: list[dict[float, Array]]


def paths(walls: Walls, start: Array, goal: Array, pairs: BoolArray) -> ShortestWays:
    """Shortest ways for the ``pairs`` (robot, goal) that count, on a lattice fine enough to join them if any is.

    Raises :class:`UnreachableError` for points to which no robot gets. Passages hardly wider than robots need may be missed: by less than a
    sixth of a robot's need.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    need, extent = np.round(walls.need, 6), walls.map.grid.extent
    area = (extent[1] - extent[0]) * (extent[3] - extent[2])
    pitch = max(PITCH * float(need.min()), float(np.sqrt(area / MOST_NODES)))
    for finer in (1.0, 0.5, 0.25):
        lattice = FloorLattice.of(walls.map, np.vstack((start, goal)), finer * pitch, 1.5 * float(need.max()))
        found = _paths(lattice, need, start, goal)
        joined = np.isfinite(found.length) & pairs
        if (maximum_bipartite_matching(csr_array(joined), perm_type="column") >= 0).all():
            return found
    lone = np.flatnonzero(~joined.any(axis=0))
    if len(lone):
        raise UnreachableError(f"no way leads to point {lone[0]} of the structure between walls {2.0 * need.min():.3g} m apart")
    taken = np.zeros(len(goal), bool)
    matched = maximum_bipartite_matching(csr_array(joined), perm_type="column")
    taken[matched[matched >= 0]] = True
    raise UnreachableError(f"no robot that is free gets to point {int(np.argmin(taken))} of the structure: walls are between them")


def _paths(lattice: FloorLattice, need: Array, start: Array, goal: Array) -> ShortestWays:
    starts = [lattice.entries(place, n) for place, n in zip(start, need, strict=True)]
    length, goals, fields = np.full((len(start), len(goal)), np.inf), [], []
    for k, point in enumerate(goal):
        own = {}
        for n in np.unique(need):
            entries = lattice.entries(point, n) if lattice.walls.distance(point[None], lattice.cap)[0] >= n - TOLERANCE else starts[0][:0]
            own[float(n)] = lattice.lengths(point, entries, n)
            for i in np.flatnonzero(need == n):
                gone = norm(lattice.places[starts[i]] - start[i]) + own[float(n)][starts[i]]
                length[i, k] = gone.min(initial=np.inf)
        goals.append(entries)
        fields.append(own)
    return ShortestWays(lattice, length, starts, goals, fields)


def shortest(length: Array) -> IntArray:
    """The robot (N,) that takes each goal: the sum of squared ``length`` (robot, goal) m of the ways is least."""
    from scipy.optimize import linear_sum_assignment

    cost = np.where(np.isfinite(length), length, 0.0).T ** 2
    cost[~np.isfinite(length.T)] = 1e3 * (cost.max(initial=1.0) + 1.0) * len(length)
    robot: IntArray = linear_sum_assignment(cost)[1]
    return robot


def steps(walls: Walls, found: ShortestWays, start: Array, end: Array, robot: IntArray, keep: Array) -> list[Array]:
    """Places (T, N, 2) m of all robots in steps of the lattice; none if no order of the robots was found that works."""
    point = np.empty(len(robot), int)
    point[robot] = np.arange(len(robot))
    need, lattice, trips = np.round(walls.need, 6), found.lattice, []
    straight = walls.passes(start, end) & (norm(end - start) < 2.0 * lattice.pitch)
    for i, k in enumerate(point):
        n = float(need[i])
        last = lattice.entries(end[i], n)
        trips.append(Trip(start[i], end[i], found.starts[i], last, found.fields[k][n], n, bool(straight[i])))
    depth = np.where(np.isfinite(found.length), found.length, 0.0).sum(axis=0)[point]
    return one_by_one(lattice, trips, keep, depth, np.random.default_rng(0))
