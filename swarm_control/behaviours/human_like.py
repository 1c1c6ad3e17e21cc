"""Human-like: head where the way to the goal is freest, as pedestrians do, and no faster than leaves time to stop."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.fields import clearance_of
from swarm_control.core.geometry import Array, unit
from swarm_control.core.grid import read_scalar, way_length
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class HumanLike:
    """Parameters of human-like navigation."""

    weight: float = param(0.0, "weight; 0 switches it off", unit="1/s", low=0.0, high=100.0)
    horizon: float = param(4.0, "ways are looked at for so long at top speed", unit="s", low=0.1, high=100.0)
    time: float = param(0.5, "time that is to be left before something is met", unit="s", low=0.01, high=10.0)
    margin: float = param(0.02, "room to keep between footprints, and to walls", unit="m", low=0.0, high=10.0)
    step: float = param(6.0, "ways are tried at so many degrees from one another", unit="deg", low=1.0, high=45.0)
    aside: float = param(45.0, "how far to the right it keeps where the straight way is blocked", unit="deg", low=0.0, high=90.0)
    steady: float = param(0.05, "how much a way counts for going on as now, against one that leads to the goal", low=0.0, high=10.0)
    slowing_time: float = param(
        0.2, "speed is ramped down this long before the goal; sooner by who brakes less, or with a weight under 10", unit="s", low=0.01,
        high=100.0,
    )  # fmt: skip


def wider(control: Any, name: str) -> Iterator[str]:
    """Robots that get no nearer are led where the separation filter lets them go: the behaviour ``name`` should not ask for more room."""
    margin, kept = getattr(control, name).margin, control.separation_filter.margin
    if margin > kept:
        yield (
            f"{name}.margin ({margin:g} m) is more than separation_filter.margin ({kept:g} m): "
            "robots may be led along ways that they take for blocked, and stay in one place"
        )


def check(control: Any) -> Iterator[str]:
    """The room that is asked for."""
    yield from wider(control, "human_like")


@register_behaviour(HumanLike, priority=35, check=check, heeds_goals=True)
def human_like(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: HumanLike) -> Array:
    """Velocity to gain to go to the goal past others and walls, by the freest way, (N, 2) m/s.

    Equation: of the headings α, the one that leads nearest to a point D ahead, towards the goal: least ``D² + f² − 2·D·f·cos α`` with f(α)
    the way until something is met if all go on as they do (Moussaïd, Helbing & Theraulaz 2011; Guzzi et al. 2013); the speed is no more
    than ``f/time``. Of two that are as good it is the one on the right. Zero for robots without a goal.
    """
    goal = around.goal - state.position
    way, fleet, result = headings(state, around, params.margin), around.fleet, np.zeros((len(state), 2))
    _choose(
        len(state), goal, way, state.pose, state.velocity, seen.start, seen.index, seen.offset, seen.velocity,
        fleet.radius, fleet.max_speed, fleet.max_acceleration, leads(around), *clearance_of(around.map), *_turns(params.step),
        params.horizon, params.time, params.margin, slowing_time(params), np.deg2rad(params.aside), params.steady, result,
    )  # fmt: skip
    return result


def slowing_time(params: Any) -> float:
    """How long (s) before the goal speed is ramped down: a velocity that is taken up within 1/weight does not overshoot by much then."""
    soonest: float = params.slowing_time
    return max(soonest, 2.0 / params.weight) if params.weight > 0.0 else soonest


@njit(cache=True, inline="always")
def approach_speed(distance, speed, acceleration, slowing):  # type: ignore[no-untyped-def]
    """Speed (m/s) ``distance`` (m) before the goal: one can stop there with half of the ``acceleration``, and it takes ``slowing`` (s)."""
    return min(speed, min(np.sqrt(acceleration * distance), distance / slowing))


def headings(state: SwarmState, around: Surroundings, margin: float) -> Array:
    """Unit directions (N, 2) of robots' ways to their goals, round walls to which ``margin`` (m) is kept; zero without a goal."""
    if around.route is None:
        return np.nan_to_num(unit(around.goal - state.position))
    return around.route(state.pose, around.goal, around.fleet.radius + margin)


def leads(around: Surroundings) -> Array:
    """How far (N,) m the point that requests accelerate is ahead of each robot."""
    return np.zeros(len(around.goal)) if around.lead is None else around.lead[:, 0]


