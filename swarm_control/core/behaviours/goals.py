"""Seek and arrival: go to the goal, through it or to rest at it."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm, unit
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Seek:
    """Parameters of seek."""

    weight: float = param(0.0, "weight; 0 switches seek off", unit="1/s", low=0.0, high=100.0)


@dataclass(frozen=True)
class Arrival:
    """Parameters of arrival."""

    weight: float = param(0.0, "weight; 0 switches arrival off", unit="1/s", low=0.0, high=100.0)
    slowing_distance: float = param(1.0, "speed is ramped down within this of the goal", unit="m", low=0.01, high=100.0)


def seek(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Seek) -> Array:
    """Velocity to gain towards the goal, (N, 2) m/s: ``normalise(goal − x)·v_max − v`` (Adeola et al. alg. 3, sign mended).

    Zero for robots without a goal.
    """
    desired = unit(around.goal - state.position) * around.fleet.max_speed[:, None]
    return np.nan_to_num(desired - state.velocity[:, :2])


def arrival(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Arrival) -> Array:
    """Velocity to gain in order to come to rest at the goal, (N, 2) m/s; zero for robots without a goal (Adeola et al. alg. 4)."""
    offset = around.goal - state.position
    speed = around.fleet.max_speed * ramp(norm(offset), params.slowing_distance)
    return np.nan_to_num(unit(offset) * speed[:, None] - state.velocity[:, :2])


def ramp(distance: Array, slowing_distance: float) -> Array:
    """Share of full speed at ``distance`` (N,) m from the goal: ``tanh(2 d/D)/tanh(2)`` within D, 1 beyond; 0 at the goal."""
    return np.tanh(2.0 * np.minimum(distance / slowing_distance, 1.0)) / np.tanh(2.0)
