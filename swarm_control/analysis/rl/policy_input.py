"""What a policy is told of each robot, as one row of numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.core.walldistance import WallDistance, wall_distance

OWN = 7
"""Numbers on the robot itself and its goal."""
PER_NEIGHBOUR = 5
"""Numbers on each neighbour."""


@dataclass(frozen=True)
class ObservationLayout:
    """How a row is laid out; all of it along the world's axes.

    0, 1: own velocity (m/s). 2, 3: unit vector towards the goal, and 4: how far (m) it is; zeros without a goal. 5, 6: cosine and sine of
    the heading. Then for each of the ``neighbours`` nearest robots, the nearest first: relative position x, y (m), relative velocity x, y
    (m/s), and 1; five zeros where there are not so many. Then, where there is a map, ``rays`` distances (m) from the robot's centre to
    the nearest wall, anticlockwise from the world's x axis, at most ``reach``.
    """

    neighbours: int = 5
    rays: int = 8
    reach: float = 3.0

    def size(self, mapped: bool) -> int:
        """Numbers in a row."""
        return OWN + PER_NEIGHBOUR * self.neighbours + (self.rays if mapped else 0)


class PolicyInput:
    """Makes observations of N robots on ``grid``; None: open space."""

    def __init__(self, layout: ObservationLayout, grid: Grid | None) -> None:
        self.layout = layout
        self.walls = None if grid is None else WallDistance(grid)

    def observe(self, state: SwarmState, goal: Array) -> NDArray[np.float32]:
        """Rows (N, D); ``goal`` (N, 2) m, NaN for robots without one."""
        n, layout = len(state), self.layout
        rows = np.zeros((n, layout.size(self.walls is not None)), np.float32)
        way = np.nan_to_num(goal - state.position)
        far = np.hypot(way[:, 0], way[:, 1])
        rows[:, 0:2] = state.velocity[:, :2]
        rows[:, 2:4] = way / np.maximum(far, 1e-9)[:, None]
        rows[:, 4] = far
        rows[:, 5], rows[:, 6] = np.cos(state.pose[:, 2]), np.sin(state.pose[:, 2])
        near = nearest(state.position, layout.neighbours)
        k = near.shape[1]
        others = rows[:, OWN : OWN + PER_NEIGHBOUR * k].reshape(n, k, PER_NEIGHBOUR)
        others[:, :, 0:2] = state.position[near] - state.position[:, None]
        others[:, :, 2:4] = state.velocity[near, :2] - state.velocity[:, None, :2]
        others[:, :, 4] = 1.0
        rows[:, OWN : OWN + PER_NEIGHBOUR * k] = others.reshape(n, k * PER_NEIGHBOUR)
        if self.walls is not None:
            rows[:, OWN + PER_NEIGHBOUR * layout.neighbours :] = _cast(n, self.walls.table, state.pose, layout.rays, layout.reach)
        return rows

    def clearance(self, state: SwarmState, radius: Array) -> Array:
        """Distance (N,) m from each footprint to the nearest wall; infinite in open space."""
        return np.full(len(state), np.inf) if self.walls is None else self.walls.distance(state.position) - radius


def nearest(position: Array, k: int) -> NDArray[np.int64]:
    """The (at most) ``k`` robots nearest to each (N, k), the nearest first."""
    n = len(position)
    k = min(k, n - 1)
    if k <= 0:
        return np.empty((n, 0), np.int64)
    if n > 200:
        from scipy.spatial import cKDTree

        return np.asarray(cKDTree(position).query(position, k=k + 1)[1][:, 1:], np.int64)
    offset = position[:, None] - position[None]
    square = np.einsum("ijk,ijk->ij", offset, offset)
    np.fill_diagonal(square, np.inf)
    return np.argsort(square, axis=1, kind="stable")[:, :k]


def _cast_loop(table, pose, rays, reach):  # type: ignore[no-untyped-def]
    """Distance (N, rays) along each ray to a wall, at most ``reach``: each step goes as far as no wall is near."""
    n = len(pose)
    result = np.empty((n, rays))
    for i in prange(n):
        for k in range(rays):
            dx, dy = np.cos(2.0 * np.pi * k / rays), np.sin(2.0 * np.pi * k / rays)
            way = 0.0
            while way < reach:
                free = wall_distance(table, pose[i, 0] + way * dx, pose[i, 1] + way * dy, reach)
                if free < 1e-3:
                    break
                way += free
            result[i, k] = min(way, reach)
    return result


_cast = Kernel(_cast_loop)
