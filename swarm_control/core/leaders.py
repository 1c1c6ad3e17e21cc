"""Who feels the urge to the goal: leaders, each with a subgoal on the goal's circle (Adeola et al. §2.5)."""

import math
from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import jit
from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import SwarmState


@dataclass(frozen=True)
class Leaders:
    """Parameters of leadership."""

    count: int = param(0, "robots that feel the urge to the goal; 0: all of them", low=0, high=1000)
    per: int = param(0, "count is of so many robots, and grows with the flock; 0: of all", low=0, high=100000)
    method: str = param("nearest", "who may lead: the robots nearest the goal, or nearest of the hull", choices=("nearest", "hull"))
    everywhere: bool = param(True, "whether a part of the flock that has lost sight of the rest gets leaders of its own")

    def number(self, robots: int) -> int:
        """How many of so many ``robots`` lead; 0: all."""
        return self.count if self.per == 0 else math.ceil(self.count * robots / self.per - 1e-9)


def assign_goals(state: SwarmState, target: Array, points: Array, params: Leaders, sight: float = np.inf) -> Array:
    """Goal of each robot, (N, 2) m, world frame; NaN for robots that do not lead.

    Without leaders everyone is urged to ``target`` (2,) (global migratory urge). Otherwise each of the ``points`` (K, 2), the subgoals, has
    the nearest candidate for its leader; no robot leads twice, the sum of distances is least. Robots that are out of each other's
    ``sight`` (m), and of that of those in between, are parts of the flock: in a part that has fewer leaders than its share more robots
    are urged to the nearest of the points. A ``target`` of NaN urges nobody.
    """
    goal = np.full((len(state), 2), np.nan)
    everybody = candidates = np.flatnonzero(state.valid)
    if np.isnan(target).any() or candidates.size == 0:
        return goal
    if params.number(len(state)) == 0:
        goal[candidates] = target
        return goal
    from scipy.optimize import linear_sum_assignment  # slow to load, and few swarms have leaders

    if params.method == "hull":
        candidates = candidates[hull(state.position[candidates])]
    candidates = _nearest(state.position, candidates, points)
    distance = norm(state.position[candidates][:, None] - points[None])
    robots, chosen = linear_sum_assignment(distance)
    goal[candidates[robots]] = points[chosen]
    if params.everywhere and np.isfinite(sight):
        _lead_the_lost(state.position, everybody, points, len(points) / len(state), sight, goal)
    return goal


def _lead_the_lost(position: Array, candidates: IntArray, points: Array, share: float, sight: float, goal: Array) -> None:
    """Urge the foremost robots of each part that has fewer leaders than its share to the nearest of the ``points``."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(position[candidates]).query_pairs(sight, output_type="ndarray")
    part = _parts(pairs, len(candidates))
    size = np.bincount(part)
    follows = np.isnan(goal[candidates, 0])
    needed = np.ceil(share * size - 1e-9).astype(int) - np.bincount(part[~follows], minlength=len(size))
    for lost in np.flatnonzero(needed > 0):
        members = candidates[(part == lost) & follows]
        away = norm(position[members][:, None] - points[None])
        first = np.argsort(away.min(axis=1), kind="stable")[: needed[lost]]
        goal[members[first]] = points[away[first].argmin(axis=1)]


@jit
def _parts(pairs, count):  # type: ignore[no-untyped-def]
    """In which connected part of the graph with these ``pairs`` (K, 2) of nodes each of ``count`` nodes is, from 0 in their order."""
    root = np.arange(count)
    for k in range(len(pairs)):
        a, b = pairs[k]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        root[max(a, b)] = min(a, b)
    part, number = np.empty(count, np.int64), 0
    for i in range(count):  # a part's root is the first of its nodes
        if root[i] == i:
            part[i] = number
            number += 1
        else:
            part[i] = part[root[i]]
    return part


def _nearest(position: Array, candidates: IntArray, points: Array) -> IntArray:
    """Candidates that can matter: the best assignment takes each of the k ``points`` (k, 2) to one of its k nearest."""
    count = len(points)
    if len(candidates) * count <= 1_000_000:
        return candidates
    from scipy.spatial import cKDTree

    nearest = cKDTree(position[candidates]).query(points, min(count, len(candidates)))[1]
    return np.asarray(candidates[np.unique(nearest)])


def hull(position: Array) -> IntArray:
    """Indices of the points (n, 2) on the convex hull; all of them when they span no area."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.sort(ConvexHull(position).vertices).astype(np.int64)
    except (QhullError, ValueError):
        return np.arange(len(position))
