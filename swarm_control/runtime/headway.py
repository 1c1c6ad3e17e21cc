"""Who gets on: robots that get no nearer to where they are to go lag."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.state import ALONE, LED

PATIENCE = 5.0
"""A robot that for so long (s) has not got nearer to the goal by its own width is a straggler until it has arrived; it is led.

After twice as long it goes alone: what holds it may be its own group, drawn to the other side of an obstacle."""


class Headway:
    """Who of N robots of this ``width`` (m) gets no nearer: told how far (m) it is for each, and who has nowhere to go.

    ``waited`` (N,): for how long (s) each has not, as far as it has been heard; 0 for those that are not.
    """

    def __init__(self, robots: int, time: float, width: float) -> None:
        self._best, self._since, self._width = np.full(robots, np.inf), np.full(robots, time), width
        self._lags, self._last = np.zeros(robots, np.int64), time
        self.waited = np.zeros(robots)

    def lags(self, time: float, way: Array, resting: BoolArray, heard: BoolArray) -> IntArray:
        """How each (N,) lags, zero, LED or ALONE, given the ``way`` (N,) m that is left, who is ``resting`` (N,) and who is ``heard`` (N,).

        While a robot is not heard it does not lag, and its time stands still: a lossy radio makes nobody patient.
        """
        self._since[~heard] += time - self._last
        better = heard & (resting | (way < self._best - self._width))
        self._best[better], self._since[better], self._last = way[better], time, time
        self.waited = np.where(heard, time - self._since, 0.0)
        late = np.select([self.waited > 2.0 * PATIENCE, self.waited > PATIENCE], [ALONE, LED])
        self._lags = np.where(heard & resting, 0, np.maximum(self._lags, late))
        return np.where(heard, self._lags, 0)
