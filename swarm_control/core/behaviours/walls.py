"""Obstacle avoidance on the map: potential field, steer-to-avoid."""

from dataclasses import dataclass

import numpy as np
from numba import prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array
from swarm_control.core.grid import read_vectors, way_length
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class PotentialField:
    """Parameters of the potential field."""

    weight: float = param(0.0, "weight; 0 switches the potential field off", unit="m/s²", low=0.0, high=100.0)
    radius: float = param(0.5, "how far the field reaches from walls", unit="m", low=0.01, high=100.0)


@dataclass(frozen=True)
class SteerToAvoid:
    """Parameters of steer-to-avoid."""

    weight: float = param(0.0, "weight; 0 switches steer-to-avoid off", unit="1/s", low=0.0, high=100.0)
    look_ahead: float = param(1.0, "length of the way that must be free", unit="m", low=0.01, high=100.0)
    step: float = param(10.0, "angle between the headings that are tried", unit="deg", low=0.5, high=90.0)
    margin: float = param(0.05, "room between footprint and walls", unit="m", low=0.0, high=10.0)


def potential_field(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: PotentialField) -> Array:
    """Push away from walls, (N, 2) in [0, 1]: one reading of the map's field per robot (Adeola et al. §2.3.1)."""
    if around.map is None:
        return np.zeros((len(state), 2))
    return read_vectors(around.map.repulsion, around.map.grid, state.pose)


def steer_to_avoid(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: SteerToAvoid) -> Array:
    """Velocity to gain to turn into the nearest free heading at the same speed, (N, 2) m/s (Adeola et al. alg. 1 and 2).

    Zero where the way ahead is free; where no way is, the whole velocity is to be lost.
    """
    if around.map is None:
        return np.zeros((len(state), 2))
    velocity = state.velocity[:, :2]
    turn = free_turn(state, around, params)
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y = velocity[:, 0], velocity[:, 1]
    desired = np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=-1)
    return np.nan_to_num(desired) - velocity


def free_turn(state: SwarmState, around: Surroundings, params: SteerToAvoid) -> Array:
    """Smallest turn (N,) rad from the course to one whose whole way is free; NaN: there is no way.

    Tries the course ± k·``step``, left first. The way is ``look_ahead`` long, straight, and free when the footprint and ``margin``
    stay clear of walls and inside the map everywhere along it. A robot that is already closer may move where it gets no closer.
    """
    assert around.map is not None
    grid = around.map.grid
    result: Array = _free_turn(
        len(state), around.map.clearance, *grid.origin, grid.resolution, state.pose, state.velocity, around.fleet.radius,
        params.look_ahead, np.deg2rad(params.step), params.margin,
    )  # fmt: skip
    return result


def _free_turn_loop(clearance, x0, y0, resolution, pose, velocity, radius, look_ahead, step, margin):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.full(n, np.nan)
    tries = int(np.pi / step + 1e-9)
    for i in prange(n):
        vx, vy = velocity[i, 0], velocity[i, 1]
        course = np.arctan2(vy, vx) if vx * vx + vy * vy > 1e-6 else pose[i, 2]
        for k in range(2 * tries + 1):
            turn = step * ((k + 1) // 2) * (1.0 if k % 2 == 1 else -1.0)
            dx, dy = np.cos(course + turn), np.sin(course + turn)
            room = radius[i] + margin
            if way_length(clearance, x0, y0, resolution, pose[i, 0], pose[i, 1], dx, dy, room, look_ahead) >= look_ahead:
                result[i] = turn
                break
    return result


_free_turn = Kernel(_free_turn_loop)
