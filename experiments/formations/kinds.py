"""Worlds made for formations: clutter, a gap, a slalom, a corridor with bends, rooms, pillars; with a free place at start and goal."""

import itertools
from collections.abc import Callable

import numpy as np
from scipy import ndimage

from swarm_control.core.geometry import BoolArray

SIZE, PIXEL, FRAME = 12.0, 0.05, 0.1
"""Side of the square worlds, of their pixels, and thickness of walls, m."""

START, GOAL = (-3.8, -3.8), (3.8, 3.8)
"""Where robots start and where the formation is to go, m."""

Walls = BoolArray


def world(kind: str, width: float, clear: float, rng: np.random.Generator) -> BoolArray:
    """Walls (H, W), row 0 on top: passages at least ``width`` (m) wide, nothing within ``clear`` (m) of start and goal."""
    middles = (np.arange(round(SIZE / PIXEL)) + 0.5) * PIXEL - SIZE / 2
    x, y = np.meshgrid(middles, middles[::-1])
    spared = np.minimum(np.hypot(x - START[0], y - START[1]), np.hypot(x - GOAL[0], y - GOAL[1])) < clear
    while True:
        walls = (KINDS[kind](x, y, width, rng) & ~spared) | (np.maximum(abs(x), abs(y)) > SIZE / 2 - FRAME)
        if _passable(walls, width):
            return walls


def _clutter(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    walls = np.zeros(x.shape, bool)
    for _ in range(rng.integers(8, 20)):
        cx, cy, turn = *rng.uniform(-5.0, 5.0, 2), rng.uniform(0.0, np.pi)
        u, v = np.cos(turn) * (x - cx) + np.sin(turn) * (y - cy), np.cos(turn) * (y - cy) - np.sin(turn) * (x - cx)
        size = rng.uniform(0.2, 1.2, 2)
        walls |= np.asarray(np.hypot(u, v) < size[0] / 2 if rng.random() < 0.5 else (abs(u) < size[0] / 2) & (abs(v) < size[1] / 2))
    return walls


def _gap(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    """A wall across, from corner to corner or upright, with one gap."""
    turn, at, along = rng.uniform(0.0, np.pi / 2), rng.uniform(-0.8, 0.8), rng.uniform(-1.5, 1.5)
    u, v = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
    thick = rng.uniform(0.1, 0.8)
    return np.asarray((abs(u - at) < thick / 2) & (abs(v - along) > width / 2))


def _slalom(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    """Walls across, open on one side and then on the other."""
    walls, count = np.zeros(x.shape, bool), int(rng.integers(2, 5))
    for k, at in enumerate(np.linspace(-2.0, 2.0, count)):
        side, open_ = (1.0 if k % 2 else -1.0), max(width, rng.uniform(1.0, 3.0))
        walls |= (abs(y - at) < FRAME) & (side * x < SIZE / 2 - open_)
    return walls


def _bends(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    """A corridor from corner to corner with right-angled bends."""
    free, half = np.zeros(x.shape, bool), max(width, 0.8) * rng.uniform(0.5, 0.8)
    turns = np.sort(rng.uniform(-2.5, 2.5, 2))
    corners = np.array([START, (turns[0], START[1]), (turns[0], 0.0), (turns[1], 0.0), (turns[1], GOAL[1]), GOAL])
    for a, b in itertools.pairwise(corners):
        low, high = np.minimum(a, b) - half, np.maximum(a, b) + half
        free |= (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])
    return ~free


def _rooms(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    """Four rooms with a door in each wall between them, somewhere."""
    walls = np.zeros(x.shape, bool)
    for u, v in ((x, y), (y, x)):
        doors = rng.uniform(1.5, SIZE / 2 - 1.5, 2) * np.array([-1.0, 1.0])
        door = np.minimum(abs(v - doors[0]), abs(v - doors[1])) < width / 2
        walls |= (abs(u) < FRAME) & ~door
    return walls


def _pillars(x: np.ndarray, y: np.ndarray, width: float, rng: np.random.Generator) -> BoolArray:
    """One to three pillars on the straight way, or not far from it, that are farther apart than passages are wide."""
    walls = np.zeros(x.shape, bool)
    along = np.linspace(-2.5, 2.5, int(rng.integers(1, 4)) + 2)[1:-1]
    for at, aside, size in zip(along, rng.uniform(-0.8, 0.8, 3), rng.uniform(0.2, 1.2, 3)):
        u, v = (x + y) / np.sqrt(2.0) - at, (y - x) / np.sqrt(2.0) - aside
        walls |= np.asarray(np.hypot(u, v) < size / 2 if rng.random() < 0.5 else (abs(u) < size / 2) & (abs(v) < size / 2))
    return walls


KINDS: dict[str, Callable[..., BoolArray]] = {
    "clutter": _clutter, "gap": _gap, "slalom": _slalom, "bends": _bends, "rooms": _rooms, "pillars": _pillars,
}  # fmt: skip
"""Name → function of the pixels' middles, the width of passages and the random generator."""


def _passable(walls: BoolArray, width: float) -> bool:
    """Whether something nearly as wide as the passages gets from start to goal."""
    parts, _ = ndimage.label(ndimage.distance_transform_edt(~walls) * PIXEL > width / 2 - 2.0 * PIXEL)
    cells = [(round((SIZE / 2 - place[1]) / PIXEL), round((SIZE / 2 + place[0]) / PIXEL)) for place in (START, GOAL)]
    return bool(parts[cells[0]] == parts[cells[1]] != 0)
