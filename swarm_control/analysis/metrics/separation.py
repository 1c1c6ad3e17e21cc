"""How near robots come to each other."""

import math

import numpy as np

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.cells import sort_into_cells
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.sim.contacts import block_of


@register_metric(
    "least_separation", Measure("min_separation", "m", "smallest distance between two robots' centres", better="more"), order=20
)  # fmt: skip
class LeastSeparation:
    """How near two robots came to each other."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self.least = math.inf
        self._everybody = np.ones(len(fleet), bool)
        self._width = 1e-6

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Look at all pairs that may be nearer than those before."""
        self.least = min(self.least, self._separation(state.position))

    def values(self, run: RunFacts) -> dict[str, float]:
        """The least so far; infinite while there are not two robots."""
        return {"min_separation": self.least}

    def _separation(self, position: Array) -> float:
        """Smallest distance between two robots, or something not smaller than the smallest so far."""
        if len(position) < 2:
            return math.inf
        known = math.isfinite(self.least)
        cells = sort_into_cells(position, self._everybody, max(self.least if known else 0.0, 0.5 * self._width))
        self._width = cells.size
        table = (cells.order, cells.start, cells.origin, cells.size, cells.rows, cells.columns)
        least = float(_nearest(len(position), table, position).min())
        if known or least <= cells.size:
            return least
        from scipy.spatial import cKDTree

        return float(cKDTree(position).query(position, k=2)[0][:, 1].min())


def _nearest_loop(cells, position):  # type: ignore[no-untyped-def]
    """Distance (N,) from each robot to the nearest one in the nine cells around it; infinite when they hold no other."""
    order, start = cells[0], cells[1]
    n = len(position)
    result = np.empty(n)
    for a in prange(n):
        x, y = position[a, 0], position[a, 1]
        low_i, high_i, low_j, high_j, columns = block_of(x, y, cells)
        least = np.inf
        for i in range(low_i, high_i):
            for k in range(start[i * columns + low_j], start[i * columns + high_j]):
                b = order[k]
                if b != a:
                    dx, dy = position[b, 0] - x, position[b, 1] - y
                    least = min(least, dx * dx + dy * dy)
        result[a] = np.sqrt(least)
    return result


_nearest = Kernel(_nearest_loop)
