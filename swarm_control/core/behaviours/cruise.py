"""Cruise: keep a steady speed along the present course, so that a flock without a goal does not come to rest."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Cruise:
    """Parameters of cruise."""

    weight: float = param(0.0, "weight; 0 switches cruise off", unit="1/s", low=0.0, high=100.0)
    speed: float = param(0.5, "speed to keep", unit="m/s", low=0.0, high=100.0)


def cruise(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Cruise) -> Array:
    """Velocity to gain to go at ``speed`` along the course, (N, 2) m/s; along the heading for a robot at rest."""
    velocity = state.velocity[:, :2]
    speed = norm(velocity)
    heading = np.stack((np.cos(state.pose[:, 2]), np.sin(state.pose[:, 2])), axis=-1)
    moving = (speed > 1e-3)[:, None]
    course = np.where(moving, velocity / np.maximum(speed, 1e-3)[:, None], heading)
    return course * (params.speed - speed)[:, None]
