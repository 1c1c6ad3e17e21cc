"""What robots are told, as tables: all at once for a simulator of many, and for whoever estimates where they are by now."""

from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert

MANY = 100
"""A simulator of so many robots is told of all of them at once; to hear as many messages takes it longer than to move them."""


class CommandTables:
    """``told`` (N, 3): what the robots that a ``node`` serves have been told last; NaN: nothing, or what others say.

    ``gathered``: whether they are a simulator's, which hears what they are told in one message, ``commands``.
    """

    def __init__(self, node: Any, gathered: bool) -> None:
        self.told = np.full((node.robots, 3), np.nan)
        self._served, self._nowhere, self._part = node.served, np.full((node.robots, 2), np.nan), np.zeros(node.robots, np.int64)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.TARGETS)
        self._commanded = topics.publisher(node, topics.COMMANDED)
        self._commands, self._gathers = topics.publisher(node, topics.COMMANDS), gathered and len(node.served) >= MANY

    def tell(self, now: float, twist: Array, which: IntArray, lent: BoolArray, listened: BoolArray) -> IntArray:
        """Tell the robots ``which`` (positions in ``served``) their twists, of those for all that are served (n, 3), at once.

        ``lent`` (n,): whom others command. Returns who has to be told one by one: all, or those to whom others than one have ``listened``.
        """
        self.told[self._served[which]] = np.where(lent[which, None], np.nan, twist[which])
        if not self._gathers:
            return which
        self._commands.publish(self._writer.write(now, self._rows(self._served[which[~lent[which]]])))
        return which[listened[which]]

    def show(self, now: float) -> None:
        """Tell whoever estimates where robots are what all have been told."""
        self._commanded.publish(self._writer.write(now, self._rows(self._served)))

    def _rows(self, robots: IntArray) -> convert.Rows:
        return convert.target_rows(self._nowhere, self.told, self._part, robots)
