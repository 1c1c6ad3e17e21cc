"""Where robots come to rest under a repulsion among them and the forces of control landmarks: least energy, without their dynamics."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.control_landmarks import ControlLandmarks
from swarm_control.social.lattice import REPULSION

CLOSE = 1e-3
"""Distance (m) below which the repulsion does not grow any more."""


def settle(start: Array, controls: ControlLandmarks, strength: float, reach: float, steps: int = 1500) -> Array:
    """Positions (N, 2) m in which robots that ``start`` (N, 2) m come to rest, pair forces being ``−strength/r^σ`` up to ``reach`` (m).

    Energy is made least by scipy's L-BFGS, in at most so many ``steps``: a local minimum near the start.
    """
    from scipy.optimize import minimize

    def total(flat: Array) -> tuple[float, Array]:
        position = flat.reshape(-1, 2)
        one, push = _repelled(position, strength, reach)
        two, lead = controls.energy(position)
        return one + float(two.sum()), -(push + lead).ravel()

    found = minimize(total, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxfun": 2 * steps})
    rest: Array = np.asarray(found.x).reshape(-1, 2)
    return rest


def _repelled(position: Array, strength: float, reach: float) -> tuple[float, Array]:
    """Energy of all pairs, and the force (N, 2) on each robot."""
    from scipy.spatial import cKDTree

    pair = cKDTree(position).query_pairs(reach, output_type="ndarray")
    along = position[pair[:, 1]] - position[pair[:, 0]]
    r = np.maximum(np.hypot(along[:, 0], along[:, 1]), CLOSE)
    push = along * (strength * r ** -(REPULSION + 1.0))[:, None]
    force = np.stack([
        np.bincount(pair[:, 1], push[:, k], len(position)) - np.bincount(pair[:, 0], push[:, k], len(position)) for k in range(2)
    ], axis=-1)  # fmt: skip
    beyond = reach ** (1.0 - REPULSION)
    energy = strength / (REPULSION - 1.0) * float((r ** (1.0 - REPULSION) - beyond).sum())
    return energy, force
