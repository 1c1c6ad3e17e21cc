"""Point mass: pushed by a force in any direction; it has no heading of its own and keeps the one it started with."""

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.core.motion.limits import Motion
from swarm_control.core.motion.omni import control_point, predict
from swarm_control.core.state import Fleet

__all__ = ["control_point", "predict", "twist"]


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame; the mass follows as force permits."""
    return np.column_stack((rotate(desired, -pose[:, 2]), np.zeros(len(desired))))
