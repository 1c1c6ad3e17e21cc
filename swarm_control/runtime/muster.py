"""Before there is a structure: where all robots stand is passed on from robot to robot, and all begin from the same places.

Of each robot the earliest place that is known counts, so that all come to know the same ones. Since when a robot has known all places is
passed on, too: it is ready. So is since when it has known that all are ready: it is informed. When a robot knows that all are informed, it
begins at a time that is the same for all, as their clocks are taken to agree. Until then the last of these messages has twice as long as
it took until all knew that the last robot is ready: so long it may need, as that robot may stand in the middle and the last at the edge.
Where a node was held up meanwhile, nobody waits for longer than ``LONGEST``.
"""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import IntArray
from swarm_control.core.state import SwarmState
from swarm_control.runtime.observation import Heard
from swarm_control.runtime.word import Word

LONGEST = 10.0
"""Time (s) that is left for the last message at most. Who hears it later still takes over what others have begun."""


class Muster:
    """What the robot ``own`` knows of the places of the ``robots`` (indices of ``count``) of its formation."""

    def __init__(self, own: int, robots: IntArray, count: int) -> None:
        self._own, self._robots = own, robots
        self.places, self.ready, self.informed = np.full((count, 4), np.nan), np.full(count, np.nan), np.full(count, np.nan)

    @property
    def unknown(self) -> IntArray:
        """Robots (indices) of which it is not known that they know of all."""
        nowhere = self._robots[np.isnan(self.places[self._robots, 0])]
        return nowhere if len(nowhere) else self._robots[np.isnan(self.informed[self._robots])]

    def hear(self, heard: Heard, words: Sequence[Word]) -> Heard:
        """What the robot knows of the swarm, from what it has ``heard`` and was told: nobody is heard of until all begin."""
        state, places, time = heard.state, self.places, heard.state.time
        seen = np.where(state.valid[:, None], np.column_stack((state.pose, heard.stamps)), np.nan)
        for known in (seen, *(word.places for word in words)):
            earlier = np.isnan(places[:, 3]) | (known[:, 3] < places[:, 3])
            places = np.where(earlier[:, None], known, places)
        ready = np.fmin.reduce([self.ready, *(word.ready for word in words)])
        informed = np.fmin.reduce([self.informed, *(word.informed for word in words)])
        found = ~np.isnan(places[:, 0])
        if found[self._robots].all():
            ready[self._own] = np.fmin(ready[self._own], time)
        if not np.isnan(ready[self._robots]).any():
            informed[self._own] = np.fmin(informed[self._own], time)
        self.places, self.ready, self.informed = places, ready, informed
        last, known = ready[self._robots].max(), informed[self._robots].max()
        begins = not np.isnan(known) and time >= known + min(2.0 * (known - last), LONGEST) - 1e-9
        pose, stamps = np.where(found[:, None], places[:, :3], state.pose), np.where(found, time, heard.stamps)
        return Heard(SwarmState.of(time, pose, np.zeros_like(pose), found & begins, state.fallen), stamps)
