"""How old inputs are, by the node's clock."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray

JUMP = 1.0
"""The clock was set back when time falls by more than this (s)."""


class Freshness:
    """When each of N inputs was last heard (s). Before the first time it counts as heard when the node started."""

    def __init__(self, n: int, now: float) -> None:
        self.heard: Array = np.full(n, now)

    def hear(self, which: IntArray | int | slice, time: float) -> None:
        """Note inputs heard at ``time``."""
        self.heard[which] = time

    def fresh(self, now: float, timeout: float) -> BoolArray:
        """Which inputs (N,) are younger than ``timeout`` (s); what is from the future is from before the clock was set back.

        A simulated clock moves in steps; an age that equals the timeout but for rounding has reached it.
        """
        return np.asarray(np.abs(now - self.heard) < timeout - 1e-6)
