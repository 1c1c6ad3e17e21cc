"""Seek: go to the goal, and through it."""

from dataclasses import dataclass

from swarm_control.behaviours.arrival import approach
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Seek:
    """Parameters of seek."""

    weight: float = param(0.0, "weight; 0 switches seek off", unit="1/s", low=0.0, high=100.0)


@register_behaviour(Seek, priority=30, heeds_goals=True)
def seek(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Seek) -> Array:
    """Velocity to gain towards the goal, (N, 2) m/s: ``normalise(goal − x)·v_max − v`` (Adeola et al. alg. 3, sign mended).

    Zero for robots without a goal.
    """
    return approach(state, around, 0.0)
