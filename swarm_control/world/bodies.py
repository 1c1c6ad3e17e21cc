"""Bodies of models as polygons: boxes, blocks, bitmaps and boundaries, scaled as Stage scales them."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.errors import InputError
from swarm_control.world import defaults, values
from swarm_control.world.bitmap import load_bitmap, rectangles
from swarm_control.world.includes import find_file
from swarm_control.world.worldfile import Entity

Pose = tuple[float, float, float]
"""x, y in m, heading in rad."""
MAX_POINTS = 10_000


@dataclass(frozen=True)
class Body:
    """Outline of a model in its own frame: ``polygons`` (K, 2) m each, counter-clockwise.

    ``pixel`` is the size (x, y) of a bitmap's pixels in m if nothing but a bitmap and its boundary makes the
    body. ``dark``: whether its bitmap, if it has one, has walls.
    """

    polygons: list[Array]
    pixel: tuple[float, float] | None = None
    dark: bool = True


def compose(parent: Pose, child: Pose) -> Pose:
    """Pose ``child`` of the frame ``parent``, in the frame ``parent`` is given in; heading in [−π, π]."""
    (x, y, a), (u, v, b) = parent, child
    c, s = math.cos(a), math.sin(a)
    return x + c * u - s * v, y + s * u + c * v, math.remainder(a + b, 2.0 * math.pi)


def place(points: Array, pose: Pose) -> Array:
    """Points (..., 2) of the frame ``pose``, in the frame that ``pose`` is given in."""
    return rotate(points, np.array(pose[2])) + np.array(pose[:2], dtype=np.float64)


def read_body(entity: Entity, size: tuple[float, float], folder: Path, units: values.Units) -> Body:
    """Body of a model of ``size`` (x, y) in m.

    Follows ``Model::Load``: a bitmap replaces the box; blocks replace the box and its boundary, but join a
    bitmap; last, all together are scaled and centred so that what they occupy fills ``size``. Heights (z) are
    not looked at.
    """
    polygons: list[Array] = []
    pixel, dark = None, True
    bitmap, noblocks = entity.properties.get("bitmap"), values.flag(entity, "noblocks", False)
    if bitmap is not None:
        path = find_file(values.text(entity, "bitmap", ""), folder, bitmap.file)
        corners = rectangles(load_bitmap(path, bitmap.where), f"{bitmap.where}: {path}")
        dark = len(corners) > 0
        if dark:
            pixels = np.ptp(corners.reshape(-1, 2), axis=0)
            pixel = (size[0] / float(pixels[0]), size[1] / float(pixels[1]))
        polygons = fit(list(corners), size)
    elif not noblocks:
        polygons = [box(-size[0] / 2, -size[1] / 2, size[0] / 2, size[1] / 2)]
    if values.flag(entity, "boundary", False):
        polygons += boundary(size)
    blocks = [read_block(child, units) for child in entity.children if child.type == "block"]
    if not blocks:
        return Body(polygons, pixel, dark)
    return Body(fit(blocks if bitmap is None and not noblocks else polygons + blocks, size), dark=dark)


def read_block(entity: Entity, units: values.Units) -> Array:
    """Points (K, 2) of a ``block``, counter-clockwise. InputError if its edges cross or span no area."""
    from shapely import Polygon

    count = values.number(entity, "points", 0.0)
    if count != int(count) or not 3 <= count <= MAX_POINTS:
        raise InputError(
            entity.where, f"points: expected a whole number from 3 to {MAX_POINTS}, found {count:g}"
        )
    points = [values.numbers(entity, f"point[{i}]", "ll", units) for i in range(int(count))]
    if None in points:
        raise InputError(
            entity.where, f"expected point[{points.index(None)}] of the block's {count:g} points"
        )
    polygon = Polygon([point for point in points if point is not None])
    if not polygon.is_valid or polygon.area <= 0.0:
        raise InputError(entity.where, "expected points of a block that enclose an area and do not cross")
    outline = np.array(polygon.exterior.coords[:-1])
    return outline if polygon.exterior.is_ccw else outline[::-1].copy()


def box(left: float, low: float, right: float, high: float) -> Array:
    """Corners (4, 2) of an upright rectangle, counter-clockwise."""
    return np.array([(left, low), (right, low), (right, high), (left, high)])


def boundary(size: tuple[float, float]) -> list[Array]:
    """The four bars, 0.01 m thick, that ``boundary 1`` lays along the inside of a model's ``size`` (m)."""
    x, y = size[0] / 2, size[1] / 2
    tx, ty = min(defaults.BOUNDARY_THICKNESS, size[0]), min(defaults.BOUNDARY_THICKNESS, size[1])
    return [box(-x, -y, -x + tx, y), box(-x, -y, x, -y + ty), box(-x, y - ty, x, y), box(x - tx, -y, x, y)]


def fit(polygons: list[Array], size: tuple[float, float]) -> list[Array]:
    """Polygons scaled and moved so that their common extent is ``size`` (x, y) m, centred at the origin."""
    if not polygons:
        return []
    points = np.concatenate(polygons)
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - (low + high) / 2.0) * (np.array(size) / (high - low))
    return np.split(points, np.cumsum([len(polygon) for polygon in polygons])[:-1])
