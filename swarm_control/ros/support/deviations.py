"""What behaviours want of robots in formation: deviations from their places."""

from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.freshness import Freshness


class Deviations:
    """Hears the topic ``acceleration`` for a ``node`` that serves formations."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._wanted, self._heard = np.zeros((node.robots, 2)), Freshness(node.robots, -np.inf)
        topics.subscribe(node, topics.ACCELERATION, self._hear, raw=True)

    def fresh(self, timeout: float) -> Array:
        """The accelerations (N, 2) m/s² that are no older than ``timeout`` (s); nothing else is wanted."""
        return np.where(self._heard.fresh(self._node.now, timeout)[:, None], self._wanted, 0.0)

    def _hear(self, data: bytes) -> None:
        robots, acceleration = convert.acceleration_of(cdr.read_cloud(data)[1], self._node.robots)
        self._wanted[robots] = np.where(np.isfinite(acceleration), acceleration, 0.0)
        self._heard.hear(robots, self._node.now)