@njit(cache=True, inline="always")
def point_velocity(velocity, heading, lead, share):  # type: ignore[no-untyped-def]
    """Velocity (m/s) that a robot has to change, of which a ``share`` of its top speed is wished: near the goal that of the point which
    requests accelerate, ``lead`` (m) ahead. Else its turns, which nobody brakes, carry it round the goal for ever (see ``arrival``).
    """
    turn = (1.0 - share) * lead * velocity[2]
    return velocity[0] - turn * np.sin(heading), velocity[1] + turn * np.cos(heading)


@lru_cache(maxsize=16)
def _turns(step: float) -> tuple[Array, Array]:
    """Cosines and sines of the headings that are tried, from straight ahead to the back, right before left."""
    k = np.arange(2 * int(180.0 / step + 1e-9) + 1)
    turns = np.deg2rad(step) * ((k + 1) // 2) * np.where(k % 2 == 1, -1.0, 1.0)
    return np.cos(turns), np.sin(turns)


@njit(cache=True)
def _free(i, dx, dy, speed, most, start, index, offset, relative, velocity, radius, margin):  # type: ignore[no-untyped-def]
    """How far (m, at most ``most``) robot i can go along (dx, dy) at ``speed`` before it meets another that goes on as it does."""
    free = most
    wx0, wy0 = speed * dx - velocity[i, 0], speed * dy - velocity[i, 1]
    for k in range(start[i], start[i + 1]):
        x, y = offset[k, 0], offset[k, 1]
        wx, wy = wx0 - relative[k, 0], wy0 - relative[k, 1]
        nearing = x * wx + y * wy
        if nearing <= 0.0:
            continue
        touch = radius[i] + radius[index[k]]
        reach, square = touch + margin, x * x + y * y
        if square < reach * reach:  # closer than it should be: past the footprint itself, at least
            reach = touch
        gap = square - reach * reach
        if gap <= 0.0:
            return 0.0
        square = wx * wx + wy * wy
        root = nearing * nearing - square * gap
        if root > 0.0:
            free = min(free, speed * (nearing - np.sqrt(root)) / square)
    return free


def _choose_loop(  # type: ignore[no-untyped-def]
    goal, heading, pose, velocity, start, index, offset, relative, radius, max_speed, hardest, lead, clearance, x0, y0, resolution, cosines,
    sines, horizon, time, margin, slowing, aside, steady, result,
):  # fmt: skip
    for i in prange(len(pose)):
        gx, gy = goal[i, 0], goal[i, 1]
        distance = np.sqrt(gx * gx + gy * gy)
        if not np.isfinite(distance):
            continue
        speed, x, y, room = max_speed[i], pose[i, 0], pose[i, 1], radius[i] + margin
        result[i, 0], result[i, 1] = -velocity[i, 0], -velocity[i, 1]
        if distance < 1e-6:
            continue
        ahead = min(distance, horizon * speed)
        hx, hy = heading[i, 0], heading[i, 1]
        here = read_scalar(clearance, x0, y0, resolution, x, y)
        free = _free(i, hx, hy, speed, ahead, start, index, offset, relative, velocity, radius, margin)
        turn = -aside * (1.0 - free / ahead)
        c, s = np.cos(turn), np.sin(turn)
        hx, hy = c * hx - s * hy, s * hx + c * hy
        best, best_x, best_y, best_free = 1e300, 0.0, 0.0, 0.0
        for k in range(len(cosines)):
            c, s = cosines[k], sines[k]
            if best <= ahead * ahead * (s * s if c > 0.0 else 1.0):
                break
            dx, dy = c * hx - s * hy, s * hx + c * hy
            free = _free(i, dx, dy, speed, ahead, start, index, offset, relative, velocity, radius, margin)
            if here < free + room:
                free = min(free, way_length(clearance, x0, y0, resolution, x, y, dx, dy, here, room, free))
            cost = ahead * ahead + free * free - 2.0 * ahead * free * c
            cost += steady * ahead * (ahead - (dx * velocity[i, 0] + dy * velocity[i, 1]) * ahead / speed)
            if cost < best * (1.0 - 1e-9):
                best, best_x, best_y, best_free = cost, dx, dy, free
        wish = approach_speed(distance, speed, hardest[i], slowing)
        vx, vy = point_velocity(velocity[i], pose[i, 2], lead[i], wish / speed)
        result[i, 0], result[i, 1] = -vx, -vy
        if best_free < ahead:  # something is met before the goal
            wish = min(wish, best_free / time)
        result[i, 0] += wish * best_x
        result[i, 1] += wish * best_y


_choose = Kernel(_choose_loop)
