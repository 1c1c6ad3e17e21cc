"""Ways on a lattice for one robot after the other, in steps that all make at the same time: each keeps off those before it.

In a step a robot goes straight to a neighbour or waits. So two robots see each other go straight in a step, and are told apart exactly.
The search is A* over places and steps (Silver, Cooperative Pathfinding, 2005); the rest of the way as if alone is its estimate.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.formation.forming.lattice import FloorLattice, exits, neighbour
from swarm_control.formation.forming.legs import approach

ORDERS = 24
"""So many orders of the robots are tried."""

VISITS = 600_000
"""A search that has seen so many places and steps is given up."""

WAIT, IN_THE_WAY = 0.5, 3.0
"""What a step costs, in pitches: waiting, and going where one stands that has yet to be given its way."""

ENTER, LEAVE, STAY, DIRECT = 9, 10, 11, 12


@dataclass(frozen=True)
class Trip:
    """Of one robot: from ``begin`` to ``end`` (2,) m, by nodes ``entries`` and ``last`` next to them, or ``direct``; ``length`` (M,) m to
    the end, ``need`` (m) to walls.
    """

    begin: Array
    end: Array
    entries: IntArray
    last: IntArray
    length: Array
    need: float
    direct: bool

    def whole(self, lattice: FloorLattice) -> float:
        """Length (m) of the shortest way; infinite if there is none."""
        return float((norm(lattice.places[self.entries] - self.begin) + self.length[self.entries]).min(initial=np.inf))


def one_by_one(lattice: FloorLattice, trips: list[Trip], keep: Array, depth: Array, rng: np.random.Generator) -> list[Array]:
    """Steps (T, N, 2) m of all robots, for several orders if need be; none if no order was found that works.

    The deepest end comes first (``depth`` (N,) m, how far it is for all), then random orders; a robot that finds no way goes before all
    others next time. ``keep`` (N,) m as in :func:`~swarm_control.formation.forming.legs.nearest`.
    """
    whole = np.array([trip.whole(lattice) for trip in trips])
    order = np.argsort(-depth, kind="stable")
    steps = int(2.0 * whole.max() / lattice.pitch) + 4 * len(trips) + 40
    for attempt in range(ORDERS):
        found, failed = _in_order(lattice, trips, keep, order, steps)
        if found is not None:
            return [found]
        rest = order[order != failed]
        order = np.concatenate(([failed], rest if attempt % 3 else rng.permutation(rest)))
    return []


def _in_order(lattice: FloorLattice, trips: list[Trip], keep: Array, order: IntArray, steps: int) -> tuple[Array | None, int]:
    """Steps of all robots, or None and the robot that finds no way."""
    n = len(trips)
    ways = np.empty((n, steps + 1, 2))
    begin = np.array([trip.begin for trip in trips])
    for k, i in enumerate(order):
        before, after = order[:k], order[k + 1 :]
        trip = trips[i]
        shape = lattice.rows, lattice.columns, lattice.pitch, trip.need, trip.direct
        way = _search(
            lattice.places, lattice.sides, shape, trip.begin, trip.end, trip.entries, exits(lattice, trip.last), trip.length,
            ways[:k], keep[before] + keep[i], begin[after], keep[after] + keep[i], steps,
        )  # fmt: skip
        if len(way) == 0:
            return None, int(i)
        ways[k, : len(way)] = way
        ways[k, len(way) :] = way[-1]
    found = np.empty((steps + 1, n, 2))
    found[:, order] = ways.transpose(1, 0, 2)
    moving = np.flatnonzero((found[1:] != found[:-1]).any(axis=(1, 2)))
    return found[: (moving[-1] if len(moving) else 0) + 2], -1


@njit(cache=True)
def _meets(x, y, nx, ny, step, ways, want):  # type: ignore[no-untyped-def]
    """Whether going (x, y) → (nx, ny) in a step comes too near to one on its way, or nearer to one that is too near."""
    for p in range(len(ways)):
        ax, ay = x - ways[p, step, 0], y - ways[p, step, 1]
        bx, by = nx - ways[p, step + 1, 0], ny - ways[p, step + 1, 1]
        far, _ = approach(ax, ay, bx, by)
        if far < want[p] and far < np.sqrt(ax * ax + ay * ay) - 1e-9:
            return True
    return False


@njit(cache=True)
def _settled(end, ways, want, steps):  # type: ignore[no-untyped-def]
    """The first step from which on nobody comes near the ``end``."""
    for step in range(steps - 1, -1, -1):
        if _meets(end[0], end[1], end[0], end[1], step, ways, want):
            return step + 1
        for p in range(len(ways)):
            if np.hypot(end[0] - ways[p, step + 1, 0], end[1] - ways[p, step + 1, 1]) < want[p] - 1e-9:
                return step + 2
    return 0


@njit(cache=True)
def _option(k, node, entries, last, sides, shape):  # type: ignore[no-untyped-def]
    """The node to which the k-th option of a step leads, and how; −1 if there is none. Nodes M and M + 1 are the begin and the end."""
    rows, columns, _, need, direct = shape
    m = rows * columns
    if k == 0:
        return node, STAY
    if node == m:
        if k <= len(entries):
            return entries[k - 1], ENTER
        return (m + 1 if direct and k == len(entries) + 1 else -1), DIRECT
    if node == m + 1 or k > 9:
        return -1, STAY
    if k == 9:
        return (m + 1 if last[node] else -1), LEAVE
    return neighbour(node, k - 1, sides, rows, columns, need), k


@njit(cache=True)
def _stands(x, y, standing, want):  # type: ignore[no-untyped-def]
    """Whether one that has yet to be given its way stands at (x, y)."""
    near = False
    for q in range(len(standing)):
        near = near or np.hypot(x - standing[q, 0], y - standing[q, 1]) < want[q]
    return near


@njit(cache=True)
def _search(places, sides, shape, begin, end, entries, last, length, ways, want, standing, stand_want, steps):  # type: ignore[no-untyped-def]
    """Places (T, 2) of the robot in each step, none if there is no way. Nodes M and M + 1 are its begin and its end."""
    m, pitch = shape[0] * shape[1], shape[2]
    whole = np.inf
    for e in entries:
        whole = min(whole, np.hypot(places[e, 0] - begin[0], places[e, 1] - begin[1]) + length[e])
    spot = np.concatenate((places, begin.reshape(1, 2), end.reshape(1, 2)))
    rest = np.concatenate((length, np.array([whole, 0.0])))
    came, gates = np.zeros((steps + 1, m + 2), np.uint8), np.full(steps + 1, -1)
    settled = _settled(end, ways, want, steps)
    heap = [(whole, 0.0, np.int64(0), np.int64(m))]
    came[0, m] = STAY
    seen = 0
    while len(heap) > 0 and seen < VISITS:
        _, gone, step, node = heapq.heappop(heap)
        seen += 1
        if node == m + 1 and step >= settled:
            return _trace(came, gates, step, places, begin, end, shape[1], m)
        x, y = spot[node]
        for k in range(max(10, len(entries) + 2) if step < steps else 0):
            other, how = _option(k, node, entries, last, sides, shape)
            if other < 0 or came[step + 1, other] != 0 or rest[other] == np.inf:
                continue
            nx, ny = spot[other]
            if _meets(x, y, nx, ny, step, ways, want):
                continue
            cost = gone + (WAIT * pitch if other == node else np.hypot(nx - x, ny - y))
            if other != m and _stands(nx, ny, standing, stand_want):
                cost += IN_THE_WAY * pitch
            came[step + 1, other] = how
            if how == LEAVE:
                gates[step + 1] = node
            heapq.heappush(heap, (cost + rest[other], cost, np.int64(step + 1), np.int64(other)))
    return np.empty((0, 2))


@njit(cache=True)
def _trace(came, gates, step, places, begin, end, columns, m):  # type: ignore[no-untyped-def]
    """The steps that led to the end."""
    result, node = np.empty((step + 1, 2)), m + 1
    while step >= 0:
        if node == m + 1:
            result[step] = end
        elif node == m:
            result[step] = begin
        else:
            result[step] = places[node]
        how = came[step, node]
        if how == LEAVE:
            node = gates[step]
        elif how in (ENTER, DIRECT):
            node = m
        elif how != STAY:
            up = (0, 1, 1, 1, 0, -1, -1, -1)[how - 1]
            right = (1, 0, 1, -1, -1, 0, -1, 1)[how - 1]
            node -= up * columns + right
        step -= 1
    return result
