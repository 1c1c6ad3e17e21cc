"""Swirl: go round the neighbours."""

from dataclasses import dataclass

import numpy as np

import swarm_control as sc
from swarm_control.core.geometry import Array


@dataclass(frozen=True)
class Swirl:
    """Parameters of swirl: each becomes a key of scenario files, a ROS parameter and a slider."""

    weight: float = sc.param(0.0, "weight; 0 switches swirl off", unit="1/s²", low=0.0, high=100.0)
    clockwise: bool = sc.param(False, "which way round")


@sc.register_behaviour(Swirl, priority=15, attends="group")
def swirl(state: sc.SwarmState, seen: sc.Neighbourhoods, around: sc.Surroundings, params: Swirl) -> Array:
    """At right angles to the way towards the neighbours' centroid, (N, 2) m, and as long as it."""
    x, y = seen.mean(seen.offset).T
    return np.column_stack((-y, x) if params.clockwise else (y, -x))
