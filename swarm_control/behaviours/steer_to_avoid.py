"""Steer to avoid: turn into the nearest heading whose way is free."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.grid import read_scalar, way_length
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class SteerToAvoid:
    """Parameters of steer-to-avoid."""

    weight: float = param(0.0, "weight; 0 switches steer-to-avoid off", unit="1/s", low=0.0, high=100.0)
    look_ahead: float = param(1.0, "length of the way that must be free", unit="m", low=0.01, high=100.0)
    step: float = param(10.0, "angle between the headings that are tried", unit="deg", low=0.5, high=90.0)
    margin: float = param(0.05, "room between footprint and walls", unit="m", low=0.0, high=10.0)


@register_behaviour(SteerToAvoid, priority=100, keeps_off_walls=True)
def steer_to_avoid(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: SteerToAvoid) -> Array:
    """Velocity to gain to turn into the nearest free heading at the same speed, (N, 2) m/s (Adeola et al. alg. 1 and 2).

    Zero where the way ahead is free; where no way is, the whole velocity is to be lost. Tries the course ± k·``step``, left first. The way
    is ``look_ahead`` long, straight, and free when the footprint and ``margin`` stay clear of walls and inside the map everywhere along
    it. A robot that is already closer may move where it gets no closer.
    """
    if around.map is None:
        return np.zeros((len(state), 2))
    grid, wish = around.map.grid, np.empty((len(state), 2))
    _steer(
        len(state), around.map.clearance, *grid.origin, grid.resolution, state.pose, state.velocity, around.fleet.radius,
        params.look_ahead, params.margin, *_turns(params.step), wish,
    )  # fmt: skip
    return wish


@lru_cache(maxsize=16)
def _turns(step: float) -> tuple[Array, Array]:
    """Cosines and sines of the turns that are tried in their order, (K,), for steps of ``step`` deg: 0, +s, −s, +2s, …."""
    k = np.arange(2 * int(180.0 / step + 1e-9) + 1)
    turns = np.deg2rad(step) * ((k + 1) // 2) * np.where(k % 2 == 1, 1.0, -1.0)
    return np.cos(turns), np.sin(turns)


def _steer_loop(  # type: ignore[no-untyped-def]
    clearance, x0, y0, resolution, pose, velocity, radius, look_ahead, margin, cosines, sines, wish
):  # fmt: skip
    for i in prange(len(pose)):
        vx, vy = velocity[i, 0], velocity[i, 1]
        speed = np.sqrt(vx * vx + vy * vy)
        if speed > 1e-3:
            hx, hy = vx / speed, vy / speed
        else:
            hx, hy = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        wish[i, 0], wish[i, 1] = -vx, -vy
        x, y, room = pose[i, 0], pose[i, 1], radius[i] + margin
        here = read_scalar(clearance, x0, y0, resolution, x, y)
        for k in range(len(cosines)):
            dx, dy = cosines[k] * hx - sines[k] * hy, sines[k] * hx + cosines[k] * hy
            if way_length(clearance, x0, y0, resolution, x, y, dx, dy, here, room, look_ahead) >= look_ahead:
                wish[i, 0], wish[i, 1] = (speed * dx - vx, speed * dy - vy) if k > 0 else (0.0, 0.0)
                break


_steer = Kernel(_steer_loop)
