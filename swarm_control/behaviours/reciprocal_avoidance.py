"""Reciprocal avoidance: of the velocities at which nobody is met soon if others do their half, the one nearest to the wished one (ORCA)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.behaviours.human_like import approach_speed, headings, leads, point_velocity, slowing_time, wider
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.fields import clearance_of
from swarm_control.core.geometry import Array
from swarm_control.core.grid import read_scalar, way_length
from swarm_control.core.half_planes import least_bad_velocity, nearest_velocity
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState

PARTING = 0.1
"""Robots that are closer than they should be get clear of each other within this time, s."""

ACROSS, UNDER_WAY = 0.5, 0.25
"""Who goes at more than 60° to a robot's way, whichever way, and at so large a share of its top speed, goes across it."""

BESIDE = 5.0
"""Who has a wall within so many times the way of ``aside_time`` is beside walls."""


@dataclass(frozen=True)
class ReciprocalAvoidance:
    """Parameters of reciprocal avoidance."""

    weight: float = param(0.0, "weight; 0 switches it off", unit="1/s", low=0.0, high=100.0)
    horizon: float = param(0.5, "for so long nobody and no wall is to be met", unit="s", low=0.05, high=100.0)
    margin: float = param(0.02, "room to keep between footprints, and to walls", unit="m", low=0.0, high=10.0)
    aside: float = param(35.0, "how far to the right of its way it wishes to go", unit="deg", low=0.0, high=90.0)
    aside_oncoming: float = param(
        6.0, "the same beside walls, where nobody about goes across: whom it meets comes towards it", unit="deg", low=0.0, high=90.0
    )
    aside_time: float = param(2.0, "this long before the goal or a wall it keeps less to the right", unit="s", low=0.01, high=100.0)
    slowing_time: float = param(
        0.2, "speed is ramped down this long before the goal; sooner by who brakes less, or with a weight under 10", unit="s", low=0.01,
        high=100.0,
    )  # fmt: skip


def check(control: Any) -> Iterator[str]:
    """The room that is asked for."""
    yield from wider(control, "reciprocal_avoidance")


@register_behaviour(ReciprocalAvoidance, priority=36, check=check, heeds_goals=True)
def reciprocal_avoidance(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: ReciprocalAvoidance) -> Array:
    """Velocity to gain to go to the goal past others and walls, (N, 2) m/s; zero for robots without a goal.

    Equation: with each neighbour a robot shares the least change u of their relative velocity after which they do not touch within the
    ``horizon`` τ: ``n·v ≥ n·(v_i + u/2)``, n along u; and ``n·v ≥ −room/τ`` to the nearest wall. Of what all of these permit within
    the top speed it takes the velocity nearest to the wished one; where they permit none, the one that is least against the worst of
    them (optimal reciprocal collision avoidance: van den Berg, Guy, Lin & Manocha 2011). The wished one is to the right of the way by
    ``aside``, if it nears somebody ahead as fast as it goes, and by less if slower: those who meet pass on the same side, those who
    cross go round each other, and who is alone or follows goes straight. Beside walls, where nobody about goes across,
    ``aside_oncoming`` is enough: columns that meet pass in lanes, and are not driven against the wall.
    """
    goal = around.goal - state.position
    way, fleet, result = headings(state, around, params.margin), around.fleet, np.zeros((len(state), 2))
    _choose(
        len(state), goal, way, state.pose, state.velocity, seen.start, seen.index, seen.offset, seen.velocity,
        fleet.radius, fleet.max_speed, fleet.max_acceleration, leads(around), *clearance_of(around.map), params.horizon,
        params.margin, np.deg2rad(params.aside), np.deg2rad(params.aside_oncoming), params.aside_time, slowing_time(params), result,
    )  # fmt: skip
    return result


@njit(cache=True)
def _change(x, y, wx, wy, reach, horizon):  # type: ignore[no-untyped-def]
    """Least change of the relative velocity (wx, wy) after which one at (x, y) stays farther than ``reach``: its direction, its length.

    Negative where there is room to spare. The velocities that lead nearer are a cone, cut off by a disc of radius reach/horizon.
    """
    square, leg = x * x + y * y, x * x + y * y - reach * reach
    if leg <= 0.0:
        horizon = PARTING
    cx, cy = wx - x / horizon, wy - y / horizon
    size, along = np.sqrt(cx * cx + cy * cy), cx * x + cy * y
    if leg <= 0.0 or (along < 0.0 and along * along > reach * reach * size * size):
        if size < 1e-9:  # they will be exactly on each other
            far = max(np.sqrt(square), 1e-9)
            return -x / far, -y / far, reach / horizon
        return cx / size, cy / size, reach / horizon - size
    leg = np.sqrt(leg)
    side = 1.0 if x * cy - y * cx > 0.0 else -1.0
    nx, ny = -(side * y * leg + x * reach) / square, (side * x * leg - y * reach) / square
    return nx, ny, -(wx * nx + wy * ny)


