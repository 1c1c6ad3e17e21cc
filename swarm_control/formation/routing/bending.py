"""A formation along a curved path: which arrangements fit where, and the least deformed sequence of them that gets through."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.walldistance import WallDistance, wall_distance
from swarm_control.formation.routing.arrangement import Chain
from swarm_control.formation.routing.path_smoothing import headings
from swarm_control.formation.routing.timing import cubic

LATE = 1.0
"""What it costs to begin 1 m further along, in metres of full deformation."""

CHANGE, STAND = 0.2, 2.0
"""What a change of the deformation by 1 costs, in metres of full deformation: under way, and where the formation stands meanwhile."""

FOLD = 0.3
"""Robots inside a bend are to advance at least by this share of what the path's middle does."""


@dataclass(frozen=True)
class Curve:
    """A path by points (M, 2) m, world frame, evenly ``step`` (m) apart, with its ``heading`` (M,) rad; straight before and beyond."""

    point: Array
    heading: Array
    step: float

    @classmethod
    def of(cls, point: Array) -> "Curve":
        """The curve through evenly spaced points."""
        return cls(point, headings(point), float(norm(np.diff(point, axis=0)).mean()))

    @property
    def length(self) -> float:
        """Its length, m."""
        return self.step * (len(self.point) - 1)

    def place(self, s: Array, points: Array) -> Array:
        """World places (K, N, 2) m of arrangements ``points`` (K, N, 2) m whose middles are at ``s`` (K,) m along the curve.

        Curvilinear coordinates (Barfoot & Clark 2004): ``p(s + x) + y·n(s + x)``.
        """
        along = s[:, None] + points[..., 0]
        inside = np.clip(along, 0.0, self.length)
        angle = cubic(self.heading, inside / self.step)
        middle = cubic(self.point, inside / self.step)
        beyond, left = along - inside, points[..., 1]
        c, n = np.cos(angle), np.sin(angle)
        return middle + np.stack((beyond * c - left * n, beyond * n + left * c), axis=-1)


def fitting(curve: Curve, s: Array, chain: Chain, need: Array, pair: Array, walls: WallDistance) -> BoolArray:
    """Which levels of the ``chain`` fit at which ``s`` (K,) m along the curve, (K, L).

    Robots keep ``need`` (N,) m from walls and ``pair`` (N, N) m from each other.
    """
    bend = np.gradient(curve.heading, curve.step) if len(curve.heading) > 1 else np.zeros(1)
    result: BoolArray = _fitting(
        (curve.point, curve.heading, bend, curve.step), s, chain.points, need, pair, walls.table, walls.walls
    )  # fmt: skip
    return result


@njit(cache=True)
def _fitting(curve, s, levels, need, pair, table, walls):  # type: ignore[no-untyped-def]
    point, heading, bend, step = curve
    last = len(point) - 1
    count, robots = levels.shape[0], levels.shape[1]
    result = np.zeros((len(s), count), np.bool_)
    at = np.empty((robots, 2))
    for k in range(len(s)):
        for level in range(count):
            good = True
            for i in range(robots):
                u = (s[k] + levels[level, i, 0]) / step
                inside = min(max(u, 0.0), float(last))
                j = min(int(inside), last - 1)
                f = inside - j
                angle = (1.0 - f) * heading[j] + f * heading[j + 1]
                left, beyond = levels[level, i, 1], (u - inside) * step
                c, n = np.cos(angle), np.sin(angle)
                at[i, 0] = (1.0 - f) * point[j, 0] + f * point[j + 1, 0] + beyond * c - left * n
                at[i, 1] = (1.0 - f) * point[j, 1] + f * point[j + 1, 1] + beyond * n + left * c
                folded = u == inside and 1.0 - left * ((1.0 - f) * bend[j] + f * bend[j + 1]) < FOLD
                if folded or (walls and wall_distance(table, at[i, 0], at[i, 1], need[i]) < need[i]):
                    good = False
                    break
                for other in range(i):
                    if (at[i, 0] - at[other, 0]) ** 2 + (at[i, 1] - at[other, 1]) ** 2 < pair[i, other] ** 2:
                        good = False
                        break
                if not good:
                    break
            result[k, level] = good
    return result


def eroded(fits: BoolArray, reach: int) -> BoolArray:
    """What fits for ``reach`` samples before and behind, too: for sequences that are smoothed over as many."""
    from scipy import ndimage

    if reach == 0:
        return fits
    kept: BoolArray = ndimage.binary_erosion(fits, np.ones((2 * reach + 1, 1)), border_value=1)
    kept[-1] = fits[-1]
    return kept


def sequence(fits: BoolArray, share: Array, ds: float, latest: int, stand: bool) -> tuple[Array, float] | None:
    """Where to begin and which level to have where: (Q, 2) of sample and level, ending at the last sample and level 0; and its cost.

    None: there is no way.

    Dynamic programming. From one sample to the next the level changes by at most one; where the robots may ``stand`` meanwhile, it may
    change at one place, too. The cost is the integral of the deformation ``share`` (L,), a little for each change, and :data:`LATE` for
    each m that it begins further along; it begins at sample ``latest`` at the latest.
    """
    cost, follow = _costs(fits, share, ds, stand)
    begin = (cost + LATE * ds * np.arange(len(fits))[:, None])[: latest + 1]
    k, level = (int(number) for number in np.unravel_index(int(np.argmin(begin)), begin.shape))
    if not np.isfinite(begin[k, level]):
        return None
    found = [(k, level)]
    while found[-1] != (len(fits) - 1, 0):
        k, level = found[-1]
        step = int(follow[k, level])
        found.append((k, level + step - 10) if step >= 9 and step <= 11 else (k + 1, level + step))
    return np.array(found), float(begin[found[0]])


@njit(cache=True)
def _costs(fits, share, ds, stand):  # type: ignore[no-untyped-def]
    """Cost (K, L) to the end, and what to do: −1, 0, 1: so many levels to the next sample; 9, 11: a level less, more on the spot."""
    samples, levels = fits.shape
    cost = np.full((samples, levels), np.inf)
    follow = np.zeros((samples, levels), np.int8)
    cost[samples - 1, 0] = 0.0 if fits[samples - 1, 0] else np.inf
    for k in range(samples - 1, -1, -1):
        if k < samples - 1:
            for level in range(levels):
                if not fits[k, level]:
                    continue
                for change in range(-1, 2):
                    if 0 <= level + change < levels:
                        c = cost[k + 1, level + change] + ds * share[level] + CHANGE * abs(share[level + change] - share[level])
                        if c < cost[k, level]:
                            cost[k, level], follow[k, level] = c, change
        if stand:
            for level in range(1, levels):
                c = cost[k, level - 1] + STAND * (share[level] - share[level - 1])
                if fits[k, level] and c < cost[k, level]:
                    cost[k, level], follow[k, level] = c, 9
            for level in range(levels - 2, -1, -1):
                c = cost[k, level + 1] + STAND * (share[level + 1] - share[level])
                if fits[k, level] and c < cost[k, level]:
                    cost[k, level], follow[k, level] = c, 11
    return cost, follow
