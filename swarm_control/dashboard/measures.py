"""The curves beside the map, from one state to the next."""

import numpy as np

from swarm_control.analysis.metrics.polarization import polarization
from swarm_control.core.geometry import Array
from swarm_control.core.state import SwarmState
from swarm_control.dashboard.frames import METRICS

NOTHING = float("nan")


class Measures:
    """Order, gap, collisions and speed of robots with footprints of ``radius`` (N,) m."""

    def __init__(self, radius: Array) -> None:
        self._radius = radius
        self._touching: set[tuple[int, int]] = set()
        self.collisions = 0

    def row(
        self, state: SwarmState, *, counted: int | None = None, formation_error: float = NOTHING, lateness: float = NOTHING,
        real_time_factor: float = NOTHING,
    ) -> Array:  # fmt: skip
        """The values (1, 7) in the order of ``METRICS``: SI units, ``lateness`` in s.

        ``counted``: collisions as the simulator counts them; None: overlaps of footprints are counted here, each once.
        """
        gap, touching = self._gaps(state)
        self.collisions += len(touching - self._touching)
        self._touching = touching
        order, velocity = polarization(state), state.velocity[state.valid]
        values = {
            "order": NOTHING if order is None else order, "gap": gap, "collisions": self.collisions if counted is None else counted,
            "formation_error": formation_error, "speed": np.hypot(velocity[:, 0], velocity[:, 1]).mean() if len(velocity) else NOTHING,
            "lateness": lateness, "real_time_factor": real_time_factor,
        }  # fmt: skip
        return np.array([[values[name] for name in METRICS]], float)

    def _gaps(self, state: SwarmState) -> tuple[float, set[tuple[int, int]]]:
        """Smallest distance (m) between two footprints, and the pairs that overlap."""
        robots = np.flatnonzero(state.valid)
        if len(robots) < 2:
            return NOTHING, set()
        from scipy.spatial import cKDTree

        radius, tree = self._radius[robots], cKDTree(state.position[robots])
        distance, nearest = tree.query(tree.data, k=2)
        least = float((distance[:, 1] - radius - radius[nearest[:, 1]]).min())
        reach = 2.0 * float(radius.max()) + max(least, 0.0)  # between robots of unlike size the nearest need not have the smallest gap
        a, b = tree.query_pairs(reach + 1e-9, output_type="ndarray").T
        gaps = np.hypot(*(tree.data[a] - tree.data[b]).T) - radius[a] - radius[b]
        overlap = gaps < 0.0
        return min(least, float(gaps.min(initial=np.inf))), set(zip(robots[a[overlap]].tolist(), robots[b[overlap]].tolist()))
