"""Grouping: keep at a distance from the neighbours and at the group's velocity, and pass obstacles on either side (Brogan & Hodgins 1997).

A robot is wanted at the mean of the points that are ``distance`` from each visible neighbour, on the line to it, weighted by 1/d²
(§3 and figure 3). Where it and its neighbours will be when it can have answered is predicted, and the gains by which it is drawn there
are those of its kind (``Surroundings.gains``), so that one behaviour does for all kinds.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.obstacles import round_obstacles
from swarm_control.core.parameters import param
from swarm_control.core.state import Map, Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Grouping:
    """Parameters of grouping."""

    weight: float = param(0.0, "weight; 0 switches grouping off, 1 is the paper's", low=0.0, high=100.0)
    distance: float = param(5.0, "distance wished to every visible neighbour", unit="m", low=0.0, high=1000.0)
    speed: float = param(0.0, "speed that the group is to have", unit="m/s", low=0.0, high=100.0)
    heading: float = param(0.0, "where the group is to go; 0: along x", unit="deg", low=-1e6, high=1e6)
    turn_time: float = param(0.0, "how long the turn to that heading takes; 0: no time", unit="s", low=0.0, high=1e6)
    turn_start: float = param(0.0, "when that turn begins", unit="s", low=0.0, high=1e6)
    turn_from: float = param(0.0, "heading before that turn", unit="deg", low=-1e6, high=1e6)
    position_gain: float = param(1.0, "acceleration per error of position, of kinds without own gains", unit="1/s²", low=0.0, high=1e6)
    velocity_gain: float = param(1.0, "acceleration per error of velocity, of kinds without own gains", unit="1/s", low=0.0, high=1e6)
    sight: float = param(5.0, "from how far an obstacle is seen, to its edge; then all know of it", unit="m", low=0.0, high=1000.0)
    push: float = param(36.0, "D_obs: way aside at an obstacle times the square of the distance to it", unit="m³", low=0.0, high=1e6)
    clearance: float = param(1.0, "the way aside is no longer than takes a robot so far past the edge", unit="m", low=0.0, high=100.0)
    neighbour_room: float = param(0.02, "D_off: further way aside for each neighbour in between", unit="m", low=0.0, high=100.0)
    rejoin: float = param(0.1, "share of the way back to the middle that is wished behind an obstacle", low=0.0, high=10.0)
    rejoin_distance: float = param(20.0, "how far behind an obstacle robots are drawn together", unit="m", low=0.0, high=1000.0)


@register_behaviour(Grouping, priority=60, attends="group", bearings=("heading", "turn_from"), sees_all=True)
def grouping(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Grouping) -> Array:
    """Acceleration towards the place among the visible neighbours and the group's velocity, (N, 2) m/s².

    Equation: ``k_p·e + k_v·(ẋ_g − ẋ)`` with ``e = x_d − x + (ẋ_a − ẋ)·τ``, where x_d is the place wished, ẋ_a the mean velocity of the
    neighbours, ẋ_g the group's, and k_p, k_v, τ the robot's gains and horizon (Brogan & Hodgins 1997, equations 4, 9-11 and 14).
    """
    n = len(state)
    course = heading(params, state.time)
    ahead = np.array([np.cos(course), np.sin(course)])
    own = np.broadcast_to([np.nan, np.nan, 0.0], (n, 3)) if around.gains is None else around.gains()
    gains = np.where(np.isnan(own), (params.position_gain, params.velocity_gain, 0.0), own)
    error = place(seen, params.distance) + gains[:, 2:] * seen.mean(seen.velocity)
    swarm = around.swarm or state
    bodies = _bodies(swarm, around)
    if len(bodies):
        sizes = (params.push, params.clearance, params.neighbour_room, params.rejoin, params.rejoin_distance)
        known = _known(swarm, bodies, params.sight)
        error += _pass(n, state.pose, around.fleet.radius, seen.start, seen.offset, bodies, known, ahead, sizes)
    return np.asarray(gains[:, :1] * error + gains[:, 1:2] * (params.speed * ahead - state.velocity[:, :2]))


def heading(params: Grouping, time: float) -> float:
    """Where the group is to go at ``time`` (s), rad: ``heading``, or on the way to it from ``turn_from`` at a steady rate."""
    done = min(max((time - params.turn_start) / params.turn_time, 0.0), 1.0) if params.turn_time > 0.0 else 1.0
    return float(np.deg2rad(params.turn_from * (1.0 - done) + params.heading * done))


def place(seen: Neighbourhoods, distance: float) -> Array:
    """Way (N, 2) m from each robot to the place wished among its neighbours: ``Σ (D − d)·û/d² / Σ 1/d²``.

    û is the unit vector from the neighbour to the robot and d their distance. Zero for a robot that sees nobody.
    """
    result: Array = _place(len(seen.start) - 1, seen.start, seen.index, seen.offset, seen.distance, distance)
    return result


def _bodies(state: SwarmState, around: Surroundings) -> Array:
    """What to pass, (K, 4): centre x, y and radius, m, of the obstacles and of the fallen, and which robot it is, −1 for none."""
    still = np.empty((0, 3)) if around.map is None else around.map.once(standing)
    found = np.column_stack((still, np.full(len(still), -1.0)))
    if state.fallen is None:
        return found
    lying = np.flatnonzero(state.fallen & state.valid)
    return np.vstack((found, np.column_stack((state.position[lying], around.fleet.radius[lying], lying))))


def standing(map: Map) -> Array:
    """What stands on the ``map``, as round bodies (K, 3): centre x, y and radius, m."""
    return round_obstacles(map.grid)


def _known(state: SwarmState, bodies: Array, sight: float) -> BoolArray:
    """Which of ``bodies`` are within ``sight`` (m) of anybody who is not fallen, (K,): their place is then known to all (§5)."""
    there = state.position[state.valid if state.fallen is None else state.valid & ~state.fallen]
    nearest = [norm(there - body[:2]).min(initial=np.inf) - body[2] for body in bodies]
    return np.array(nearest) <= sight


def _place_loop(start, index, offset, distance, wished):  # type: ignore[no-untyped-def]
    """Coincident robots part along x, the lower index first; nearer than a millimetre the weight grows no further."""
    n = len(start) - 1
    result = np.zeros((n, 2))
    for i in prange(n):
        total, x, y = 0.0, 0.0, 0.0
        for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            d = distance[k]
            weight = 1.0 / max(d * d, 1e-6)
            total += weight
            if d > 0.0:
                scale = weight * (wished - d) / d
                x -= scale * offset[k, 0]
                y -= scale * offset[k, 1]
            else:
                x += weight * wished if i < index[k] else -weight * wished
        if total > 0.0:
            result[i, 0], result[i, 1] = x / total, y / total
    return result


def _pass_loop(pose, radius, start, offset, bodies, known, ahead, sizes):  # type: ignore[no-untyped-def]
    """Ways (N, 2) m aside, so as to pass ``bodies`` (K, 4): equation 5, figure 4, and the way back behind them.

    Before the middle, ``min(D_obs/d², R + clearance) + D_off·m`` away from the line through it along the course, R the sum of radii. All
    are pushed, also who is far out: else those within would be pressed against them. m is how many visible neighbours are in the
    rectangle whose corners are the robot and the middle. Behind the obstacle, a share of the way back to the line.
    """
    push, clearance, room, rejoin, reach = sizes
    n = len(pose)
    result = np.zeros((n, 2))
    for i in prange(n):
        aside = 0.0
        for b in range(len(bodies)):
            dx, dy = bodies[b, 0] - pose[i, 0], bodies[b, 1] - pose[i, 1]
            d = np.sqrt(dx * dx + dy * dy)
            along, left = dx * ahead[0] + dy * ahead[1], ahead[1] * dx - ahead[0] * dy
            side, touch = 1.0 if left >= 0.0 else -1.0, bodies[b, 2] + radius[i]
            if bodies[b, 3] == i:
                continue
            if along > 0.0 and known[b]:
                between = 0
                for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
                    u = offset[k, 0] * ahead[0] + offset[k, 1] * ahead[1]
                    w = (ahead[1] * offset[k, 0] - ahead[0] * offset[k, 1]) * side
                    between += (u > 0.0) & (u < along) & (w > 0.0) & (w < abs(left))
                aside += side * (min(push / max(d * d, 1e-6), touch + clearance) + room * between)
            elif along < -touch and d - bodies[b, 2] <= reach:
                aside -= rejoin * left
        result[i, 0], result[i, 1] = -ahead[1] * aside, ahead[0] * aside
    return result


_place = Kernel(_place_loop)
_pass = Kernel(_pass_loop)
