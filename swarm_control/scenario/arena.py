"""Worlds made to measure: a framed square whose area and obstacles grow with the number of robots."""

import numpy as np

from swarm_control.core.grid import Grid
from swarm_control.scenario.schema import Arena


def make_arena(arena: Arena, robots: int, rng: np.random.Generator) -> Grid:
    """Return the grid of an ``arena`` for this many robots, centred on the origin, with a frame and scattered round obstacles."""
    side = max(float(np.sqrt(robots * arena.area_per_robot)), 4.0)
    cells = int(np.ceil(side / arena.resolution)) + 2
    low = -0.5 * cells * arena.resolution
    occupied = np.zeros((cells, cells), bool)
    occupied[[0, -1], :] = occupied[:, [0, -1]] = True
    count = int(side * side / arena.obstacle_area) if arena.obstacle_area > 0.0 else 0
    disc = _disc(arena.obstacle_radius / arena.resolution)
    half = disc.shape[0] // 2
    for i, j in rng.integers(half + 1, max(cells - half - 1, half + 2), (count, 2)):
        patch = occupied[i - half : i + half + 1, j - half : j + half + 1]
        patch |= disc[: patch.shape[0], : patch.shape[1]]
    return Grid(occupied, (low, low), arena.resolution)


def _disc(radius: float) -> np.ndarray:
    half = int(np.ceil(radius))
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    return np.asarray(x * x + y * y <= radius * radius)
