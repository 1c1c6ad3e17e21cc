"""Potential field: be pushed away from the walls of the map."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.fields import Field, repulsion_field
from swarm_control.core.geometry import Array
from swarm_control.core.grid import read_vectors
from swarm_control.core.parameters import param
from swarm_control.core.state import Map, Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class PotentialField:
    """Parameters of the potential field."""

    weight: float = param(0.0, "weight; 0 switches the potential field off", unit="m/s²", low=0.0, high=100.0)
    radius: float = param(0.5, "how far the field reaches from walls", unit="m", low=0.01, high=100.0)


def check(control: Any) -> Iterator[str]:
    """Who steers past walls close by is pushed off that way."""
    if control.steer_to_avoid.weight > 0.0:
        yield "potential_field and steer_to_avoid are both on: the field pushes off the way that steering has chosen"


@register_behaviour(PotentialField, priority=90, keeps_off_walls=True, check=check)
def potential_field(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: PotentialField) -> Array:
    """Push away from walls, (N, 2) in [0, 1]: one reading of the map's field per robot (Adeola et al. §2.3.1)."""
    if around.map is None:
        return np.zeros((len(state), 2))
    return read_vectors(around.map.once(pushes, params.radius), around.map.grid, state.pose)


def pushes(map: Map, radius: float) -> Field:
    """Push away from the walls (H, W, 2), in [0, 1], zero further than ``radius`` (m) from them."""
    return repulsion_field(map.clearance, map.grid.resolution, radius)
