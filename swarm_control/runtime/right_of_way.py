"""Right of way: of stragglers that hold each other up before a narrow place, one goes first and the others go back from it.

Who has passed hands its turn on to the nearest of those behind it that go the same way, so that a crowd passes one by one, and of two
crowds that meet the one after the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm, unit

NEAR = 4.0
"""Robots within so many widths of each other may hold each other up."""

ROOM = 2.0
"""Who stands within so many widths behind one that goes back goes back, too."""

PATIENCE = 10.0
"""Who has not got nearer to the goal for so long (s) gives way, or is given way to."""

PASSED = 3.0
"""Who was given way to has passed when its way has become shorter by so many widths."""

LONGEST = 15.0
"""Who has not passed after so long (s) has had its turn, and others come first."""


TRIES, STANDS = 5.0, 3.0
"""Who gets no farther from the one that it goes back from in so long (s) stands for so long (s): two that turn about each other part."""


@dataclass
class Turn:
    """The turn of one that goes first: since when (s), and how long a way (m) it had left."""

    since: float
    way: float


@dataclass
class Yield:
    """One that gives way: whom it lets go ``first``, and whom it goes back from, that one or another that goes back. It has been trying
    ``since`` (s) it was ``apart`` (m) from that one.
    """

    first: int
    back_from: int
    since: float = -np.inf
    apart: float = 0.0

    def in_vain(self, time: float, apart: float, enough: float) -> bool:
        """Whether it had better stand for a while, being so far ``apart`` (m) now; to get farther by ``enough`` (m) is not in vain."""
        if apart > self.apart + enough or time >= self.since + TRIES + STANDS:
            self.since, self.apart = time, apart
        return time > self.since + TRIES


class RightOfWay:
    """Of N robots of this ``width`` (m): whose ``turns`` it is, and who ``yields``, by number."""

    def __init__(self, robots: int, width: float) -> None:
        self._width = width
        self._had = np.zeros(robots, np.int64)
        self.turns: dict[int, Turn] = {}
        self.yields: dict[int, Yield] = {}

    def look(self, time: float, position: Array, way: Array, waited: Array, goal: Array) -> None:
        """At a ``time`` (s) robots are at ``position`` (N, 2) m on their way to ``goal`` (N, 2) m, have so long a ``way`` (N,) m left and
        have ``waited`` (N,) s in vain.

        Of those that wait near each other, who has had the fewest turns and has the shortest way goes first; the others yield to it, but
        not those that go the same way in front of it. Where they came the other way, so do those behind them.
        """
        on = np.nan_to_num(goal - position)
        for k, turn in list(self.turns.items()):
            if way[k] < turn.way - PASSED * self._width:
                self._pass_on(k, time, position, way, on)
            elif time - turn.since > LONGEST:
                self._had[k] += 1
                self._end(k)
        waiting = np.flatnonzero(waited > PATIENCE)
        if len(waiting) < 2:
            return
        from scipy.spatial import cKDTree  # slow to load, and few swarms are held up

        order = sorted(waiting.tolist(), key=lambda k: (k not in self.turns, self._had[k], way[k]))
        around = cKDTree(position[waiting]).query_ball_point(position[order], NEAR * self._width)
        near = {k: waiting[others].tolist() for k, others in zip(order, around)}
        earlier: set[int] = set()
        for k in order:
            if k not in self.yields:
                earlier.add(k)
                for other, back_from in self._held_up(k, near, way, on):
                    if other not in earlier and other not in self.yields:
                        self._end(other)
                        self.yields[other] = Yield(k, back_from)
                        self.turns.setdefault(k, Turn(time, float(way[k])))

    def _held_up(self, k: int, near: dict[int, list[int]], way: Array, on: Array) -> Iterator[tuple[int, int]]:
        """Who is to yield to ``k``, and from whom each is to go back: who is ``near`` it, and who is behind those that came towards it."""
        found, todo = {k}, [k]
        for one in todo:
            for other in near[one]:
                in_front = way[other] < way[k] - 0.5 * self._width and on[other] @ on[k] > 0.0
                if other not in found and (not in_front if one == k else on[other] @ on[one] > 0.0):
                    found.add(other)
                    todo += [other] if on[other] @ on[k] < 0.0 else []
                    yield other, one

    def _pass_on(self, k: int, time: float, position: Array, way: Array, on: Array) -> None:
        """Who has passed goes on being first while others are before it; else its turn goes to the nearest behind it."""
        others = np.array([one for one, its in self.yields.items() if its.first == k], np.int64)
        away = norm(position[others] - position[k])
        facing = on[others] @ on[k] < 0.0
        if (facing & (away < NEAR * self._width)).any():
            self.turns[k] = Turn(time, float(way[k]))
            return
        left = {one: its for one, its in self.yields.items() if its.first == k}
        self._end(k)
        if not facing.all():
            heir = int(others[np.where(facing, np.inf, away).argmin()])
            self.turns[heir] = Turn(time, float(way[heir]))
            self.yields |= {one: Yield(heir, heir if its.back_from == k else its.back_from) for one, its in left.items() if one != heir}

    def _end(self, k: int) -> None:
        """A turn is over: nobody yields to ``k`` any more."""
        if self.turns.pop(k, None) is not None:
            self.yields = {one: its for one, its in self.yields.items() if its.first != k}

    def lead(self, time: float, position: Array, ahead: float, goal: Array) -> list[int]:
        """Who yields goes back from the other and from its own goal, so far ``ahead`` (m), and waits: written to ``goal`` (N, 2) m.

        Returns who is to stand, as it has gone back in vain.
        """
        going, standing = set(self.turns), []
        for k, its in self.yields.items():
            apart, on = position[k] - position[its.back_from], np.nan_to_num(goal[k] - position[k])
            enough = (NEAR if its.back_from == its.first else ROOM) * self._width
            goal[k] = position[k]
            if its.back_from in going and norm(apart) < enough:
                going.add(k)
                goal[k] += ahead * unit(unit(apart) - unit(on))
                standing += [k] if its.in_vain(time, float(norm(apart)), 0.5 * self._width) else []
        return standing
