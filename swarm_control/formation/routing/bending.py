"""A formation along a curved path: where its robots are, and which arrangements fit where."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray, Int8Array, norm
from swarm_control.core.walldistance import WallDistance, wall_distance
from swarm_control.formation.routing.arrangement import Arrangements
from swarm_control.formation.routing.path_smoothing import headings
from swarm_control.formation.routing.timing import cubic

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


@dataclass(frozen=True)
class Fits:
    """Which ``levels`` fit at which ``s`` (K,) m along the ``curve``, found when it is asked for.

    Robots keep ``need`` (N,) m from walls and ``pair`` (N, N) m from each other. ``known`` (K, L): 1 fits, 0 does not, −1 not asked yet.
    """

    levels: Arrangements
    known: Int8Array
    terms: tuple[Any, ...]

    @classmethod
    def of(cls, curve: Curve, s: Array, levels: Arrangements, need: Array, pair: Array, walls: WallDistance) -> "Fits":
        """Nothing is known yet."""
        bend = np.gradient(curve.heading, curve.step) if len(curve.heading) > 1 else np.zeros(1)
        terms = (curve.point, curve.heading, bend, curve.step, s, levels.points, need, pair, walls.table, walls.walls)
        return cls(levels, np.full((len(s), len(levels.share)), -1, np.int8), terms)

    def all(self) -> BoolArray:
        """Which fit, (K, L)."""
        _find_all(self.known, self.terms)
        result: BoolArray = self.known == 1
        return result


@njit(cache=True)
def _find_all(known, terms):  # type: ignore[no-untyped-def]
    for k in range(known.shape[0]):
        for level in range(known.shape[1]):
            fits(known, terms, k, level)


@njit(cache=True)
def fits(known, terms, k, level):  # type: ignore[no-untyped-def]
    """Whether a level fits at the k-th sample; :class:`Fits` says what ``known`` and ``terms`` are."""
    if known[k, level] < 0:
        known[k, level] = 1 if _fits(terms, k, level) else 0
    return known[k, level] == 1


@njit(cache=True)
def _fits(terms, k, level):  # type: ignore[no-untyped-def]
    point, heading, bend, step, s, levels, need, pair, table, walls = terms
    last, robots = len(point) - 1, levels.shape[1]
    at = np.empty((robots, 2))
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
        if u == inside and 1.0 - left * ((1.0 - f) * bend[j] + f * bend[j + 1]) < FOLD:
            return False
        if walls and wall_distance(table, at[i, 0], at[i, 1], need[i]) < need[i]:
            return False
    return apart(at, pair)


@njit(cache=True)
def apart(at, pair):  # type: ignore[no-untyped-def]
    """Whether each two of the places (N, 2) m are as far from each other as ``pair`` (N, N) m asks, in a table of square cells."""
    robots = len(at)
    cell, size = max(pair.max(), 1e-9), 4 * robots
    first, after = np.full(size, -1, np.int64), np.full(robots, -1, np.int64)
    for i in range(robots):
        x, y = int(np.floor(at[i, 0] / cell)), int(np.floor(at[i, 1] / cell))
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                other = first[((x + dx) * 7919 + (y + dy)) % size]
                while other >= 0:
                    if (at[i, 0] - at[other, 0]) ** 2 + (at[i, 1] - at[other, 1]) ** 2 < pair[i, other] ** 2:
                        return False
                    other = after[other]
        slot = (x * 7919 + y) % size
        after[i], first[slot] = first[slot], i
    return True
