"""Ways on a lattice for one robot after the other, in steps that all make at the same time: each keeps off those before it.

In a step a robot goes straight to a neighbour or waits. So two robots see each other go straight in a step, and are told apart exactly.
The search is A* over places and steps (Silver, Cooperative Pathfinding, 2005); the rest of the way as if alone is its estimate.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.formation.lattice import Lattice, exits, neighbour
from swarm_control.formation.legs import approach

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

    def whole(self, lattice: Lattice) -> float:
        """Length (m) of the shortest way; infinite if there is none."""
        return float((norm(lattice.places[self.entries] - self.begin) + self.length[self.entries]).min(initial=np.inf))


def one_by_one(lattice: Lattice, trips: list[Trip], keep: Array, rng: np.random.Generator) -> list[Array]:
    """Steps (T, N, 2) m of all robots, for several orders if need be; none if no order was found that works.

    The longest way comes first, then random orders; a robot that finds no way goes before all others next time. ``keep`` (N,) m as in
    :func:`~swarm_control.formation.legs.nearest`.
    """
    whole = np.array([trip.whole(lattice) for trip in trips])
    order = np.argsort(-whole, kind="stable")
    steps = int(2.0 * whole.max() / lattice.pitch) + 4 * len(trips) + 40
    for attempt in range(ORDERS):
        found, failed = _in_order(lattice, trips, keep, order, steps)
        if found is not None:
            return [found]
        rest = order[order != failed]
        order = np.concatenate(([failed], rest if attempt % 3 else rng.permutation(rest)))
    return []


def _in_order(lattice: Lattice, trips: list[Trip], keep: Array, order: IntArray, steps: int) -> tuple[Array | None, int]:
    """Steps of all robots, or None and the robot that finds no way."""
    n = len(trips)
    ways = np.empty((n, steps + 1, 2))
    begin = np.array([trip.begin for trip in trips])
    for k, i in enumerate(order):
        before, after = order[:k], order[k + 1 :]
        way = _search(
            lattice.places, lattice.sides, (lattice.rows, lattice.columns, lattice.pitch, trips[i].need, trips[i].direct),
            trips[i].begin, trips[i].end, trips[i].entries, exits(lattice, trips[i].last), trips[i].length, ways[:k], keep[before] + keep[i], begin[after],
            keep[after] + keep[i], steps,
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
def _search(places, sides, shape, begin, end, entries, last, length, ways, want, standing, stand_want, steps):  # type: ignore[no-untyped-def]
    """Places (T, 2) of the robot in each step, none if there is no way. Nodes M and M + 1 are its begin and its end."""
    rows, columns, pitch, need, direct = shape
    m = rows * columns
    came = np.zeros((steps + 1, m + 2), np.uint8)
    gates = np.full(steps + 1, -1)
    settled = _settled(end, ways, want, steps)
    whole = np.inf
    for e in entries:
        whole = min(whole, np.hypot(places[e, 0] - begin[0], places[e, 1] - begin[1]) + length[e])
    heap = [(whole, 0.0, np.int64(0), np.int64(m))]
    came[0, m] = STAY
    seen = 0
    while len(heap) > 0 and seen < VISITS:
        _, gone, step, node = heapq.heappop(heap)
        seen += 1
        if node == m + 1 and step >= settled:
            return _trace(came, gates, step, places, begin, end, columns, entries, m)
        if step == steps:
            continue
        x, y = (begin[0], begin[1]) if node == m else ((end[0], end[1]) if node == m + 1 else (places[node, 0], places[node, 1]))
        count = 1 + (len(entries) + direct if node == m else (0 if node == m + 1 else 9))
        for k in range(count):
            other, how, rest = node, STAY, 0.0
            if k > len(entries) and node == m:
                other, how = np.int64(m + 1), DIRECT
            elif k > 0 and node == m:
                other, how = entries[k - 1], ENTER
            elif k == 9:
                if not last[node]:
                    continue
                other, how = np.int64(m + 1), LEAVE
            elif k > 0:
                other, how = np.int64(neighbour(node, k - 1, sides, rows, columns, need)), k
                if other < 0:
                    continue
            if came[step + 1, other] != 0:
                continue
            nx, ny = x, y
            if other == m + 1:
                nx, ny = end[0], end[1]
            elif other == m:
                rest = whole
            else:
                nx, ny, rest = places[other, 0], places[other, 1], length[other]
            if rest == np.inf or _meets(x, y, nx, ny, step, ways, want):
                continue
            cost = gone + (WAIT * pitch if other == node else np.hypot(nx - x, ny - y))
            for q in range(len(standing)):
                if other != m and np.hypot(nx - standing[q, 0], ny - standing[q, 1]) < stand_want[q]:
                    cost += IN_THE_WAY * pitch
                    break
            came[step + 1, other] = how
            if how == LEAVE:
                gates[step + 1] = node
            heapq.heappush(heap, (cost + rest, cost, np.int64(step + 1), np.int64(other)))
    return np.empty((0, 2))


@njit(cache=True)
def _trace(came, gates, step, places, begin, end, columns, entries, m):  # type: ignore[no-untyped-def]
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
