"""Cruise: keep a steady speed along the present course, so that a flock without a goal does not come to rest."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Cruise:
    """Parameters of cruise."""

    weight: float = param(0.0, "weight; 0 switches cruise off", unit="1/s", low=0.0, high=100.0)
    speed: float = param(0.5, "speed to keep", unit="m/s", low=0.0, high=100.0)


@register_behaviour(Cruise, priority=0)
def cruise(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Cruise) -> Array:
    """Velocity to gain to go at ``speed`` along the course, (N, 2) m/s; along the heading for a robot at rest."""
    result: Array = _keep_speed(len(state), state.pose, state.velocity, params.speed)
    return result


def _keep_speed_loop(pose, velocity, wished):  # type: ignore[no-untyped-def]
    n = len(pose)
    result = np.empty((n, 2))
    for i in prange(n):
        vx, vy = velocity[i, 0], velocity[i, 1]
        speed = np.sqrt(vx * vx + vy * vy)
        if speed > 1e-3:
            result[i, 0], result[i, 1] = vx * (wished / speed - 1.0), vy * (wished / speed - 1.0)
        else:
            result[i, 0], result[i, 1] = np.cos(pose[i, 2]) * (wished - speed), np.sin(pose[i, 2]) * (wished - speed)
    return result


_keep_speed = Kernel(_keep_speed_loop)
