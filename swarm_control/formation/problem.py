"""The cost of displacing a structure to a pose, for many poses at once (Lewis & Tan §4.3, eqs 15–16).

``J(X) = Σ w_i·‖v_i − r_i‖² + b·Σ w_i·‖v_i − d_i‖²``: v_i the points of the structure at X = (x, y, θ), r_i where robot i ends after its
clamped command towards v_i, d_i the points at the wished pose, b the ``bias`` towards the wish.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, wrap
from swarm_control.formation.robots import Robots
from swarm_control.formation.structure import place

DIFFERENCE = 1e-7
"""Step of the forward differences, m."""


@dataclass(frozen=True)
class DisplacementProblem:
    """What J is made of: ``points`` (N, 2) m and ``weight`` (N,) of the structure, ``pose`` (3,) where it is, ``wish`` (3,) where it
    should be at the robots' horizon, the ``robots`` (N), and the ``bias``. The frame's origin is best at the points' centroid.
    """

    points: Array
    weight: Array
    pose: Array
    wish: Array
    robots: Robots
    bias: float

    @cached_property
    def size(self) -> float:
        """Root mean square distance of the points from the frame's origin, m; at least 1 cm. It turns angles into lengths."""
        return max(float(np.sqrt((self.points**2).sum(axis=1).mean())), 1e-2)

    @cached_property
    def step(self) -> Array:
        """The wished displacement (3,) m, m, rad; the turn is the short way round."""
        step = self.wish - self.pose
        step[2] = wrap(step[2])
        return step

    @cached_property
    def goal(self) -> Array:
        """The points at the wished pose, (N, 2) m, world frame."""
        return place(self.points, self.wish)

    def cost(self, poses: Array) -> Array:
        """J (K,) m² for K poses (K, 3)."""
        return self._sums(poses, np.zeros((1, 3)))[:, 0, 0]

    def linearise(self, poses: Array) -> tuple[Array, Array, Array]:
        """J (K,), the normal matrix JᵀJ (K, 3, 3) and half the gradient (K, 3) at K poses (K, 3).

        Derivatives are with respect to x, y and ``size``·θ, in m, by forward differences of the terms ``v − r`` and ``v − d``.
        """
        stencil = np.zeros((4, 3))
        stencil[1, 0] = stencil[2, 1] = DIFFERENCE
        stencil[3, 2] = DIFFERENCE / self.size
        sums = self._sums(poses, stencil)
        return sums[:, 0, 0], sums[:, 1:, 1:], sums[:, 0, 1:]

    def _sums(self, poses: Array, stencil: Array) -> Array:
        """Sums over robots of products of (term, its slopes) at each pose: (K, S, S) for a stencil (S, 3)."""
        points = np.empty((len(poses) * len(stencil), len(self.points), 2))
        _place(points.size, self.points, np.ascontiguousarray(poses), stencil, points)
        end = self.robots.reach(points)
        sums = np.empty((len(poses), len(stencil), len(stencil)))
        _sum(points.size, points, end, self.goal, self.weight, self.bias, sums)
        return sums

    def sample(self, count: int) -> "DisplacementProblem":
        """The same for ``count`` evenly chosen robots, the sums scaled to stand for all; itself if there are no more."""
        n = len(self.points)
        if n <= count:
            return self
        robots = np.arange(count) * n // count
        weight = self.weight[robots] * (self.weight.sum() / max(self.weight[robots].sum(), np.finfo(float).tiny))
        return replace(self, points=self.points[robots], weight=weight, robots=self.robots.take(robots))


def _place_loop(points, poses, stencil, result):  # type: ignore[no-untyped-def]
    s = len(stencil)
    for k in prange(len(result)):
        x, y, yaw = poses[k // s, 0] + stencil[k % s, 0], poses[k // s, 1] + stencil[k % s, 1], poses[k // s, 2] + stencil[k % s, 2]
        cosine, sine = np.cos(yaw), np.sin(yaw)
        for i in range(len(points)):
            result[k, i, 0] = x + cosine * points[i, 0] - sine * points[i, 1]
            result[k, i, 1] = y + sine * points[i, 0] + cosine * points[i, 1]


def _sum_loop(points, end, goal, weight, bias, sums):  # type: ignore[no-untyped-def]
    stencil = sums.shape[1]
    for k in prange(len(sums)):
        first = k * stencil
        term, base = np.empty(stencil), 0.0
        total = np.zeros((stencil, stencil))
        for i in range(len(goal)):
            for axis in range(2):
                for kind in range(2):
                    for s in range(stencil):
                        other = end[first + s, i, axis] if kind == 0 else goal[i, axis]
                        term[s] = points[first + s, i, axis] - other
                    base = term[0]
                    for s in range(1, stencil):
                        term[s] = (term[s] - base) / DIFFERENCE
                    scale = weight[i] * (1.0 if kind == 0 else bias)
                    for a in range(stencil):
                        for b in range(a, stencil):
                            total[a, b] += scale * term[a] * term[b]
        for a in range(stencil):
            for b in range(stencil):
                sums[k, a, b] = total[min(a, b), max(a, b)]


_place = Kernel(_place_loop)
_sum = Kernel(_sum_loop)
