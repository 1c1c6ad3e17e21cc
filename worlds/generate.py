"""Draws the maps of this folder and writes their world files: ``python worlds/generate.py``.

One pixel is 0.05 m. Maps are 10 m wide, ``empty`` is 20 m, ``bypass`` 16 m, ``field`` 30 m; the origin is in the
middle. Lengths are metres.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

PIXEL = 0.05
FRAME = 0.1
WALL = 0.1
SIZES = {"empty": 20.0, "bypass": 16.0, "field": 30.0}

# Which cells of the hard maze, named column and row from the lower left, lie open to one another along each
# chain. Cells 00 to 11 are the start's room, 55 to 66 the goal's. The way leads up the left side, along the
# top and down again; the way straight at the goal ends in 33, the one along the lower and right side in 63,
# just below the goal.
MAZE_CELLS = 7
MAZE = (
    "00 10 11 01 00",
    "55 65 66 56 55",
    "01 02 03 04 05 06 16 26 36 46 45 44 54 64 65",
    "11 21 22 23 33",
    "10 20 30 40 50 60 61 62 63",
    "40 41 42 43 53 52 51",
    "30 31 32",
    "03 13 14 24 34 35 25 15",
    "02 12",
)

WORLD = """\
# {title}

include "definitions.inc"

floorplan
(
  name "{name}"
  bitmap "maps/{name}.png"
  size [{size:g} {size:g} 1]
  pose [0 0 0 0]
)
"""

TITLES = {
    "empty": "Nothing but a frame far away: rules of flocking on their own",
    "frame": "A frame: flocking",
    "boxes": "Small boxes on the way to a goal",
    "mixed": "Obstacles of many shapes and sizes",
    "walls": "Long walls with corners, where a flock parts and meets again",
    "maze_simple": "A maze of two walls",
    "maze_hard": "A maze with dead ends on the straight way to the goal",
    "line": "A wall across the middle",
    "circle": "A disc in the middle",
    "gap": "A wall with one gap, through which robots go one after the other",
    "bypass": "Three walls on the way of a group",
    "field": "A field with four trees",
}


class Canvas:
    """Walls (H, W) of a square map, row 0 on top, drawn by where the centres of its pixels lie."""

    def __init__(self, size: float) -> None:
        middles = (np.arange(round(size / PIXEL)) + 0.5) * PIXEL - size / 2
        self.x, self.y = np.meshgrid(middles, middles[::-1])
        self.walls: NDArray[np.bool_] = np.maximum(abs(self.x), abs(self.y)) > size / 2 - FRAME

    def disc(self, x: float, y: float, radius: float) -> None:
        """A disc round (x, y)."""
        self.walls |= np.hypot(self.x - x, self.y - y) <= radius

    def box(self, x: float, y: float, length: float, width: float, turn: float = 0.0) -> None:
        """A box of length × width round (x, y), turned by degrees."""
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        u, v = c * (self.x - x) + s * (self.y - y), c * (self.y - y) - s * (self.x - x)
        self.walls |= (abs(u) <= length / 2) & (abs(v) <= width / 2)

    def triangle(self, *corners: tuple[float, float]) -> None:
        """A triangle with its corners counter-clockwise."""
        inside = np.ones_like(self.walls)
        for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
            inside &= (x1 - x0) * (self.y - y0) >= (y1 - y0) * (self.x - x0)
        self.walls |= inside

    def path(self, *points: tuple[float, float]) -> None:
        """A wall along upright and level lines from point to point."""
        for (x0, y0), (x1, y1) in pairwise(points):
            self.box((x0 + x1) / 2, (y0 + y1) / 2, abs(x1 - x0) + WALL, abs(y1 - y0) + WALL)


def draw(name: str) -> NDArray[np.bool_]:
    """Walls (H, W) of the map ``name``, row 0 on top."""
    canvas = Canvas(SIZES.get(name, 10.0))
    DRAWINGS.get(name, nothing)(canvas)
    return canvas.walls


def nothing(canvas: Canvas) -> None:
    """Only the frame."""


def line(canvas: Canvas) -> None:
    """A wall across the middle."""
    canvas.path((0.0, -2.0), (0.0, 2.0))


def circle(canvas: Canvas) -> None:
    """A disc in the middle."""
    canvas.disc(0.0, 0.0, 1.25)


def gap(canvas: Canvas) -> None:
    """A wall across, with a gap of 0.6 m that is not on the straight way."""
    canvas.path((0.0, -5.0), (0.0, 0.65))
    canvas.path((0.0, 1.35), (0.0, 5.0))


def bypass(canvas: Canvas) -> None:
    """Three upright walls, each across the straight way, or beside it."""
    canvas.box(-3.0, -2.25, 0.3, 5.5)
    canvas.box(0.5, 2.25, 0.3, 5.5)
    canvas.box(4.0, -3.0, 0.3, 4.0)


def field(canvas: Canvas) -> None:
    """Four trees, each in the way of a robot of the line that sweeps the field."""
    for x, y in ((-4.0, -8.3), (3.0, -4.3), (-2.0, 3.3), (5.0, 9.3)):
        canvas.disc(x, y, 0.2)


def boxes(canvas: Canvas) -> None:
    """Small boxes with a metre and more between any two."""
    lower = ((-1.5, -3.7), (0.9, -3.2), (3.4, -3.6), (-0.2, -1.7), (2.1, -1.2), (4.0, -0.5), (-2.1, -1.0))
    upper = (
        (-4.0, -0.7),
        (0.2, 0.5),
        (-1.9, 1.2),
        (2.2, 1.1),
        (-3.7, 2.0),
        (-0.4, 2.6),
        (-2.5, 3.6),
        (1.2, 4.0),
    )
    for i, (x, y) in enumerate(lower + upper):
        canvas.box(x, y, 0.3 + 0.1 * (i % 3), 0.3 + 0.1 * (i * 2 % 3))


def mixed(canvas: Canvas) -> None:
    """Discs, boxes, triangles, a beam and corners."""
    canvas.disc(-1.4, -0.9, 0.55)
    canvas.disc(1.7, 3.0, 0.35)
    canvas.disc(3.2, -3.4, 0.45)
    canvas.disc(-3.9, 3.9, 0.3)
    canvas.box(1.3, -1.5, 0.9, 0.6)
    canvas.box(-3.6, 0.6, 0.5, 1.3)
    canvas.box(0.4, 1.2, 1.6, 0.25, 35.0)
    canvas.box(-0.6, -3.4, 0.5, 0.5, 45.0)
    canvas.box(3.5, 0.9, 1.0, 0.4)
    canvas.triangle((-2.1, 2.1), (-0.9, 2.3), (-1.7, 3.2))
    canvas.triangle((3.0, -1.6), (4.0, -1.3), (3.1, -0.7))
    canvas.path((0.9, -4.1), (0.9, -3.1), (1.7, -3.1))


def walls(canvas: Canvas) -> None:
    """Long walls with corners."""
    canvas.path((-3.4, -1.6), (-1.4, -1.6), (-1.4, -0.2))
    canvas.path((0.8, -5.0), (0.8, -2.4), (2.8, -2.4))
    canvas.path((-3.2, 3.0), (-3.2, 1.0), (0.6, 1.0))
    canvas.path((2.2, -0.8), (2.2, 1.4), (3.6, 1.4))
    canvas.path((-0.9, 5.0), (-0.9, 3.0), (1.0, 3.0))


def maze_simple(canvas: Canvas) -> None:
    """Two walls, one from each side."""
    canvas.path((-5.0, -1.65), (2.6, -1.65))
    canvas.path((5.0, 1.65), (-2.6, 1.65))


def maze_hard(canvas: Canvas) -> None:
    """A wall between any two neighbouring cells that no chain of ``MAZE`` joins."""
    chains = [chain.split() for chain in MAZE]
    joined = {frozenset(pair) for chain in chains for pair in pairwise(chain)}
    for one, other, *wall in maze_borders():
        if frozenset((one, other)) not in joined:
            ends = [(x * 10.0 / MAZE_CELLS - 5.0, y * 10.0 / MAZE_CELLS - 5.0) for x, y in wall]
            canvas.path(*[(round(x / WALL) * WALL, round(y / WALL) * WALL) for x, y in ends])


def maze_borders() -> Iterator[tuple[str, str, tuple[int, int], tuple[int, int]]]:
    """Every two neighbouring cells of the hard maze and the ends of the border between them, in cells."""
    for i in range(MAZE_CELLS):
        for j in range(MAZE_CELLS - 1):
            yield f"{j}{i}", f"{j + 1}{i}", (j + 1, i), (j + 1, i + 1)
            yield f"{i}{j}", f"{i}{j + 1}", (i, j + 1), (i + 1, j + 1)


DRAWINGS = {
    "boxes": boxes,
    "mixed": mixed,
    "walls": walls,
    "maze_simple": maze_simple,
    "maze_hard": maze_hard,
    "line": line,
    "circle": circle,
    "gap": gap,
    "bypass": bypass,
    "field": field,
}


def world(name: str) -> str:
    """Text of the world file of the map ``name``."""
    return WORLD.format(title=TITLES[name], name=name, size=SIZES.get(name, 10.0))


def main(folder: Path) -> None:
    """Write all maps and worlds into ``folder``."""
    (folder / "maps").mkdir(exist_ok=True)
    for name in TITLES:
        pixels = np.where(draw(name), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / "maps" / f"{name}.png", optimize=True)
        (folder / f"{name}.world").write_text(world(name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(__file__).parent)
