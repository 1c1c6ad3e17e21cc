"""Guidance: the shortest free way to the goal, one array read per robot; it finds the way out of a maze."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.behaviours.arrival import approach, ramp
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.fields import Field, guidance_field
from swarm_control.core.geometry import Array, norm, unit
from swarm_control.core.grid import read_vectors
from swarm_control.core.parameters import param
from swarm_control.core.state import ALONE, Map, Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Guidance:
    """Parameters of guidance."""

    weight: float = param(0.0, "weight; 0 switches guidance off", unit="1/s", low=0.0, high=100.0)
    margin: float = param(0.1, "closer to walls than this no way is sought", unit="m", low=0.0, high=10.0)
    comfort: float = param(0.4, "ways keep this far from walls where there is room", unit="m", low=0.0, high=10.0)
    slowing_distance: float = param(1.0, "speed is ramped down within this of the goal", unit="m", low=0.01, high=100.0)


def check(control: Any) -> Iterator[str]:
    """Ways that keep off walls no further than they must are not kept off them."""
    comfort, margin = control.guidance.comfort, control.guidance.margin
    if comfort < margin:
        yield f"guidance.comfort ({comfort:g} m) is less than guidance.margin ({margin:g} m): it has no effect"


@register_behaviour(Guidance, priority=50, check=check, heeds_goals=True)
def guidance(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Guidance) -> Array:
    """Velocity to gain to follow the shortest free way to the present goal, (N, 2) m/s; zero when there is no goal.

    Without a map the way is straight, and so it is for stragglers to where they are led, and for robots that have a place each. Those
    that go alone are no faster than half their braking power stops them there, as their way bends there. Every robot feels it, leader or
    not. See :func:`swarm_control.core.fields.guidance_field`.
    """
    if not np.isfinite(around.target).all():
        return approach(state, around, params.slowing_distance, params.weight)
    if around.map is None:
        direction = unit(around.target - state.position)
    else:
        field = around.map.once(ways, *around.target.tolist(), params.margin, params.comfort)
        direction = unit(read_vectors(field, around.map.grid, state.pose))
    speed = around.fleet.max_speed * ramp(norm(around.target - state.position), params.slowing_distance)
    if around.lag is not None:
        led = around.goal - state.position
        direction = np.where(around.lag[:, None] > 0, unit(led), direction)
        speed = np.where(around.lag == ALONE, np.minimum(speed, np.sqrt(around.fleet.max_acceleration * norm(led))), speed)
    return np.nan_to_num(direction * speed[:, None] - state.velocity[:, :2])


def ways(map: Map, x: float, y: float, margin: float, comfort: float) -> Field:
    """Unit direction (H, W, 2) of the shortest free way to (x, y) m from everywhere on the ``map``."""
    return guidance_field(map, (x, y), margin, comfort)[0]
