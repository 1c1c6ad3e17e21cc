"""How near robots come to walls."""

import math

import numpy as np

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance, wall_distance


@register_metric(
    "least_clearance", Measure("min_clearance", "m", "smallest distance between a footprint and a wall", better="more"), order=30
)  # fmt: skip
class LeastClearance:
    """How near a robot's footprint came to a wall."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._radius = fleet.radius
        walls = None if grid is None else WallDistance(grid)
        self._walls = walls if walls is not None and walls.walls else None
        self.least = math.inf

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Look at all robots that may be nearer than those before."""
        if self._walls is not None:
            room: float = _room(len(state), self._walls.table, state.pose, self._radius, self.least).min(initial=math.inf)
            self.least = min(self.least, float(room))

    def values(self, run: RunFacts) -> dict[str, float]:
        """The least so far; infinite where there are no walls."""
        return {"min_clearance": self.least}


def _room_loop(table, pose, radius, least):  # type: ignore[no-untyped-def]
    """Distance between each footprint and the nearest wall (N,), where it is below ``least``; else ``least``."""
    n = len(pose)
    room = np.empty(n)
    for i in prange(n):
        cap = max(least + radius[i], 0.0)
        distance = wall_distance(table, pose[i, 0], pose[i, 1], cap)
        room[i] = distance - radius[i] if distance < cap else least
    return room


_room = Kernel(_room_loop)