@njit(cache=True)
def _company(i, hx, hy, speed, start, offset, velocity, relative):  # type: ignore[no-untyped-def]
    """How fast (share of ``speed``, at most 1) robot i nears the one ahead of it that it nears fastest, if it goes along (hx, hy); and
    whether anybody about goes across.
    """
    fastest, across = 0.0, False
    for k in range(start[i], start[i + 1]):
        x, y = offset[k, 0], offset[k, 1]
        vx, vy = velocity[i, 0] + relative[k, 0], velocity[i, 1] + relative[k, 1]
        pace = np.sqrt(vx * vx + vy * vy)
        across = across or (pace > UNDER_WAY * speed and abs(vx * hx + vy * hy) < ACROSS * pace)
        if x * hx + y * hy > 0.0:
            fastest = max(fastest, (x * (speed * hx - vx) + y * (speed * hy - vy)) / np.sqrt(x * x + y * y))
    return min(fastest / speed, 1.0), across


@njit(cache=True)
def _wall(lines, clearance, x0, y0, resolution, x, y, spare, horizon):  # type: ignore[no-untyped-def]
    """Write the line of the nearest wall, to which there is ``spare`` (m) beyond what is to be kept: how many, 0 or 1."""
    h = resolution
    gx = read_scalar(clearance, x0, y0, h, x + h, y) - read_scalar(clearance, x0, y0, h, x - h, y)
    gy = read_scalar(clearance, x0, y0, h, x, y + h) - read_scalar(clearance, x0, y0, h, x, y - h)
    size = np.sqrt(gx * gx + gy * gy)
    if size < 1e-6:
        return 0
    lines[0, 0], lines[0, 1], lines[0, 2] = gx / size, gy / size, -max(spare, 0.0) / horizon
    return 1


def _choose_loop(  # type: ignore[no-untyped-def]
    goal, heading, pose, velocity, start, index, offset, relative, radius, max_speed, hardest, lead, clearance, x0, y0, resolution, horizon,
    margin, aside, oncoming, aside_time, slowing, result,
):  # fmt: skip
    for i in prange(len(pose)):
        gx, gy = goal[i, 0], goal[i, 1]
        distance = np.sqrt(gx * gx + gy * gy)
        if not np.isfinite(distance):
            continue
        speed, x, y, room, vx, vy = max_speed[i], pose[i, 0], pose[i, 1], radius[i] + margin, velocity[i, 0], velocity[i, 1]
        hx, hy = heading[i, 0], heading[i, 1]
        here = read_scalar(clearance, x0, y0, resolution, x, y)
        ahead = aside_time * speed
        met, across = _company(i, hx, hy, speed, start, offset, velocity, relative)
        right = aside if across or here > BESIDE * ahead else oncoming
        way, c, s = min(distance, ahead), np.cos(right), -np.sin(right)
        if here < way + room:
            way = way_length(clearance, x0, y0, resolution, x, y, c * hx - s * hy, s * hx + c * hy, here, room, way)
        turn = right * way / ahead * met
        c, s = np.cos(turn), -np.sin(turn)
        wish = approach_speed(distance, speed, hardest[i], slowing)
        wx, wy = wish * (c * hx - s * hy), wish * (s * hx + c * hy)
        lines, walls = np.empty((1 + start[i + 1] - start[i], 3)), 0
        if here - room < speed * horizon:
            walls = _wall(lines, clearance, x0, y0, resolution, x, y, here - room, horizon)
        count = walls
        for k in range(start[i], start[i + 1]):
            reach = radius[i] + radius[index[k]] + margin
            nx, ny, u = _change(offset[k, 0], offset[k, 1], -relative[k, 0], -relative[k, 1], reach, horizon)
            lines[count, 0], lines[count, 1], lines[count, 2] = nx, ny, nx * vx + ny * vy + 0.5 * u
            count += 1
        first, ax, ay = nearest_velocity(lines, count, wx, wy, speed)
        if first < count:
            ax, ay = least_bad_velocity(lines, max(first, walls), walls, count, ax, ay, speed)
        vx, vy = point_velocity(velocity[i], pose[i, 2], lead[i], wish / speed)
        result[i, 0], result[i, 1] = ax - vx, ay - vy


_choose = Kernel(_choose_loop)
