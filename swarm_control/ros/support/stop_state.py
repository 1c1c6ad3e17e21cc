"""The emergency stop's memory: whether the swarm is stopped outlives every node that knows it.

Each node that can stop robots keeps the newest word and repeats it on the latched topic ``/swarm/stopped`` (``std_msgs/UInt32``), a
counter: odd is stopped, even is running, and of two the larger is the newer. A word is adopted only if it is newer, so that the
order in which words come does not matter, none is lost while one node that has heard it lives, and nodes cannot talk each other into
an endless back and forth. A node that has just started does not know yet: it holds its robots until somebody has told it, or until
nobody has for :data:`PATIENCE`. When the last node ends, the stop ends with it.

The topic is deeper than one message: Fast DDS throws away what is older, by its source's clock, than all that waits to be read. A node
that has just said "0" would never hear of the stop before it.
"""

import time
from collections.abc import Callable
from typing import Any

from std_msgs.msg import UInt32

from swarm_control.ros.graph import topics

PATIENCE = 5.0
"""How long (s, real time) a node waits to be told, before it concludes that it is the first one."""


class StopState:
    """Whether the swarm is stopped, as all nodes of the graph agree. ``changed`` is called when that changes.

    ``first``: the node knows from the start; it is the one that others wait for.
    """

    def __init__(self, node: Any, changed: Callable[[], None] | None = None, first: bool = False) -> None:
        self._node, self._changed = node, changed or (lambda: None)
        self._count, self._told = 0, first
        self._deadline = time.monotonic() + PATIENCE
        self._publisher = topics.publisher(node, topics.STOPPED)
        topics.subscribe(node, topics.STOPPED, self._hear)
        if first:
            self._publish()

    @property
    def known(self) -> bool:
        """Whether the node may go by :attr:`stopped`; until then its robots must not move."""
        if not self._told and time.monotonic() > self._deadline:
            self._told = True
            self._publish()
        return self._told

    @property
    def stopped(self) -> bool:
        """Whether the swarm is stopped."""
        return self._count % 2 == 1

    @property
    def word(self) -> str:
        """For the status: ``stopped``, ``running``, or ``waiting`` while the node does not know."""
        return "stopped" if self.stopped else "running" if self._told else "waiting"

    def set(self, stopped: bool) -> None:
        """Stop the swarm, or let it go."""
        self._told = True
        self._adopt(self._count + (self.stopped != stopped))

    def _hear(self, message: UInt32) -> None:
        heard = not self._told
        self._told = True
        if message.data > self._count or heard:
            self._adopt(max(int(message.data), self._count))

    def _adopt(self, count: int) -> None:
        before, self._count = self.stopped, count
        self._publish()
        if self.stopped != before:
            self._node.get_logger().warning(f"the swarm is {'stopped' if self.stopped else 'running'}, as asked")
            self._changed()

    def _publish(self) -> None:
        self._publisher.publish(UInt32(data=self._count))
