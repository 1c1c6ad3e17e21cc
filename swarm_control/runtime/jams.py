"""Jams: robots that are on their way and do not get on, because they stand or because they go round and round."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm

PATIENCE = 5.0
"""A robot that for so long (s) has not got farther than its own width is in a jam."""
ROUND = 6.0
"""So is one that has gone so many times as far as it has got away, about two turns of a circle, within as many widths of where it was."""


class Jams:
    """Watches robots of this ``width`` (m): ``count`` of the jams so far, robot by robot, and ``time`` (s) in which anybody was in one."""

    def __init__(self, width: float) -> None:
        self.count, self.time = 0, 0.0
        self._width = width
        self._place: Array | None = None
        self._since, self._jammed = np.empty(0), np.zeros(0, bool)
        self._last = np.inf

    def update(self, time: float, position: Array, underway: BoolArray, heard: BoolArray) -> None:
        """Look at where robots are (n, 2) m at ``time`` (s), who of them is ``underway`` (n,) to a goal, and who is ``heard`` (n,).

        For those that are not heard time stands still, and they are in the jam that they were in.
        """
        if self._place is None or time < self._last:
            self._place, self._since, self._jammed = position.copy(), np.full(len(position), time), np.zeros(len(position), bool)
            self._centre, self._corner = position.copy(), position.copy()
            self._way, self._away = np.zeros(len(position)), np.zeros(len(position))
        else:
            self.time += (time - self._last) * bool((self._jammed & heard).any())
            self._since[~heard] += time - self._last
        free: BoolArray = heard & (~underway | ~(norm(position - self._place) <= self._width))  # also who is heard for the first time
        self._place[free], self._since[free] = position[free], time
        found = (time - self._since > PATIENCE) | self._circling(position, underway, heard)
        jammed = np.where(heard, found, self._jammed)
        self.count += int((jammed & ~self._jammed).sum())
        self._jammed, self._last = jammed, time

    def _circling(self, position: Array, underway: BoolArray, heard: BoolArray) -> BoolArray:
        """Who goes round. Ways are measured from corner to corner, half a width apart, so that noise adds nothing to them."""
        leg = norm(position - self._corner)
        on: BoolArray = heard & (leg > 0.5 * self._width)
        self._way[on] += leg[on]
        self._corner[on] = position[on]
        np.maximum(self._away, norm(position - self._centre), out=self._away, where=heard)
        free: BoolArray = heard & (~underway | ~(self._away <= ROUND * self._width))
        self._centre[free], self._corner[free], self._way[free], self._away[free] = position[free], position[free], 0.0, 0.0
        found: BoolArray = self._way > ROUND * np.maximum(self._away, 0.5 * self._width)
        return found
