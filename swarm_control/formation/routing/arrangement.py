"""Arrangements of a formation from the rigid one to a column: narrowed first, then drawn out until all are one behind the other."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm

DRAWN = 64
"""So many steps of drawing out are computed, from which levels are taken evenly."""


@dataclass(frozen=True)
class Chain:
    """Arrangements from the rigid one, level 0, to a column, the last level.

    ``points`` (L, N, 2) m, path's frame: x along the path, y to its left; ``share`` (L,) of deformation, 0 to 1.
    """

    points: Array
    share: Array


def chain(points: Array, pair: Array, spacing: Array, most: float) -> Chain:
    """The arrangements of ``points`` (N, 2) m, path's frame, neighbouring levels at most ``most`` (m) apart for every robot.

    Robots keep ``pair`` (N, N) m on the way, or what they keep in the rigid formation, if that is less; neighbours in the column are
    ``spacing`` (N, N) m apart. With (a, b) a robot's point and A its place in the column, it is at ``(a + α·(A − a), β·b)``: α goes from 0
    to 1, and β is the least width at which all pairs keep their distance,

        ``β(α) = max over pairs of √(max(pair² − Δx², 0))/|Δb|``, Δx = Δa + α·(ΔA − Δa).

    Who is ahead in the formation is ahead in the column: of all assignments the one of least squared distances, as in Turpin et al. (2014).
    Along the path nobody then overtakes anybody, and robots that are closely side by side first give each other way along it.
    """
    apart = norm(points[:, None] - points)
    keep = np.minimum(pair, apart)
    line, (a, b) = _column(points, spacing), points.T
    drawn = np.linspace(0.0, 1.0, DRAWN + 1)
    along = a + drawn[:, None] * (line - a)
    gap = along[:, :, None] - along[:, None]
    across = np.abs(b[:, None] - b)
    least = np.sqrt(np.maximum(keep**2 - gap**2, 0.0)) / np.where(across > 1e-9, across, np.inf)
    width = np.minimum(np.maximum.accumulate(least.max(axis=(1, 2))[::-1])[::-1], 1.0)
    knots = np.concatenate((points[None], np.stack((along, width[:, None] * b), axis=-1)))
    gone = np.concatenate(([0.0], np.cumsum(norm(np.diff(knots, axis=0)).max(axis=1))))
    count = max(int(np.ceil(gone[-1] / most - 1e-9)), 1)
    share = np.linspace(0.0, 1.0, count + 1) if gone[-1] > 1e-9 else np.zeros(1)
    at = np.interp(share * gone[-1], gone, np.arange(len(knots)))
    low = np.minimum(at.astype(int), len(knots) - 2)
    levels = knots[low] + (at - low)[:, None, None] * (knots[low + 1] - knots[low])
    return Chain(levels, share)


def _column(points: Array, spacing: Array) -> Array:
    """Place along the path (N,) m of each of the ``points`` (N, 2) m in the column; its middle stays where it is."""
    order = np.lexsort((np.round(points[:, 1], 6), np.round(-points[:, 0], 6)))
    along = np.empty(len(points))
    along[order] = -np.concatenate(([0.0], np.cumsum(spacing[order[:-1], order[1:]])))
    result: Array = along - along.mean() + points[:, 0].mean()
    return result
