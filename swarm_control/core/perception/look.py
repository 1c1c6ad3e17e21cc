"""Who is within a robot's radius and field of view, found cell by cell."""

import numpy as np

from swarm_control.core.cells import cell_of, sort_into_cells
from swarm_control.core.compiled import PARALLEL_FROM, Kernel, jit, njit, prange
from swarm_control.core.geometry import BoolArray
from swarm_control.core.state import Neighbourhoods, SwarmState

ALL_ROUND = -2.0
"""Stands for the cosine of half the field of view where there is no limit to it."""


def look(state: SwarmState, radius: float, field_of_view: float = 360.0, asked: BoolArray | None = None) -> Neighbourhoods:
    """Whom each robot has within ``radius`` (m) and ``field_of_view`` (deg), exactly; their borders, but for rounding, are within.

    ``asked`` (N,): whose neighbours are wanted, the others get none; None: everybody's. Those are found once in a state, if all round.

    Robots are gone through cell by cell, on copies that lie in that order, so that what is read together lies together. First
    everybody's neighbours are found and noted in a list with room for all candidates (those in the nine cells around), then, when
    their numbers and so the rows are known, they are written to where they belong.
    """
    if asked is not None or field_of_view < 360.0:
        return _found(state, radius, field_of_view, state.valid if asked is None else asked, 0.0)
    for seen in state.seen:
        if seen.within == radius:
            return seen
    state.seen.append(_found(state, radius, field_of_view, state.valid, radius))
    return state.seen[-1]


def look_around(state: SwarmState, radius: float) -> Neighbourhoods:
    """Whom each robot has within ``radius`` (m) all round, and maybe others: what has been seen farther in the same state serves."""
    for seen in state.seen:
        if seen.within >= radius:
            return seen
    return look(state, radius)


def border(radius: float) -> float:
    """The largest square of a distance (m²) that is within ``radius`` (m)."""
    return (radius * (1.0 + 1e-12)) ** 2


def _found(state: SwarmState, radius: float, field_of_view: float, asked: BoolArray, within: float) -> Neighbourhoods:
    n = len(state)
    cells = sort_into_cells(state.pose, state.valid, radius)
    half_view = np.cos(np.deg2rad(field_of_view) / 2.0) - 1e-12 if field_of_view < 360.0 else ALL_ROUND
    square, table = border(radius), (cells.start, cells.origin, cells.size, cells.rows, cells.columns)
    if n < PARALLEL_FROM:
        start, index, offset, velocity, distance = _look(*table, cells.order, asked, state.pose, state.velocity, square, half_view)
        return Neighbourhoods(start, index, offset, velocity, distance, within)
    members = len(cells.order)
    packed, room = np.empty((6, members)), np.zeros(members + 1, np.int64)
    _pack(n, table, cells.order, asked, state.pose, state.velocity, half_view, packed, room[1:])
    np.cumsum(room, out=room)
    near, start = np.empty(room[-1], np.uint32), np.zeros(n + 1, np.int64)
    _find(n, table, cells.order, packed, square, half_view, room, near, start[1:])
    np.cumsum(start, out=start)
    pairs = start[-1]
    seen = Neighbourhoods(start, np.empty(pairs, np.int64), np.empty((pairs, 2)), np.empty((pairs, 2)), np.empty(pairs), within)
    _fill(n, cells.order, packed, room, near, start, seen.index, seen.offset, seen.velocity, seen.distance)
    return seen


@njit(cache=True, inline="always")
def _block(x, y, table):  # type: ignore[no-untyped-def]
    """Rows [low, high) and columns [low, high) of the nine cells around (x, y)."""
    _, origin, size, rows, columns = table
    i, j = cell_of(y, origin[1], size, rows), cell_of(x, origin[0], size, columns)
    return max(i - 1, 0), min(i + 2, rows), max(j - 1, 0), min(j + 2, columns)


