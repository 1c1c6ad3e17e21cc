"""Fit: where is the structure, given where its robots are (Lewis & Tan §3.1, eq. 1).

Minimises ``Σ w_i·d(‖r_i − (R p_i + t)‖)`` over rotations R (no reflection, no scale) and translations t. For the squared distance the
optimum is closed (Kabsch 1976, Umeyama 1991); L1 and Huber are iteratively reweighted. What the data leave open — the heading of one
robot, of coincident robots, of nobody; in space the turn about a line — stays as it was before.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param

NORMS = ("squared", "l1", "huber")
INERTIA = 1e-12
"""Weight of the previous rotation, relative to the points' spread: it decides where the data do not."""


@dataclass(frozen=True)
class Fit:
    """Parameters of the fit."""

    norm: str = param("squared", "which distance is least: squared, or robust against outliers", choices=NORMS)
    knee: float = param(0.05, "distance from which Huber's norm is linear", unit="m", low=1e-6, high=100.0)
    iterations: int = param(30, "rounds of reweighting at most", low=1, high=1000)


@dataclass(frozen=True)
class Fitted:
    """A fit: ``pose`` (3,) of the structure in the world, and the distance (N,) m of each robot from its point; NaN for robots
    whose position is not finite.
    """

    pose: Array
    distance: Array

    @property
    def error(self) -> float:
        """The formation error: mean distance over the robots that have a position, m; 0 if none has."""
        known = self.distance[np.isfinite(self.distance)]
        return float(known.mean()) if known.size else 0.0


def fit(points: Array, position: Array, weight: Array, previous: Array, params: Fit) -> Fitted:
    """Fit ``points`` (N, 2) m, structure's frame, to the robots at ``position`` (N, 2) m, world frame.

    ``weight`` (N,) ≥ 0; robots whose position is not finite get weight zero. ``previous`` (3,) is the last pose: it stands where the
    robots leave the pose open, with all weights zero entirely. ``ValueError`` if the numbers of points, robots and weights differ.
    """
    if len(points) != len(position) or len(points) != len(weight):
        raise ValueError(f"{len(points)} points, {len(position)} robots and {len(weight)} weights; as many of each were expected")
    position, weight, previous = (np.ascontiguousarray(values, float) for values in (position, weight, previous))
    pose = _fit_plane(points, position, weight, previous, NORMS.index(params.norm), params.knee, params.iterations)
    distance: Array = _distances(points, position, pose)
    return Fitted(pose, distance)


def fit_spatial(points: Array, position: Array, weight: Array, previous: Array, params: Fit) -> tuple[Array, Array, Array]:
    """The same in space: ``points`` and ``position`` (N, 3), ``previous`` the last rotation matrix (3, 3).

    Returns the rotation (3, 3), the translation (3,) and the distances (N,); with all weights zero the translation is NaN.
    """
    if len(points) != len(position) or len(points) != len(weight):
        raise ValueError(f"{len(points)} points, {len(position)} robots and {len(weight)} weights; as many of each were expected")
    known = np.asarray(np.isfinite(position).all(axis=1))
    w = np.where(known, weight, 0.0)
    r = np.where(known[:, None], position, 0.0)
    rotation, shift, distance, used = previous, np.full(3, np.nan), np.full(len(points), np.nan), w
    for _ in range(1 if params.norm == "squared" else params.iterations):
        if used.sum() <= 0.0:
            break
        before = rotation, shift
        rotation, shift = _kabsch(points, r, used, previous)
        distance = np.where(known, np.sqrt(((points @ rotation.T + shift - r) ** 2).sum(axis=1)), np.nan)
        used = w * _influence(np.nan_to_num(distance), params)
        if np.abs(rotation - before[0]).max() + np.abs(shift - before[1]).max() < 1e-10:
            break
    return rotation, shift, distance


def _kabsch(points: Array, position: Array, weight: Array, previous: Array) -> tuple[Array, Array]:
    total = weight.sum()
    a, b = weight @ points / total, weight @ position / total
    p = points - a
    spread = (weight[:, None] * (position - b)).T @ p
    inertia = INERTIA * max(float((weight[:, None] * p * p).sum()), np.finfo(float).tiny)
    u, _, vt = np.linalg.svd(spread + inertia * previous)
    turn = np.diag((1.0, 1.0, np.sign(np.linalg.det(u @ vt))))
    rotation = u @ turn @ vt
    return rotation, b - rotation @ a


def _influence(distance: Array, params: Fit) -> Array:
    """Weights that make the squared norm's fit a step towards the robust one."""
    if params.norm == "l1":
        return 1.0 / np.maximum(distance, 1e-9)
    return np.minimum(1.0, params.knee / np.maximum(distance, 1e-12))


@njit(cache=True)
def _distances(points, position, pose):  # type: ignore[no-untyped-def]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x = pose[0] + c * points[:, 0] - s * points[:, 1] - position[:, 0]
    y = pose[1] + s * points[:, 0] + c * points[:, 1] - position[:, 1]
    return np.sqrt(x * x + y * y)


@njit(cache=True)
def _fit_plane(points, position, weight, previous, norm, knee, iterations):  # type: ignore[no-untyped-def]
    """Pose (3,): ``θ = atan2(Σ w p×r, Σ w p·r)`` about the weighted centroids, and the translation that puts these together."""
    base = np.zeros(len(points))
    for i in range(len(points)):
        if np.isfinite(position[i, 0]) and np.isfinite(position[i, 1]):
            base[i] = weight[i]
    pose, w = previous.copy(), base.copy()
    for _ in range(iterations if norm > 0 else 1):
        total = w.sum()
        if not total > 0.0:
            break
        ax = ay = bx = by = 0.0
        for i in range(len(points)):
            if w[i] > 0.0:
                ax += w[i] * points[i, 0] / total
                ay += w[i] * points[i, 1] / total
                bx += w[i] * position[i, 0] / total
                by += w[i] * position[i, 1] / total
        dot = cross = size = 0.0
        for i in range(len(points)):
            if w[i] > 0.0:
                px, py, rx, ry = points[i, 0] - ax, points[i, 1] - ay, position[i, 0] - bx, position[i, 1] - by
                dot += w[i] * (px * rx + py * ry)
                cross += w[i] * (px * ry - py * rx)
                size += w[i] * (px * px + py * py)
        inertia = INERTIA * max(size, 1e-12)
        yaw = np.arctan2(cross + inertia * np.sin(previous[2]), dot + inertia * np.cos(previous[2]))
        c, s = np.cos(yaw), np.sin(yaw)
        x, y = bx - c * ax + s * ay, by - s * ax - c * ay
        change = abs(x - pose[0]) + abs(y - pose[1]) + abs(yaw - pose[2])
        pose[0], pose[1], pose[2] = x, y, yaw
        if norm == 0 or change < 1e-10:
            break
        distance = _distances(points, position, pose)
        for i in range(len(points)):
            if base[i] > 0.0:
                d = distance[i]
                w[i] = base[i] * (1.0 / max(d, 1e-9) if norm == 1 else min(1.0, knee / max(d, 1e-12)))
    return pose
