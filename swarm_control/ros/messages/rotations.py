"""Orientations as messages have them, unit quaternions x, y, z, w. By ``tf_transformations`` where ROS has it, by scipy elsewhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array

try:
    from tf_transformations import quaternion_from_matrix, quaternion_multiply
except ImportError:

    def quaternion_from_matrix(matrix: Array) -> Array:
        """The quaternion (4,) of a frame (4, 4)."""
        from scipy.spatial.transform import Rotation  # slow to load, and few robots need it

        found: Array = Rotation.from_matrix(matrix[:3, :3]).as_quat()
        return found

    def quaternion_multiply(second: Sequence[float], first: Sequence[float]) -> Array:
        """The quaternion (4,) of two turns, the ``second`` after the ``first``."""
        from scipy.spatial.transform import Rotation

        found: Array = (Rotation.from_quat(second) * Rotation.from_quat(first)).as_quat()
        return found


def yaw_of(x: Any, y: Any, z: Any, w: Any) -> Any:
    """Heading (rad) of an orientation, or of arrays of them; also of one that is not quite of length one."""
    return np.arctan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)


def yaw_of_message(orientation: Any) -> float:
    """Heading (rad) of a ``geometry_msgs/Quaternion``."""
    q = orientation
    return float(yaw_of(q.x, q.y, q.z, q.w))


def turned(frame: Array, orientation: Sequence[float]) -> tuple[float, ...]:
    """The ``orientation`` (4,) that is given in a ``frame`` (4, 4), in that frame's parent. One that is none (0, 0, 0, 0) stays so."""
    if np.linalg.norm(orientation) < 0.1:
        return tuple(orientation)
    return tuple(map(float, quaternion_multiply(quaternion_from_matrix(frame), orientation)))
