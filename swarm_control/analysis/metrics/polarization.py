"""How much robots agree on a course."""

import math

import numpy as np

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.analysis.moments import Moments
from swarm_control.core.compiled import jit
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState

MOVING = 0.01
"""Speed (m/s) from which a robot counts as moving and its course means something."""


@register_metric("polarization", Measure("polarization", "", "mean agreement on a course, 0 to 1", better="more"), order=40)
class MeanPolarization:
    """How much moving robots agreed on a course, mean over time."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._aligned = Moments()

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Take note of ticks in which somebody moves."""
        aligned = polarization(state)
        if aligned is not None:
            self._aligned.add(aligned)

    def values(self, run: RunFacts) -> dict[str, float | None]:
        """The mean; None when nobody has moved."""
        return {"polarization": self._aligned.mean}


def polarization(state: SwarmState) -> float | None:
    """How much the moving robots agree on a course: ``|Σ v̂|/n`` from 0 to 1; None when nobody moves."""
    x, y, count = _courses(state.velocity)
    return min(math.hypot(x, y) / count, 1.0) if count else None


@jit
def _courses(velocity: Array) -> tuple[float, float, int]:
    """Sum of the unit velocities of moving robots, and how many there are."""
    x, y, count = 0.0, 0.0, 0
    for i in range(len(velocity)):
        speed = np.hypot(velocity[i, 0], velocity[i, 1])
        if speed > MOVING:
            x += velocity[i, 0] / speed
            y += velocity[i, 1] / speed
            count += 1
    return x, y, count
