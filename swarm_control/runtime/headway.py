"""Who gets on: robots that get no nearer to where they are to go lag."""

from collections.abc import Callable

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, unit
from swarm_control.core.state import ALONE, LED

PATIENCE = 5.0
"""A robot that for so long (s) has not got nearer to the goal by its own width is a straggler until it has arrived; it is led.

After twice as long it goes alone: what holds it may be its own group, drawn to the other side of an obstacle."""

MOVING = 2.0
"""Who has got nearer by its own width within so long (s) gets on."""

QUEUE = 4.0
"""Robots on the same way whose middles are so many widths apart stand in one queue."""


class Headway:
    """Who of N robots of this ``width`` (m) gets no nearer: told how far (m) it is for each, and who has nowhere to go.

    ``waited`` (N,): for how long (s) each has not, as far as it has been heard; 0 for those that are not.
    """

    def __init__(self, robots: int, time: float, width: float) -> None:
        self._best, self._since, self._width = np.full(robots, np.inf), np.full(robots, time), width
        self._lags, self._last = np.zeros(robots, np.int64), time
        self.waited = np.zeros(robots)

    def lags(
        self, time: float, way: Array, resting: BoolArray, heard: BoolArray, excused: Callable[[Array], BoolArray] | None = None
    ) -> IntArray:  # fmt: skip
        """How each (N,) lags, zero, LED or ALONE, given the ``way`` (N,) m that is left, who is ``resting`` (N,) and who is ``heard`` (N,).

        While a robot is not heard it does not lag, and its time stands still: a lossy radio makes nobody patient. Who does not get nearer
        for a good reason is not late: ``excused`` says of whom that holds, given for how long (N,), s, each has waited.
        """
        self._since[~heard] += time - self._last
        better = heard & (resting | (way < self._best - self._width))
        self._best[better], self._since[better], self._last = way[better], time, time
        self.waited = np.where(heard, time - self._since, 0.0)
        late = np.select([self.waited > 2.0 * PATIENCE, self.waited > PATIENCE], [ALONE, LED])
        if excused is not None and late.any():
            late[excused(self.waited)] = 0
        self._lags = np.where(heard & resting, 0, np.maximum(self._lags, late))
        return np.where(heard, self._lags, 0)


def queueing(waited: Array, position: Array, to: Array, going: BoolArray, width: float) -> BoolArray:
    """Who (N,) of robots of this ``width`` (m) stands in a queue that moves: somebody farther ahead in it gets on.

    ``waited`` (N,): for how long (s) each has not got nearer; ``position`` (N, 2) m; ``to`` (N, 2) m: how far each still has to go;
    ``going`` (N,): who is heard, and not where it was to go.
    """
    from scipy.sparse import coo_array  # slow to load, and few swarms are held up
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    n, on = len(position), np.where(going[:, None], unit(to), 0.0)
    pairs = cKDTree(position).query_pairs(QUEUE * width, output_type="ndarray")
    i, j = pairs[(on[pairs[:, 0]] * on[pairs[:, 1]]).sum(axis=1) > 0.0].T
    queues, queue = connected_components(coo_array((np.ones(len(i), bool), (i, j)), shape=(n, n)), directed=False)
    result = np.zeros(n, bool)
    for k in range(queues):
        inside = np.flatnonzero(queue == k)
        moving = inside[waited[inside] < MOVING]
        if 0 < len(moving) < len(inside):
            ahead = (position[moving][None] - position[inside][:, None]) @ on[inside][:, :, None]
            result[inside] = (waited[inside] >= MOVING) & (ahead[..., 0].max(axis=1) > 0.0)
    return result
