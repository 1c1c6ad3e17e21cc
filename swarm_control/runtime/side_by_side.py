"""Parts of a formation whose robots begin among each other take their places together, side by side, before each part goes its own way.

Each by itself would find the other's robots in its places. Two parts are apart where a line divides them, with room on both sides.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.formation.structure import Structure, members
from swarm_control.scenario.schema import Goal

TURNS = 2.0 * np.pi * np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8]) / 16.0
"""By so much (rad) the directions are turned, in this order, until parts have room."""

SHIFTS = np.vstack((np.zeros((1, 2)), *(far * np.column_stack((np.cos(TURNS[::2]), np.sin(TURNS[::2]))) for far in (0.25, 0.5, 0.75, 1.0))))
"""By so many times its width all of it is then moved."""


def side_by_side(
    parts: Sequence[Structure], position: Array, fleet: tuple[str, ...], goals: Sequence[Goal], room: float,
    clear: Callable[[Array], bool] = lambda points: True,
) -> Structure | None:  # fmt: skip
    """All ``parts`` in one structure, as far from each other as keeps ``room`` (m) between points of different parts.

    ``position`` (N, 2) m are the robots of the ``fleet``, world frame. Parts move away from each other in directions that divide the circle
    evenly, in the order in which their first ``goals`` lie around their middle, so that two need not cross on their ways; parts without a
    goal by where they are. Where that is not ``clear`` for the points (N, 2) m, other directions are tried, and places beside it. None
    where no two of them are among each other, robots and points taken together, and where nothing is clear.
    """
    held = [np.vstack((part.world, position[members(part.names, fleet)])) for part in parts]
    if not any(gap(a, b) < room for a, b in itertools.combinations(held, 2)):
        return None
    angle = _directions(parts, goals)
    made = [_apart(parts, angle + turn, room) for turn in TURNS]
    for shift in SHIFTS:
        for one in made:
            moved = one.at(one.pose + np.append(2.0 * float(norm(one.points).max()) * shift, 0.0))
            if clear(moved.world):
                return moved
    return None


def _apart(parts: Sequence[Structure], angle: Array, room: float) -> Structure:
    """The ``parts`` moved away from each other at these angles (K,) rad."""
    away, places = np.column_stack((np.cos(angle), np.sin(angle))), [part.world for part in parts]
    far = 0.0
    for i, j in itertools.combinations(range(len(parts)), 2):
        if gap(places[i], places[j]) < room or len(parts) > 2:
            apart = float(norm(away[i] - away[j]))
            line = (away[i] - away[j]) / apart
            far = max(far, (room - float((places[i] @ line).min() - (places[j] @ line).max())) / apart)
    return reduce(Structure.merge, [part.at(part.pose + far * np.append(way, 0.0)) for part, way in zip(parts, away)]).centred()


def gap(a: Array, b: Array) -> float:
    """How far apart (m) the convex hulls of points ``a`` (N, 2) and ``b`` (M, 2) m are; 0 where they overlap."""
    from shapely import MultiPoint

    return float(MultiPoint(a).convex_hull.distance(MultiPoint(b).convex_hull))


def _directions(parts: Sequence[Structure], goals: Sequence[Goal]) -> Array:
    """Angles (K,) rad of the directions in which the parts move."""
    first = [next((goal.position for goal in goals if goal.part == k), None) for k in range(1, len(parts) + 1)]
    sent = None not in first
    to = np.array([goal if sent else part.world.mean(axis=0) for goal, part in zip(first, parts)], float)
    angle = np.arctan2(*(to - to.mean(axis=0)).T[::-1])
    rank = np.argsort(np.argsort((angle - angle[0]) % (2.0 * np.pi), kind="stable"), kind="stable")
    turned: Array = angle[0] + 2.0 * np.pi * rank / len(parts)
    return turned
