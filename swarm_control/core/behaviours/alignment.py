"""Alignment: go as fast and the same way as the neighbours."""

from dataclasses import dataclass

from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Alignment:
    """Parameters of alignment."""

    weight: float = param(0.0, "weight; 0 switches alignment off", unit="1/s", low=0.0, high=100.0)


def alignment(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Alignment) -> Array:
    """Mean of ``v_j − v_i`` over the neighbours, (N, 2) m/s (Adeola et al. §2.1)."""
    return seen.mean(seen.velocity)
