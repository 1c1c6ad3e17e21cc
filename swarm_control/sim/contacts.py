"""Contacts of one step: whose way would lead into another robot or into a wall.

A step is a straight way from centre to centre. Discs touch when the closest approach of their ways is nearer than the sum of their
radii; who would touch is *blocked* and stays, as a collision stalls a robot in Stage. A robot that stays may be in the way of others:
those are found in further rounds, each for all robots at once, until nobody is added. The outcome does not depend on the order of
the robots. Ways on which nothing gets nearer are free, so robots that overlap at the start can part.
"""

import numpy as np

from swarm_control.core.cells import cell_of
from swarm_control.core.compiled import Kernel, jit, njit, prange
from swarm_control.core.walldistance import wall_distance, way_distance

SKIN = 1e-9
"""Room (m) that is kept between footprints that stop each other, against rounding."""

FREE, OVERLAPS, BLOCKED = 0, 1, 2
"""What a way meets: nothing, something that it does not get nearer to, something in the way."""


@njit(cache=True, inline="always")
def meeting(x: float, y: float, mx: float, my: float, touch: float) -> int:
    """How two discs meet: offset (x, y) m, relative move (mx, my) m, sum of radii ``touch`` (m).

    The closest approach is at ``t = −p·m/m²``, clipped to [0, 1]; nobody is blocked unless they approach: p·m < 0.
    """
    along, square = x * mx + y * my, mx * mx + my * my
    if along < 0.0 and square > 1e-300:
        t = min(-along / square, 1.0)
        cx, cy = x + t * mx, y + t * my
        if cx * cx + cy * cy < (touch + SKIN) * (touch + SKIN):
            return BLOCKED
    return OVERLAPS if x * x + y * y < (touch - SKIN) * (touch - SKIN) else FREE


@njit(cache=True, inline="always")
def meeting_of(a, b, pose, move, radius):  # type: ignore[no-untyped-def]
    """How robots ``a`` and ``b`` meet."""
    x, y = pose[b, 0] - pose[a, 0], pose[b, 1] - pose[a, 1]
    return meeting(x, y, move[b, 0] - move[a, 0], move[b, 1] - move[a, 1], radius[a] + radius[b])


@njit(cache=True, inline="always")
def block_of(x, y, cells):  # type: ignore[no-untyped-def]
    """Rows and columns [low, high) of the nine cells around (x, y), and the number of columns."""
    _, _, origin, size, rows, columns = cells
    i, j = cell_of(y, origin[1], size, rows), cell_of(x, origin[0], size, columns)
    return max(i - 1, 0), min(i + 2, rows), max(j - 1, 0), min(j + 2, columns), columns


def _walls_loop(table, pose, move, radius):  # type: ignore[no-untyped-def]
    """What each robot's way meets of the walls (N,); the moves of blocked robots become zero."""
    n = len(pose)
    met = np.zeros(n, np.int8)
    for i in prange(n):
        x, y, mx, my = pose[i, 0], pose[i, 1], move[i, 0], move[i, 1]
        room = radius[i] + SKIN
        reach = room + 0.5 * np.sqrt(mx * mx + my * my)
        if wall_distance(table, x + 0.5 * mx, y + 0.5 * my, reach) >= reach:
            continue
        here = wall_distance(table, x, y, room)
        if way_distance(table, x, y, mx, my, room) < here:
            met[i] = BLOCKED
            move[i, 0], move[i, 1] = 0.0, 0.0
        elif here < radius[i] - SKIN:
            met[i] = OVERLAPS
    return met


def _robots_loop(cells, pose, move, radius):  # type: ignore[no-untyped-def]
    """What each robot's way meets of the other robots (N,)."""
    order, start = cells[0], cells[1]
    n = len(pose)
    met = np.empty(n, np.int8)
    packed = np.empty((n, 5))  # x, y, move and radius in the order of the cells, so that neighbours lie side by side in memory
    for k in prange(n):
        a = order[k]
        packed[k, 0], packed[k, 1], packed[k, 2], packed[k, 3], packed[k, 4] = pose[a, 0], pose[a, 1], move[a, 0], move[a, 1], radius[a]
    for k in prange(n):
        x, y, mx, my, r = packed[k, 0], packed[k, 1], packed[k, 2], packed[k, 3], packed[k, 4]
        low_i, high_i, low_j, high_j, columns = block_of(x, y, cells)
        most = FREE
        for i in range(low_i, high_i):
            for m in range(start[i * columns + low_j], start[i * columns + high_j]):
                if m != k:
                    other = packed[m]
                    most = max(most, meeting(other[0] - x, other[1] - y, other[2] - mx, other[3] - my, r + other[4]))
        met[order[k]] = most
    return met


@jit
def settle(cells, pose, move, radius, met):  # type: ignore[no-untyped-def]
    """From what each robot meets on its way (N,) find everybody who is blocked; moves of blocked robots become zero.

    Returns who is blocked by a robot (N,), and a key ``a·(N + 1) + b``, a < b, for each pair that meets, some of them twice.
    """
    order, start = cells[0], cells[1]
    n = len(pose)
    blocked, waiting = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    keys, count = np.empty(64, np.int64), 0
    fresh = np.flatnonzero(met)
    while len(fresh) > 0:
        for a in fresh:
            low_i, high_i, low_j, high_j, columns = block_of(pose[a, 0], pose[a, 1], cells)
            for i in range(low_i, high_i):
                for k in range(start[i * columns + low_j], start[i * columns + high_j]):
                    b = order[k]
                    kind = meeting_of(a, b, pose, move, radius)
                    if b == a or kind == FREE:
                        continue
                    if kind == BLOCKED:
                        waiting[b] = True
                    if count == len(keys):
                        keys = np.concatenate((keys, np.empty_like(keys)))
                    keys[count] = min(a, b) * (n + 1) + max(a, b)
                    count += 1
        fresh = np.flatnonzero(waiting)
        for a in fresh:
            blocked[a], waiting[a] = True, False
            move[a, 0], move[a, 1] = 0.0, 0.0
    return blocked, keys[:count]


meet_walls = Kernel(_walls_loop)
meet_robots = Kernel(_robots_loop)
