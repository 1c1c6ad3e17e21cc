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

    def row(
        self, state: SwarmState, *, counted: int | None = None, formation_error: float = NOTHING, lateness: float = NOTHING,
        real_time_factor: float = NOTHING,
    ) -> Array:  # fmt: skip
        """The values (1, 7) in the order of ``METRICS``: SI units, ``lateness`` in s.

        ``counted``: collisions as the simulator counts them; None: nobody knows.
        """
        order, velocity = polarization(state), state.velocity[state.valid]
        values = {
            "order": NOTHING if order is None else order, "gap": self._gap(state), "collisions": NOTHING if counted is None else counted,
            "formation_error": formation_error, "speed": np.hypot(velocity[:, 0], velocity[:, 1]).mean() if len(velocity) else NOTHING,
            "lateness": lateness, "real_time_factor": real_time_factor,
        }  # fmt: skip
        return np.array([[values[name] for name in METRICS]], float)

    def _gap(self, state: SwarmState) -> float:
        """Smallest distance (m) between two footprints; negative where they overlap."""
        robots = np.flatnonzero(state.valid)
        if len(robots) < 2:
            return NOTHING
        from scipy.spatial import cKDTree

        radius, tree = self._radius[robots], cKDTree(state.position[robots])
        distance, nearest = tree.query(tree.data, k=2)
        least = float((distance[:, 1] - radius - radius[nearest[:, 1]]).min())
        reach = 2.0 * float(radius.max()) + max(least, 0.0)  # between robots of unlike size the nearest need not have the smallest gap
        a, b = tree.query_pairs(reach + 1e-9, output_type="ndarray").T
        return min(least, float((np.hypot(*(tree.data[a] - tree.data[b]).T) - radius[a] - radius[b]).min(initial=np.inf)))
