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

    def update(self, time: float, position: Array, underway: BoolArray) -> None:
        """Look at where robots are (n, 2) m at ``time`` (s), and who of them is ``underway`` (n,) to a goal."""
        if self._place is None or time < self._last:
            self._place, self._since, self._jammed = position.copy(), np.full(len(position), time), np.zeros(len(position), bool)
            self._centre, self._corner = position.copy(), position.copy()
            self._way, self._away = np.zeros(len(position)), np.zeros(len(position))
        else:
            self.time += (time - self._last) * bool(self._jammed.any())
        free: BoolArray = ~underway | (norm(position - self._place) > self._width)
        self._place[free], self._since[free] = position[free], time
        jammed: BoolArray = (time - self._since > PATIENCE) | self._circling(position, underway)
        self.count += int((jammed & ~self._jammed).sum())
        self._jammed, self._last = jammed, time

    def _circling(self, position: Array, underway: BoolArray) -> BoolArray:
        """Who goes round. Ways are measured from corner to corner, half a width apart, so that noise adds nothing to them."""
        leg = norm(position - self._corner)
        on: BoolArray = leg > 0.5 * self._width
        self._way[on] += leg[on]
        self._corner[on] = position[on]
        np.maximum(self._away, norm(position - self._centre), out=self._away)
        free: BoolArray = ~underway | (self._away > ROUND * self._width)
        self._centre[free], self._corner[free], self._way[free], self._away[free] = position[free], position[free], 0.0, 0.0
        found: BoolArray = self._way > ROUND * np.maximum(self._away, 0.5 * self._width)
        return found
