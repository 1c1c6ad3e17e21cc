"""Cohesion: stay with the neighbours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState


@dataclass(frozen=True)
class Cohesion:
    """Parameters of cohesion."""

    weight: float = param(0.0, "weight; 0 switches cohesion off", unit="1/s²", low=0.0, high=100.0)


def check(control: Any) -> Iterator[str]:
    """Who sees no further than separation reaches is pushed away from all whom he sees."""
    sees, separation = control.perception.radius, control.separation
    if separation.weight > 0.0 and sees <= separation.distance:
        inside = f"inside separation.distance ({separation.distance:g} m)"
        yield f"cohesion reaches {sees:g} m (perception.radius), {inside}: they always oppose"


@register_behaviour(Cohesion, priority=10, attends="group", check=check)
def cohesion(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Cohesion) -> Array:
    """Mean of ``x_j − x_i`` over the neighbours, (N, 2) m: towards their centroid (Adeola et al. §2.1)."""
    return seen.mean(seen.offset)
