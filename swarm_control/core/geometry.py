"""Small plane geometry on arrays: angles, rotations, norms, safe directions."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]
    IntArray = NDArray[np.int64]
    Float32Array = NDArray[np.float32]
    Int8Array = NDArray[np.int8]
    AnyArray = NDArray[Any]
else:  # making the types would import numpy, which takes longer than all else that `swarm list` does
    Array = BoolArray = IntArray = Int8Array = Float32Array = AnyArray = Any


def wrap(angle: Array) -> Array:
    """Wrap angles (rad) into [−π, π)."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def rotate(vectors: Array, angle: Array) -> Array:
    """Turn vectors (..., 2) counter-clockwise by angles (...,) in rad."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack((c * x - s * y, s * x + c * y), axis=-1)


def norm(vectors: Array) -> Array:
    """Length of vectors (..., 2) → (...)."""
    return np.hypot(vectors[..., 0], vectors[..., 1])


def limit_norm(vectors: Array, limit: Array | float) -> Array:
    """Shorten vectors (..., 2) that are longer than ``limit``; direction is kept."""
    length = norm(vectors)
    scale = np.divide(limit, length, out=np.ones_like(length), where=length > limit)
    return vectors * scale[..., None]


def unit(vectors: Array) -> Array:
    """Directions of vectors (..., 2); the zero vector stays zero."""
    length = norm(vectors)
    return vectors / np.where(length > 0.0, length, 1.0)[..., None]


def hexagonal_lattice(low: Array, high: Array, step: float, through: Array) -> Array:
    """Points (M, 2) m of the hexagonal lattice ``through`` a point (2,) m, ``step`` (m) apart along x, in a box from ``low`` to ``high``.

    Row by row upwards, and from left to right.
    """
    pitch = np.array([step, np.sqrt(0.75) * step])
    first, last = np.floor((np.stack((low, high)) - through) / pitch).astype(int)
    column, row = np.meshgrid(np.arange(first[0], last[0] + 1), np.arange(first[1], last[1] + 1))
    points: Array = through + (np.stack((column + 0.5 * (row % 2), row), axis=-1) * pitch).reshape(-1, 2)
    return points[((points >= low) & (points <= high)).all(axis=1)]
