"""Small swarms for tests: short ways to make fleets, states, neighbourhoods and rooms."""

from typing import Any

import numpy as np

import swarm_control.robots  # noqa: F401 - registers the models
from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.grid import Grid
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Fleet, Map, Neighbourhoods, Surroundings, SwarmState


def fleet(n: int, model: str = "omni", *, radius: float = 0.05, speed: float = 1.0, acceleration: float = 4.0, turn: float = 6.0) -> Fleet:
    """``n`` equal robots with wheels 0.1 m apart."""
    names = tuple(f"robot_{k}" for k in range(n))
    return Fleet(names, (model,) * n, *(np.full(n, v) for v in (radius, speed, acceleration, turn, 0.1)))


def swarm(position: Any, velocity: Any = None, heading: Any = 0.0, valid: BoolArray | None = None) -> SwarmState:
    """A state from positions (N, 2), velocities (N, 2) and headings (N,)."""
    position = np.array(position, float).reshape(-1, 2)
    n = len(position)
    moving = np.zeros((n, 2)) if velocity is None else np.array(velocity, float).reshape(-1, 2)
    pose = np.column_stack((position, np.broadcast_to(np.asarray(heading, float), n)))
    return SwarmState.of(0.0, pose, np.column_stack((moving, np.zeros(n))), valid)


def see(state: SwarmState, seed: int = 0, **params: Any) -> Neighbourhoods:
    """Whom everybody perceives; see :class:`Perception` for ``params``."""
    return perceive(state, Perception(**params), np.random.default_rng(seed))


def around(robots: Fleet, goal: Any = np.nan, map: Map | None = None, target: Any = np.nan) -> Surroundings:
    """Surroundings with one goal for all or a goal (N, 2) each."""
    goals = np.broadcast_to(np.asarray(goal, float), (len(robots), 2)).copy()
    return Surroundings(robots, goals, np.broadcast_to(np.asarray(target, float), 2).copy(), map)


def room(*walls: tuple[float, float, float, float], side: float = 10.0, resolution: float = 0.05, frame: bool = True) -> Grid:
    """A square room around the origin with rectangular ``walls`` (x low, x high, y low, y high) m."""
    cells = round(side / resolution)
    centre = (np.arange(cells) + 0.5) * resolution - 0.5 * side
    x, y = np.meshgrid(centre, centre)
    occupied = np.zeros((cells, cells), bool)
    for x0, x1, y0, y1 in walls:
        occupied |= (x > x0) & (x < x1) & (y > y0) & (y < y1)
    if frame:
        occupied[[0, -1], :] = occupied[:, [0, -1]] = True
    return Grid(occupied, (-0.5 * side, -0.5 * side), resolution)


def mapped(grid: Grid) -> Map:
    """The grid with its clearance."""
    return make_map(grid)


def random_swarm(rng: np.random.Generator, n: int, side: float) -> SwarmState:
    """``n`` robots anywhere in a square around the origin, moving anyhow."""
    position = rng.uniform(-0.5 * side, 0.5 * side, (n, 2))
    return swarm(position, rng.normal(0.0, 0.5, (n, 2)), rng.uniform(-np.pi, np.pi, n))


def rotated(vectors: Array, angle: float) -> Array:
    """Vectors (..., 2) turned by ``angle`` rad about the origin."""
    c, s = np.cos(angle), np.sin(angle)
    turned: Array = vectors @ np.array([[c, s], [-s, c]])
    return turned
