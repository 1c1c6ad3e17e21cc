"""Right of way: of stragglers that hold each other up before a narrow place, one goes first and the others go back from it."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm, unit

NEAR = 4.0
"""Robots within so many widths of each other may hold each other up."""

PATIENCE = 10.0
"""Who has not got nearer to the goal for so long (s) gives way, or is given way to."""

PASSED = 3.0
"""Who was given way to has passed when its way has become shorter by so many widths."""

LONGEST = 15.0
"""Who has not passed after so long (s) has had its turn, and others come first."""


@dataclass
class Yield:
    """One that gives way: to whom, since when (s), and how long a way (m) that one had left."""

    to: int
    since: float
    way: float


class RightOfWay:
    """Of N robots of this ``width`` (m): who ``yields``, by number."""

    def __init__(self, robots: int, width: float) -> None:
        self._width = width
        self._turns = np.zeros(robots, np.int64)
        self.yields: dict[int, Yield] = {}

    def look(self, time: float, position: Array, way: Array, waited: Array, goal: Array) -> None:
        """At a ``time`` (s) robots are at ``position`` (N, 2) m on their way to ``goal`` (N, 2) m, have so long a ``way`` (N,) m left and
        have ``waited`` (N,) s in vain.

        Of those that wait near each other, who has had the fewest turns and has the shortest way goes first; the others yield to it, but
        not those that go the same way in front of it.
        """
        had: set[int] = set()
        for k, one in list(self.yields.items()):
            passed = way[one.to] < one.way - PASSED * self._width
            if passed or time - one.since > LONGEST:
                del self.yields[k]
                had.update([] if passed else [one.to])
        self._turns[sorted(had)] += 1
        first = {one.to for one in self.yields.values()}
        waiting = np.flatnonzero(waited > PATIENCE)
        if len(waiting) < 2:
            return
        from scipy.spatial import cKDTree  # slow to load, and few swarms are held up

        on = np.nan_to_num(goal - position)
        free = sorted((int(k) for k in waiting if k not in self.yields), key=lambda k: (k not in first, self._turns[k], way[k]))
        near = cKDTree(position[waiting]).query_ball_point(position[free], NEAR * self._width)
        for k, others in zip(free, near):
            if k in self.yields:
                continue
            for other in waiting[others].tolist():
                in_front = way[other] < way[k] - self._width and on[other] @ on[k] > 0.0
                if other != k and other not in self.yields and other not in first and not in_front:
                    self.yields[other] = Yield(k, time, float(way[k]))
                    first.add(k)

    def lead(self, position: Array, ahead: float, goal: Array) -> None:
        """Who yields is led away from the other, so far ``ahead`` (m), and waits out of the way: written to ``goal`` (N, 2) m.

        Who goes the other way also goes back from its own goal.
        """
        if not self.yields:
            return
        back, to = np.array([(k, one.to) for k, one in self.yields.items()]).T
        apart = position[back] - position[to]
        near = norm(apart) < NEAR * self._width
        on, meets = np.nan_to_num(goal[back] - position[back]), np.nan_to_num(goal[to] - position[to])
        opposite = (on * meets).sum(axis=1) < 0.0
        goal[back] = position[back] + ahead * near[:, None] * unit(unit(apart) - opposite[:, None] * unit(on))
