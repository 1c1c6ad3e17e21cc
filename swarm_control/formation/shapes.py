"""Ready-made shapes: N points (N, 2) m around their centroid; x is ahead."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array


def line(count: int, spacing: float) -> Array:
    """Side by side, the first on the left."""
    return _centred(np.column_stack((np.zeros(count), -spacing * np.arange(count))))


def column(count: int, spacing: float) -> Array:
    """One behind the other, the first ahead."""
    return _centred(np.column_stack((-spacing * np.arange(count), np.zeros(count))))


def wedge(count: int, spacing: float) -> Array:
    """A V with the first at its tip; arms at 45°, neighbours on an arm ``spacing`` apart."""
    k = np.arange(count)
    rank, side = (k + 1) // 2, np.where(k % 2 == 1, 1.0, -1.0)
    return _centred(np.column_stack((-rank, side * rank)) * spacing / np.sqrt(2.0))


def diamond(count: int, spacing: float) -> Array:
    """Evenly along the outline of a square standing on its corner, the first ahead; neighbours ``spacing`` apart along the outline."""
    s = 4.0 * np.arange(count) / count
    side, t = s.astype(int) % 4, s - s.astype(int)
    corner = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)])
    size = count * spacing / (4.0 * np.sqrt(2.0))
    return _centred(size * ((1.0 - t)[:, None] * corner[side] + t[:, None] * corner[side + 1]))


def circle(count: int, spacing: float) -> Array:
    """A regular polygon, the first ahead, neighbours ``spacing`` apart."""
    angle = 2.0 * np.pi * np.arange(count) / count
    radius = 0.5 * spacing / np.sin(np.pi / count) if count > 1 else 0.0
    return radius * np.column_stack((np.cos(angle), np.sin(angle)))


def grid(count: int, spacing: float) -> Array:
    """Rows of a near-square block, filled from the front left."""
    columns = int(np.ceil(np.sqrt(count)))
    k = np.arange(count)
    return _centred(np.column_stack((-(k // columns), -(k % columns))) * spacing)


SHAPES: dict[str, Callable[[int, float], Array]] = {
    "line": line, "column": column, "wedge": wedge, "diamond": diamond, "circle": circle, "grid": grid,
}  # fmt: skip
"""Name → function of (number of robots, spacing in m)."""


def shape(name: str, count: int, spacing: float) -> Array:
    """Points (count, 2) m of the shape ``name``; ``ValueError`` for a name that is not known."""
    if name not in SHAPES:
        raise ValueError(f"no shape {name!r}; expected one of {', '.join(SHAPES)}")
    return SHAPES[name](count, spacing)


def _centred(points: NDArray[np.floating]) -> Array:
    return np.asarray(points - points.mean(axis=0), float)
