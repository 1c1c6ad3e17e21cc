"""Who feels the urge to the goal: leaders, each with a subgoal on the goal's circle (Adeola et al. §2.5)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import SwarmState


@dataclass(frozen=True)
class Leaders:
    """Parameters of leadership."""

    count: int = param(0, "robots that feel the urge to the goal; 0: all of them", low=0, high=1000)
    method: str = param("nearest", "who may lead: the robots nearest the goal, or nearest of the hull", choices=("nearest", "hull"))


def subgoals(target: Array, radius: float, count: int) -> Array:
    """Return ``count`` equidistant points (count, 2) on the circle of ``radius`` (m) around ``target`` (2,), world frame."""
    angle = 2.0 * np.pi * np.arange(count) / count
    return target + radius * np.stack((np.cos(angle), np.sin(angle)), axis=-1)


def assign_goals(state: SwarmState, target: Array, radius: float, params: Leaders) -> Array:
    """Goal of each robot, (N, 2) m, world frame; NaN for robots that do not lead.

    With ``count`` 0 everyone is urged to ``target`` (global migratory urge). Otherwise there are as many subgoals as leaders, each
    with the nearest candidate; no robot leads twice, the sum of distances is least. A ``target`` of NaN urges nobody.
    """
    from scipy.optimize import linear_sum_assignment

    goal = np.full((len(state), 2), np.nan)
    candidates = np.flatnonzero(state.valid)
    if np.isnan(target).any() or candidates.size == 0:
        return goal
    if params.count == 0:
        goal[candidates] = target
        return goal
    if params.method == "hull":
        candidates = candidates[hull(state.position[candidates])]
    points = subgoals(target, radius, params.count)
    candidates = _nearest(state.position, candidates, points)
    distance = norm(state.position[candidates][:, None] - points[None])
    robots, chosen = linear_sum_assignment(distance)
    goal[candidates[robots]] = points[chosen]
    return goal


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
