"""Knots between which robots that start or end close together do not touch.

Assigned by least squares, two robots never change sides: ``(p_i − p_j)·(q_i − q_j) ≥ 0`` for starts p and goals q. Their offset then turns
by at most 90° on a straight leg, and they stay √½ of the lesser of both distances apart (Turpin, Michael, Kumar: CAPT, 2014). So legs are
free once starts and goals are √2 times as far apart as robots are to be. An expansion about a centre makes them so: all distances grow
at once, none of them shrinks, and the assignment stays the best.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.formation.forming.legs import approach, free

SLACK = 1e-6
"""Robots that are pushed apart are by this share farther apart than need be."""

HALVINGS = 8
"""So often the search for the least expansion halves what is open."""


def expanded(start: Array, goal: Array, keep: Array, wider: Array) -> list[Array]:
    """Knots by way of an expanded start and an expanded goal (N, 2) m, each no more expanded than need be; those that are free.

    ``keep`` (N,) m as in :func:`~swarm_control.formation.forming.legs.nearest`; between both robots are to keep ``wider`` (N,) m.
    """
    middles = [place.mean(axis=0) for place in (start, goal)]
    offsets = [place - middle for place, middle in zip((start, goal), middles, strict=True)]

    def knots(factor: Array) -> Array:
        between = [middle + f * offset for middle, f, offset in zip(middles, factor, offsets, strict=True) if f > 1.0]
        return np.array([start, *between, goal])

    def fits(factor: Array) -> bool:
        made = knots(factor)
        middle = made[int(factor[0] > 1.0) : len(made) - int(factor[1] > 1.0)]
        return free(made, keep) and (len(middle) < 2 or wider is keep or free(middle, wider))

    def least(low: Array, high: Array) -> Array:
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high

    most = np.array([_factor(place, wider) for place in (start, goal)])
    if not fits(most):
        return []
    both, found = least(np.ones(2), most), []
    for side in (0, 1):
        lean = both.copy()
        lean[side] = 1.0
        found.append(knots(lean if fits(lean) else least(lean, both)))
        alone = np.ones(2)
        alone[side] = 1.5 * most[side]
        if fits(alone):
            found.append(knots(least(np.ones(2), alone)))
    return [knots(both), *found]


def _factor(place: Array, keep: Array) -> float:
    """By how much places are to be expanded for legs to be free: √2 over the least of the distances, in those that are to be kept."""
    least = max(float(_closest(np.ascontiguousarray(place), keep)), 1e-9)
    return max(1.0, (1.0 + 1e-6) * float(np.sqrt(2.0)) / least)


@njit(cache=True)
def _closest(place, keep):  # type: ignore[no-untyped-def]
    least = np.inf
    for i in range(len(keep)):
        for j in range(i + 1, len(keep)):
            least = min(least, np.hypot(place[i, 0] - place[j, 0], place[i, 1] - place[j, 1]) / (keep[i] + keep[j]))
    return least


def relaxed(start: Array, goal: Array, keep: Array, between: int, sweeps: int) -> Array | None:
    """Knots with some ``between`` start and goal (N, 2) m, evenly on the way and then pushed aside until all is free; None if it is not.

    Each leg of each pair that comes too near pushes the knots at its ends apart, each by its share in the nearest place
    (a projection as in Müller et al., Position Based Dynamics, 2007).
    """
    share = np.linspace(0.0, 1.0, between + 2)[:, None, None]
    knots = np.ascontiguousarray((1.0 - share) * start + share * goal)
    for _ in range(sweeps):
        if not _push(knots, keep * (1.0 + SLACK)):
            break
    return knots if free(knots, keep) else None


@njit(cache=True)
def _push(knots, keep):  # type: ignore[no-untyped-def]
    """One sweep over all pairs and legs, in place; whether any was pushed."""
    legs, n, pushed = len(knots) - 1, len(keep), False
    for i in range(n):
        for j in range(i + 1, n):
            want = keep[i] + keep[j]
            for k in range(legs):
                ax, ay = knots[k, i, 0] - knots[k, j, 0], knots[k, i, 1] - knots[k, j, 1]
                bx, by = knots[k + 1, i, 0] - knots[k + 1, j, 0], knots[k + 1, i, 1] - knots[k + 1, j, 1]
                far, s = approach(ax, ay, bx, by)
                if far >= want * (1.0 - 1e-9) and (k > 0 or far > 0.0):
                    continue
                low, high = 1.0 - s, s
                if k == 0:
                    low, high = 0.0, 1.0
                    x, y = tangent(ax, ay, bx, by, want)
                elif k == legs - 1:
                    low, high = 1.0, 0.0
                    x, y = tangent(bx, by, ax, ay, want)
                else:
                    x, y = _away(ax, ay, bx, by, far, s, want)
                weight = 0.5 / (low * low + high * high)
                for c, v in ((0, weight * x), (1, weight * y)):
                    knots[k, i, c] += low * v
                    knots[k, j, c] -= low * v
                    knots[k + 1, i, c] += high * v
                    knots[k + 1, j, c] -= high * v
                pushed = pushed or abs(x) + abs(y) > 1e-9 * want
    return pushed


@njit(cache=True)
def _away(ax, ay, bx, by, far, s, want):  # type: ignore[no-untyped-def]
    """How the nearest place of a leg a → b is to be pushed to be ``want`` away."""
    x, y = ax + s * (bx - ax), ay + s * (by - ay)
    if far < 1e-9:
        # through each other: each passes on the other's right
        x, y = ay - by, bx - ax
        far = max(np.sqrt(x * x + y * y), 1e-12)
        return want * x / far, want * y / far
    return (want - far) * x / far, (want - far) * y / far


@njit(cache=True)
def tangent(ax, ay, bx, by, want):  # type: ignore[no-untyped-def]
    """How b is to be pushed for the leg from a fixed a to pass ``want`` (or ‖a‖, if that is less) away: beyond the tangent from a."""
    begin = max(np.sqrt(ax * ax + ay * ay), 1e-9)
    ux, uy = ax / begin, ay / begin
    cosine = min(want / begin, 1.0)
    sine = np.sqrt(1.0 - cosine * cosine)
    if ux * by - uy * bx < 0.0:
        sine = -sine
    nx, ny = cosine * ux - sine * uy, cosine * uy + sine * ux
    short = max(min(want, begin) - (nx * bx + ny * by), 0.0)
    return short * nx, short * ny