def _pack_loop(table, order, asked, pose, velocity, half_view, packed, room):  # type: ignore[no-untyped-def]
    """Copy x, y, vx, vy and, where the view is limited, cos θ, sin θ in the order of cells, a row each.

    ``room``: how many candidates each robot has, itself included; none, whose neighbours are not ``asked`` for.
    """
    start, columns = table[0], table[4]
    for s in prange(len(order)):
        a = order[s]
        packed[0, s], packed[1, s], packed[2, s], packed[3, s] = pose[a, 0], pose[a, 1], velocity[a, 0], velocity[a, 1]
        if half_view > ALL_ROUND:
            packed[4, s], packed[5, s] = np.cos(pose[a, 2]), np.sin(pose[a, 2])
        room[s] = 0
        if not asked[a]:
            continue
        low_i, high_i, low_j, high_j = _block(pose[a, 0], pose[a, 1], table)
        candidates = 0
        for i in range(low_i, high_i):
            candidates += start[i * columns + high_j] - start[i * columns + low_j]
        room[s] = candidates


def _find_loop(table, order, packed, square, half_view, room, near, count):  # type: ignore[no-untyped-def]
    """Note in ``near`` whom each robot sees, itself included, and in ``count`` how many others.

    Every candidate is written, and who is seen moves the place of the next one on: that spares a branch that nobody can predict.
    Indices are unsigned, which spares a check whether they count from the end.
    """
    start, columns = table[0], table[4]
    xs, ys = packed[0], packed[1]
    for s in prange(len(order)):
        if room[s + 1] == room[s]:
            continue
        x, y, hx, hy = xs[s], ys[s], packed[4, s], packed[5, s]
        low_i, high_i, low_j, high_j = _block(x, y, table)
        m = room[s]
        for i in range(low_i, high_i):
            for k in range(np.uint64(start[i * columns + low_j]), np.uint64(start[i * columns + high_j])):
                dx, dy = xs[k] - x, ys[k] - y
                dd = dx * dx + dy * dy
                near[m] = k
                if dd <= square and (half_view <= ALL_ROUND or dd == 0.0 or dx * hx + dy * hy >= np.sqrt(dd) * half_view):
                    m += 1
        count[order[s]] = m - room[s] - 1


def _fill_loop(order, packed, room, near, first, index, offset, velocity, distance):  # type: ignore[no-untyped-def]
    xs, ys, us, vs = packed[0], packed[1], packed[2], packed[3]
    for s in prange(len(order)):
        a, m = order[s], room[s]
        for p in range(np.uint64(first[a]), np.uint64(first[a + 1])):
            if near[m] == s:
                m += 1
            k = near[m]
            m += 1
            dx, dy = xs[k] - xs[s], ys[k] - ys[s]
            index[p], distance[p] = order[k], np.sqrt(dx * dx + dy * dy)
            offset[p, 0], offset[p, 1] = dx, dy
            velocity[p, 0], velocity[p, 1] = us[k] - us[s], vs[k] - vs[s]


_pack = Kernel(_pack_loop)
_find = Kernel(_find_loop)
_fill = Kernel(_fill_loop)
_pack_serial, _find_serial, _fill_serial = _pack.serial, _find.serial, _fill.serial


@jit
def _look(start, origin, size, rows, columns, order, asked, pose, velocity, square, half_view):  # type: ignore[no-untyped-def]
    """All of it in one call, which is most of what few robots cost: the fields of :class:`Neighbourhoods`."""
    table, members = (start, origin, size, rows, columns), len(order)
    packed, room = np.empty((6, members)), np.zeros(members + 1, np.int64)
    _pack_serial(table, order, asked, pose, velocity, half_view, packed, room[1:])
    for s in range(members):
        room[s + 1] += room[s]
    near, first = np.empty(room[-1], np.uint32), np.zeros(len(pose) + 1, np.int64)
    _find_serial(table, order, packed, square, half_view, room, near, first[1:])
    for i in range(len(pose)):
        first[i + 1] += first[i]
    pairs = first[-1]
    index, offset, onward, distance = np.empty(pairs, np.int64), np.empty((pairs, 2)), np.empty((pairs, 2)), np.empty(pairs)
    _fill_serial(order, packed, room, near, first, index, offset, onward, distance)
    return first, index, offset, onward, distance
