"""Joysticks that drive formations: all of them, or that of one group."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist

from swarm_control.core.geometry import Array
from swarm_control.ros.graph import topics
from swarm_control.ros.support.freshness import Freshness


class Steering:
    """Hears ``structure/cmd_vel``, which drives every formation, and ``/swarm/<group>/cmd_vel``, which drives that of one group.

    ``steer`` is called with a flock's number and the structure's speed ahead and to the left (m/s) and turn rate (rad/s); with None where
    nobody drives it any more.
    """

    def __init__(self, node: Any, steer: Callable[[int, Array | None], None]) -> None:
        self._node, self._steer = node, steer
        self.begin()
        topics.subscribe(node, topics.STRUCTURE_CMD_VEL, partial(self._hear, range(len(node.flocks))))
        for number, flock in enumerate(node.flocks):
            if flock.name:
                topics.subscribe(node, topics.GROUP_CMD_VEL, partial(self._hear, [number]), flock.name)

    def begin(self) -> None:
        """Nobody has driven yet."""
        self._heard = Freshness(len(self._node.flocks), -np.inf)

    def end(self, *flocks: int) -> None:
        """The flocks, or where none are given all, go their own way again."""
        for flock in flocks or range(len(self._heard.heard)):
            self._heard.hear(flock, -np.inf)
            self._steer(flock, None)

    def stop_silent(self, timeout: float) -> None:
        """Formations that were driven stand once no word has come for longer than ``timeout`` (s)."""
        driven = np.isfinite(self._heard.heard)
        for flock in np.flatnonzero(driven & ~self._heard.fresh(self._node.now, timeout)):
            self._steer(int(flock), np.zeros(3))

    def _hear(self, flocks: Sequence[int], message: Twist) -> None:
        twist = np.array([message.linear.x, message.linear.y, message.angular.z])
        if not np.isfinite(twist).all():
            raise ValueError(f"{twist.tolist()} found, expected finite speeds")
        for flock in flocks:
            self._heard.hear(flock, self._node.now)
            self._steer(flock, twist)
