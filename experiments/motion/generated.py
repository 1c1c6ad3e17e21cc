"""Worlds that nobody has seen: boxes, discs and walls where chance puts them, with a free way from start to goal; and scenarios in them."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy import ndimage

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import BoolArray

SIZE, PIXEL, FRAME = 10.0, 0.05, 0.1
"""Side of the square worlds, of their pixels, and thickness of the frame, m."""

CORNER, CLEAR = 3.5, 1.2
"""Start and goal are in opposite corners, so far (m) from both axes, and nothing stands within ``CLEAR`` (m) of them."""

WAY = 0.6
"""Somewhere there is a way of at least this width (m) from start to goal."""


def draw(seed: Seed) -> BoolArray:
    """Walls (H, W) of the world of this ``seed``, row 0 on top: 8 to 24 obstacles, some of which overlap."""
    rng = np.random.default_rng([seed, 7])
    middles = (np.arange(round(SIZE / PIXEL)) + 0.5) * PIXEL - SIZE / 2
    x, y = np.meshgrid(middles, middles[::-1])
    spared = np.minimum(np.hypot(x + CORNER, y + CORNER), np.hypot(x - CORNER, y - CORNER)) < CLEAR
    while True:
        walls = np.zeros(x.shape, bool)
        for _ in range(rng.integers(8, 25)):
            walls |= _obstacle(x - rng.uniform(-4.5, 4.5), y - rng.uniform(-4.5, 4.5), rng)
        walls = (walls & ~spared) | (np.maximum(abs(x), abs(y)) > SIZE / 2 - FRAME)
        if _way_through(walls):
            return walls


def _obstacle(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> BoolArray:
    """A disc, a box or a wall of random size round (0, 0), the latter turned."""
    kind, turn = rng.choice(["disc", "box", "wall"]), rng.uniform(0.0, np.pi)
    if kind == "disc":
        return np.asarray(np.hypot(x, y) <= rng.uniform(0.1, 0.6))
    length, width = rng.uniform(0.2, 1.2, 2) if kind == "box" else (rng.uniform(1.0, 4.0), 0.1)
    u, v = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
    return np.asarray((abs(u) <= length / 2) & (abs(v) <= width / 2))


def _way_through(walls: BoolArray) -> bool:
    """Whether something as wide as :data:`WAY` gets from start to goal."""
    parts, _ = ndimage.label(ndimage.distance_transform_edt(~walls) * PIXEL > WAY / 2)
    near, far = (round((SIZE / 2 + side * CORNER) / PIXEL) for side in (-1.0, 1.0))
    return bool(parts[far, near] == parts[near, far] != 0)


def write(walls: BoolArray, folder: Path, name: str) -> Path:
    """Write a world file with its bitmap into ``folder``; return its path."""
    from PIL import Image

    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(folder / f"{name}.png")
    world = folder / f"{name}.world"
    world.write_text(
        'define floorplan model (boundary 0)\n'
        f'floorplan ( name "{name}" bitmap "{name}.png" size [{SIZE:g} {SIZE:g} 1] pose [0 0 0 0] )\n', encoding="utf-8"
    )  # fmt: skip
    return world


def write_scenario(walls: BoolArray, folder: Path, name: str, **settings: Any) -> Path:
    """Write a scenario file with these ``settings``, and its world, into ``folder``; return its path."""
    file = folder / f"{name}.yaml"
    world = write(walls, folder, f"{name}_world")
    file.write_text(yaml.safe_dump({"world": str(world), **settings}), encoding="utf-8")
    return file
