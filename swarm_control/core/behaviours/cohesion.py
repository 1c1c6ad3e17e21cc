"""Cohesion: stay with the neighbours."""

from dataclasses import dataclass

from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Cohesion:
    """Parameters of cohesion."""

    weight: float = param(0.0, "weight; 0 switches cohesion off", unit="1/s²", low=0.0, high=100.0)


def cohesion(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Cohesion) -> Array:
    """Mean of ``x_j − x_i`` over the neighbours, (N, 2) m: towards their centroid (Adeola et al. §2.1)."""
    return seen.mean(seen.offset)
