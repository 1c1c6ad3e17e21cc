"""Polygons to occupancy: a cell is occupied if a wall covers any part of its area."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, BoolArray, IntArray

TOUCH = 1e-4
"""A wall must reach this far into a cell, in cells: edges on cell borders up to rounding do not smear."""


def rasterise(
    polygons: list[Array], origin: tuple[float, float], resolution: float, shape: tuple[int, int]
) -> BoolArray:
    """Cells (H, W), row 0 at the lowest y, that simple counter-clockwise polygons (K, 2) m touch with area.

    The grid's lower-left corner lies at ``origin`` and must hold all polygons. A cell belongs to a polygon if
    an edge runs through its inside or if its centre lies within; both are spans along rows, so cells are
    added up by one sum per row.
    """
    # One more column than cells holds the ends of spans.
    changes = np.zeros((shape[0], shape[1] + 1), dtype=np.int32)
    if polygons:
        starts, ends = _edges(polygons, origin, resolution)
        _mark_crossed(changes, starts, ends)
        _mark_inside(changes, starts, ends)
    np.cumsum(changes, axis=1, out=changes)
    return changes[:, :-1] > 0


def _edges(polygons: list[Array], origin: tuple[float, float], resolution: float) -> tuple[Array, Array]:
    """Ends (E, 2), (E, 2) of all edges, in cells from ``origin``."""
    lengths = np.array([len(polygon) for polygon in polygons])
    points = (np.concatenate(polygons) - np.array(origin)) / resolution
    following = np.arange(1, len(points) + 1)
    last = np.cumsum(lengths) - 1
    following[last] = last - lengths + 1
    return points, points[following]


def _mark_crossed(changes: NDArray[np.int32], starts: Array, ends: Array) -> None:
    """Add the cells whose inside an edge runs through."""
    low, high = np.minimum(starts[:, 1], ends[:, 1]), np.maximum(starts[:, 1], ends[:, 1])
    edge, row = _rows(np.floor(low + TOUCH), np.ceil(high - TOUCH))
    x_low = _x_at(starts, ends, edge, np.maximum(low[edge], 1.0 * row))
    x_high = _x_at(starts, ends, edge, np.minimum(high[edge], row + 1.0))
    level = (high - low)[edge] < TOUCH
    x_low, x_high = np.where(level, starts[edge, 0], x_low), np.where(level, ends[edge, 0], x_high)
    first = np.floor(np.minimum(x_low, x_high) + TOUCH).astype(np.int64)
    stop = np.maximum(np.ceil(np.maximum(x_low, x_high) - TOUCH).astype(np.int64), first)
    np.add.at(changes, (row, first), 1)
    np.add.at(changes, (row, stop), -1)


def _mark_inside(changes: NDArray[np.int32], starts: Array, ends: Array) -> None:
    """Add the cells whose centre lies within a polygon: along a row, left edges run down, right edges up."""
    low, high = np.minimum(starts[:, 1], ends[:, 1]), np.maximum(starts[:, 1], ends[:, 1])
    edge, row = _rows(np.ceil(low - 0.5), np.ceil(high - 0.5))
    middle = row.astype(np.float64) + 0.5
    column = np.ceil(_x_at(starts, ends, edge, middle) - 0.5).astype(np.int64)
    np.add.at(changes, (row, column), np.where(ends[edge, 1] > starts[edge, 1], -1, 1).astype(np.int32))


def _rows(first: Array, stop: Array) -> tuple[IntArray, IntArray]:
    """Every (edge, row) with ``first[edge] ≤ row < stop[edge]``, as two flat arrays."""
    counts = np.maximum(stop - first, 0.0).astype(np.int64)
    edge = np.repeat(np.arange(len(counts)), counts)
    offset = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts)
    return edge, first.astype(np.int64)[edge] + offset


def _x_at(starts: Array, ends: Array, edge: IntArray, y: Array) -> Array:
    """Where (x) the edges pass the heights ``y``; of level edges anything."""
    delta = ends[edge] - starts[edge]
    rise = np.where(np.abs(delta[:, 1]) < 1e-9, 1.0, delta[:, 1])
    x: Array = starts[edge, 0] + delta[:, 0] * ((y - starts[edge, 1]) / rise)
    return x
