"""Motion capture that is not there: what it would measure of robots whose true poses are known, and when it would say so."""

from collections import deque

import numpy as np

from swarm_control.core.geometry import Array


class MotionCapture:
    """Looks ``rate`` times a second, with ``noise`` (m, m, rad) as standard deviations, and tells ``delay`` (s) later."""

    def __init__(self, rate: float, noise: tuple[float, float, float], delay: float, rng: np.random.Generator) -> None:
        self._period, self._noise, self._delay, self._rng = 1.0 / rate, noise, delay, rng
        self._next = -np.inf
        self._held: deque[tuple[float, Array]] = deque()

    def look(self, now: float, pose: Array) -> list[tuple[float, Array]]:
        """Robots are at ``pose`` (N, 3) at ``now`` (s); what is told now: ages (s) and poses (N, 3), the oldest first."""
        if now >= self._next:
            late = now - self._next > self._period
            self._next = now + self._period if late else self._next + self._period
            self._held.append((now, pose + self._rng.normal(size=pose.shape) * self._noise))
        told = []
        while self._held and now - self._held[0][0] >= self._delay:
            measured, seen = self._held.popleft()
            told.append((now - measured, seen))
        return told
