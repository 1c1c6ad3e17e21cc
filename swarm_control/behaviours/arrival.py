"""Arrival: go to the goal and come to rest there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState

WELL_WITHIN, WELL_OUTSIDE = 0.95, 1.25
"""A car leaves a place that is within so much of a turning circle, until it is outside of so much of it."""

LEAVING = 0.6
"""It does so at this share of the speed at which it would come."""

BESIDE, NEAR, CLOSE = 0.1, 0.5, 0.6
"""To what is so near to its line, as shares of its least turning radius and of its footprint's, it goes straight, as near as it gets; if it
is no farther than the last share of the turning radius.
"""

BACKWARDS = 4.0
"""Backwards it goes at most so many times (1/s) as fast as the point is ahead that moves it: faster, its turns run away."""

ABREAST = 0.5
"""To what is less ahead or behind than this share of how far it is aside it goes on the way that it goes, and forwards from rest."""


@dataclass(frozen=True)
class Arrival:
    """Parameters of arrival."""

    weight: float = param(0.0, "weight; 0 switches arrival off", unit="1/s", low=0.0, high=100.0)
    slowing_distance: float = param(1.0, "speed is ramped down within this of the goal", unit="m", low=0.01, high=100.0)


def check(control: Any) -> Iterator[str]:
    """Who also seeks the goal goes through it."""
    if control.seek.weight > 0.0:
        yield "arrival and seek are both on: seek keeps robots from coming to rest at the goal"


@register_behaviour(Arrival, priority=40, check=check, heeds_goals=True)
def arrival(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Arrival) -> Array:
    """Velocity to gain in order to come to rest at the goal, (N, 2) m/s; zero for robots without a goal (Adeola et al. alg. 4).

    See :func:`approach`.
    """
    return approach(state, around, params.slowing_distance, params.weight)


def ramp(distance: Array, slowing_distance: float) -> Array:
    """Share of full speed at ``distance`` (N,) m from the goal: ``tanh(2 d/D)/tanh(2)`` within D, 1 beyond; 0 at the goal."""
    return np.asarray(np.tanh(2.0 * np.minimum(distance / slowing_distance, 1.0)) / np.tanh(2.0))


def approach(state: SwarmState, around: Surroundings, slowing_distance: float, weight: float = 0.0) -> Array:
    """Velocity to gain (N, 2) m/s to go straight to each robot's goal, ramped down within ``slowing_distance`` (m) of it.

    With the ``weight`` that the request will have robots come to rest that are moved by a point L ahead of their axle. Steered by the
    axle's velocity alone one would circle the goal for ever: the turn that carries the point on is not braked. Within the slowing
    distance the point's velocity counts instead. With requests of weight g a circle of radius ρ is then left where the ramp wants a
    speed of g·ρ·(1 + ρ²/L²): half of that is the most. A car's turning circle widens L there: it may not overshoot into it.

    Where robots have a place each (``around.target`` is NaN), a car whose place is within one of its two least turning circles, which it
    would go round for ever, goes the other way with its wheels turned the other way until the place is outside of both.
    """
    lead = np.zeros((len(state), 2)) if around.lead is None or weight == 0.0 else around.lead
    circle = np.zeros(len(state)) if np.isfinite(around.target).all() else 0.5 * (lead[:, 1] - lead[:, 0])
    if around.lag is not None:
        circle = np.where(around.lag > 0, 0.0, circle)
    steepest, top = 0.5 * weight * around.gain, around.fleet.max_speed
    result: Array = _go(
        len(state), around.goal, state.pose, state.velocity, top, slowing_distance, lead, circle, around.fleet.radius, steepest
    )  # fmt: skip
    return result


@njit(cache=True)
def _parking(ahead, aside, circle, beside, forward, top, steepest, lead):  # type: ignore[no-untyped-def]
    """Speed (m/s) and curvature (1/m) that bring a car to a place (m, its frame) which is near; what is closer to its line than ``beside``
    (m) it goes straight to. It goes ``forward`` (m/s) now; ``top`` is the most that it may, ``steepest`` (1/s) how fast for how far it is.

    Outside of both least turning circles: along the circle through the place, backwards to what is behind. Inside: away from it, turned
    as far as can be, which has it ahead or behind sooner than going straight.
    """
    far, square, way = ahead * ahead + (abs(aside) - circle) ** 2, ahead * ahead + aside * aside, 1.0 if ahead >= 0.0 else -1.0
    if abs(aside) < beside and square < (CLOSE * circle) ** 2:
        return min(max(steepest * ahead, -top), top), 0.0
    if far > (WELL_OUTSIDE * circle) ** 2:
        if abs(ahead) < ABREAST * abs(aside):
            way = -1.0 if forward < -0.05 * top else 1.0
    elif far < ((WELL_OUTSIDE if way * forward < 0.0 else WELL_WITHIN) * circle) ** 2:
        return -way * min(LEAVING * top, steepest * circle), -np.sign(aside) / circle
    most = top if way > 0.0 else min(top, BACKWARDS * lead)
    return way * min(most, steepest * np.sqrt(square)), 2.0 * aside / square


def _go_loop(goal, pose, velocity, max_speed, slowing_distance, lead, circle, radius, steepest):  # type: ignore[no-untyped-def]
    """Velocity to gain to go straight to the goal, ramped down within ``slowing_distance``, see :func:`ramp`; zero for a goal of NaN."""
    n = len(pose)
    result = np.zeros((n, 2))
    for i in prange(n):
        x, y = goal[i, 0] - pose[i, 0], goal[i, 1] - pose[i, 1]
        d = np.sqrt(x * x + y * y)
        if not np.isfinite(d):
            continue
        speed, vx, vy = max_speed[i], velocity[i, 0], velocity[i, 1]
        share = np.tanh(2.0 * d / slowing_distance) / np.tanh(2.0) if d < slowing_distance else 1.0
        if circle[i] > 0.0 and steepest > 0.0 and d < max(slowing_distance, 3.0 * circle[i]):
            c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
            forward = vx * c + vy * s
            beside = min(BESIDE * circle[i], NEAR * radius[i])
            wish, bend = _parking(x * c + y * s, y * c - x * s, circle[i], beside, forward, share * speed, steepest, lead[i, 0])
            firm = max(-forward / (2.0 * steepest * lead[i, 0]), 1.0)  # backwards a turn grows by itself, at v/2L
            turn = firm * lead[i, 0] * (bend * forward - velocity[i, 2])
            result[i, 0], result[i, 1] = wish * c - vx - turn * s, wish * s - vy + turn * c
            continue
        if d < slowing_distance:
            speed *= share
            if lead[i, 0] > 0.0:
                speed = min(speed, steepest * d * (1.0 + (d / lead[i, 1]) ** 2))
                turn = (1.0 - share) * lead[i, 0] * velocity[i, 2]
                vx, vy = vx - turn * np.sin(pose[i, 2]), vy + turn * np.cos(pose[i, 2])
        scale = speed / d if d > 0.0 else 0.0
        result[i, 0], result[i, 1] = x * scale - vx, y * scale - vy
    return result


_go = Kernel(_go_loop)
