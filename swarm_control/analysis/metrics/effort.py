"""What robots that must keep their balance are judged by besides."""

from typing import Any

import numpy as np

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


@register_metric(
    "effort",
    Measure("falls", "", "robots that have fallen", better="less"),
    Measure("touches", "", "contact episodes of bodies by their real shapes; null where they are not known", better="less"),
    Measure("energy", "J", "work of the motors; null where it is not known", better="less"),
    Measure("travel_speed", "m/s", "distance from start to end per time, mean over robots", better="more"),
    Measure("straightness", "", "that distance as a share of the way, mean over robots", better="more"),
    order=80,
)
def effort(fleet: Fleet, grid: Grid | None) -> "Effort | None":
    """Falls, energy and progress of robots that MuJoCo moves."""
    return Effort(len(fleet)) if fleet.dynamic else None


class Effort:
    """Takes note of ``robots`` that can fall."""

    def __init__(self, robots: int) -> None:
        self._fallen, self._way = np.zeros(robots, bool), np.zeros(robots)
        self._first = self._last = np.empty((0, 2))

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Take note of falls, and of how far robots have come."""
        if state.fallen is not None:
            self._fallen |= state.fallen
        if not len(self._first):
            self._first = self._last = state.position
        self._way += np.hypot(*(state.position - self._last).T)
        self._last = state.position

    def values(self, run: RunFacts) -> dict[str, Any]:
        """From the start to now."""
        straight = np.hypot(*(self._last - self._first).T)
        return {
            "falls": int(self._fallen.sum()), "touches": run.touches, "energy": run.energy,
            "travel_speed": straight.mean() / run.duration if run.duration > 0.0 and len(straight) else None,
            "straightness": (straight / np.maximum(self._way, 1e-9)).mean() if self._way.any() else None,
        }  # fmt: skip
