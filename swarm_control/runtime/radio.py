"""Robots of one process that each keep a formation by themselves: whoever hears another's odometry hears its word, too."""

from collections import deque

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.runtime.consensus import Consensus
from swarm_control.runtime.word import Word


class RobotRadios:
    """What the ``members`` of a formation, the ``robots`` (indices), say goes with their odometry; a tick takes ``period`` (s)."""

    def __init__(self, members: list[Consensus], robots: IntArray, period: float) -> None:
        self.members, self._robots, self._period = members, robots, period
        self._said: deque[tuple[float, dict[int, Word]]] = deque()

    def say(self, time: float, horizon: float) -> None:
        """All say at ``time`` (s) what they have; after ``horizon`` (s) it is heard no more."""
        self._said.append((time, {int(k): member.say(time, horizon) for k, member in zip(self._robots, self.members)}))
        while self._said[0][0] < time - horizon:
            self._said.popleft()

    def heard(self, stamps: Array, own: int) -> list[Word]:
        """What the robot ``own`` has of others' words, that was said with odometry of these ``stamps`` (N,), or less than a tick later."""
        found = [self._at(int(k), float(stamps[k])) for k in self._robots if k != own and np.isfinite(stamps[k])]
        return [word for word in found if word is not None]

    def _at(self, speaker: int, stamp: float) -> Word | None:
        said = (words[speaker] for time, words in self._said if -1e-9 <= time - stamp < self._period - 1e-9)
        return next(said, None)
