"""From many small steps of all robots to few straight legs."""

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.formation.forming.among_walls import Walls
from swarm_control.formation.forming.legs import Ramp, free
from swarm_control.formation.forming.spot_turns import SHORT, Turners

ROUND = 2.0
"""A turn on the spot counts as this many seconds when legs are chosen."""

AHEAD = 40
"""TimedLegs that skip more steps than this are not looked for once this many in a row were not free."""


def straightened(way: Array, walls: Walls, keep: Array, turners: Turners) -> Array:
    """Knots (K, N, 2) m out of the steps of ``way`` (T, N, 2) m: the quickest sequence of straight legs that are all free.

    Shortest ways over the steps: a leg from one step to a later one costs its time, and a turn where robots roll.
    """
    last, spot = len(way) - 1, ROUND if turners.rolls.any() else 0.0
    cost, before = np.full(last + 1, np.inf), np.zeros(last + 1, int)
    cost[0] = 0.0
    for a in range(last):
        refused = 0
        for b in range(a + 1, last + 1):
            far = norm(way[b] - way[a])
            total = cost[a] + Ramp.of(far, turners.limits).duration + (spot if far.max() > SHORT else 0.0)
            if total >= cost[b]:
                continue
            if b > a + 1 and not (free(way[[a, b]], keep) and walls.clear(way[[a, b]])):
                refused += 1
                if refused > AHEAD:
                    break
                continue
            refused = 0
            if total < cost[b]:
                cost[b], before[b] = total, a
    chosen = [last]
    while chosen[-1] > 0:
        chosen.append(int(before[chosen[-1]]))
    return way[chosen[::-1]]


def lone_shortcuts(way: Array, walls: Walls, keep: Array) -> Array:
    """The steps ``way`` (T, N, 2) m with each robot's made straight by itself, as far as walls and the others' ways allow."""
    way = way.copy()
    last = len(way) - 1
    for _ in range(2):
        for i in range(way.shape[1]):
            a = 0
            while a < last - 1:
                a = _shortcut(way, i, a, walls, keep)
    return way


def _shortcut(way: Array, i: int, a: int, walls: Walls, keep: Array) -> int:
    """Make the way of robot i straight from step ``a`` to one as late as possible, in place; return that one."""
    b, far = a + 1, 2
    one = np.array([i])
    while a + far < len(way):
        c = a + far
        share = np.linspace(0.0, 1.0, c - a + 1)[:, None]
        line = way[a, i] + share * (way[c, i] - way[a, i])
        if not walls.passes(way[None, a, i], way[None, c, i], one)[0] or _meets(way[a : c + 1], i, line, keep):
            break
        way[a : c + 1, i] = line
        b, far = c, max(far + 1, int(1.3 * far))
    return b


def _meets(way: Array, i: int, line: Array, keep: Array) -> bool:
    """Whether robot i on its ``line`` (T, 2) m comes too near to the others on their ``way`` (T, N, 2) m."""
    a = line[:-1, None] - way[:-1]
    d = line[1:, None] - way[1:] - a
    square = (d * d).sum(axis=2)
    s = np.clip(-(a * d).sum(axis=2) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    far, want = norm(a + s[..., None] * d), keep + keep[i]
    close = (far < want) & (far < norm(a) - 1e-9)
    close[:, i] = False
    return bool(close.any())
