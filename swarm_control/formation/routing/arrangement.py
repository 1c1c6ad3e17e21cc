"""Arrangements of a formation from the rigid one: narrowed and then drawn out to a column, or opened to let an obstacle pass through."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm

DRAWN = 64
"""So many steps of drawing out are computed, from which levels are taken evenly."""


SIDE_BY_SIDE = 1e-3
"""Robots whose places across the path differ by more (m) are beside each other."""

CUTS, MANY = 9, 180
"""A formation may open between so many neighbours across the path at most, evenly taken; and so many are tried for N of them, over N."""

ASIDE = (0.5, 0.25, 0.75, 0.0, 1.0)
"""Shares of the opening by which the left part moves aside; the right part moves by the rest."""


@dataclass(frozen=True)
class Arrangements:
    """A tree of arrangements whose root, level 0, is the rigid one. A formation goes from one to its neighbour in the tree.

    ``points`` (L, N, 2) m, path's frame: x along the path, y to its left; ``share`` (L,) of deformation, 1 for the column; ``toward`` (L,)
    the neighbouring level that is less deformed, whose number is less; 0 for the root.
    """

    points: Array
    share: Array
    toward: IntArray


def chain(points: Array, pair: Array, spacing: Array, most: float) -> Arrangements:
    """The arrangements of ``points`` (N, 2) m, path's frame, from rigid, level 0, to a column, the last level.

    Neighbouring levels are at most ``most`` (m) apart for every robot.

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
    return Arrangements(levels, share, np.maximum(np.arange(len(levels)) - 1, 0))


def opened(column: Arrangements, wide: float, most: float) -> Arrangements:
    """The levels of ``column``, and those in which the rigid formation opens by up to ``wide`` (m): the robots to the left of a gap move
    to the left, the others to the right. Neighbouring levels are at most ``most`` (m) apart for every robot.

    Each part stays rigid, and of two robots in different parts the one to the left goes more to the left: no distance shrinks.
    """
    rigid = column.points[0]
    full = max(float(norm(column.points[-1] - rigid).max()), most)
    points, share, toward = [column.points], [column.share], [column.toward]
    across = np.sort(rigid[:, 1])
    cuts = np.flatnonzero(np.diff(across) > SIDE_BY_SIDE)
    tried = min(len(cuts), CUTS, max(MANY // len(rigid), 1))
    for cut in cuts[((np.arange(tried) + 0.5) / max(tried, 1) * len(cuts)).astype(int)]:
        left = rigid[:, 1] > 0.5 * (across[cut] + across[cut + 1])
        for aside in ASIDE:
            more = most / max(aside, 1.0 - aside)
            gap = more * np.arange(1, int(np.ceil(wide / more)) + 1)
            shift = gap[:, None] * np.where(left, aside, aside - 1.0)
            first = sum(len(some) for some in points)
            points.append(rigid + np.stack((np.zeros_like(shift), shift), axis=-1))
            share.append(np.asarray(gap * max(aside, 1.0 - aside) / full))
            toward.append(np.where(gap > gap[0], first + np.arange(len(gap)) - 1, 0))
    return Arrangements(np.concatenate(points), np.concatenate(share), np.concatenate(toward))


def _column(points: Array, spacing: Array) -> Array:
    """Place along the path (N,) m of each of the ``points`` (N, 2) m in the column; its middle stays where it is."""
    order = np.lexsort((np.round(points[:, 1], 6), np.round(-points[:, 0], 6)))
    along = np.empty(len(points))
    along[order] = -np.concatenate(([0.0], np.cumsum(spacing[order[:-1], order[1:]])))
    result: Array = along - along.mean() + points[:, 0].mean()
    return result
