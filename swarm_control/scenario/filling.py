"""A start that fills an outline evenly: a hexagonal lattice, as wide as leaves a place for each robot."""

from collections.abc import Callable

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, hexagonal_lattice

FINER, SHIFTS = 0.985, 4
"""By how much the lattice is made finer at a time, and how many places it is tried at along either side of its cell."""


def filled(corners: Array, count: int, room: float, apart: float, free: Callable[[Array], BoolArray]) -> Array:
    """Places (count, 2) m evenly in the polygon ``corners`` (K, 2) m, ``room`` (m) within it, at least ``apart`` (m) from each other.

    ``free`` tells which of points (M, 2) may be taken. Fewer places, as many as there is room for, where it does not hold all.
    """
    import shapely

    inside = shapely.Polygon(corners).buffer(-room)
    best = np.empty((0, 2))
    if inside.is_empty:
        return best
    low, high = np.array(inside.bounds).reshape(2, 2)
    step = 1.2 * float(np.sqrt(2.0 * max(inside.area, 1e-12) / (np.sqrt(3.0) * count))) + 2.0 * room / np.sqrt(count)
    step = max(step, apart)
    while True:
        for shift in np.ndindex(SHIFTS, SHIFTS):
            points = hexagonal_lattice(low, high, step, low + step * np.array(shift) / SHIFTS)
            points = points[shapely.contains_xy(inside, points)]
            points = points[free(points)]
            if len(points) == count:
                return points
            if len(points) > len(best):
                best = points
        if len(best) >= count:
            return best[np.linspace(0, len(best) - 1, count).round().astype(int)]
        if step <= apart:
            return best
        step = max(step * FINER, apart)

