"""Keeping real time, and how well it was kept."""

import time
from dataclasses import dataclass, field

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray

LISTEN = 0.25
"""Share of a period that is always left for listening, however late it is."""


class Schedule:
    """Ticks at ``period`` (s of real time) after one another, reckoned from the start so that they do not drift."""

    def __init__(self, period: float) -> None:
        self.period = period
        self.begin()

    def begin(self) -> None:
        """Start counting from now."""
        self.began = time.monotonic()
        self.ticks = self.late = 0
        self._listen_until = self.began

    def wait(self) -> float:
        """Seconds until the next tick is due; not above zero: now."""
        return max(self.began + (self.ticks + 1) * self.period, self._listen_until) - time.monotonic()

    def tick(self) -> None:
        """A tick starts now. It is late when it starts more than half a period after its time."""
        now = time.monotonic()
        self.ticks += 1
        self.late += now - (self.began + self.ticks * self.period) > 0.5 * self.period
        self._listen_until = now + LISTEN * self.period


@dataclass
class Latency:
    """From telling a robot's odometry to hearing the command for it, for N robots; the times in a histogram of 0.1 ms."""

    robots: int
    _told: Array = field(init=False)
    _open: BoolArray = field(init=False)
    _counts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._told, self._open = np.zeros(self.robots), np.zeros(self.robots, bool)
        self._counts = np.zeros(10_001, np.int64)

    def tell(self) -> None:
        """The robots' odometry is being published; one that has had no answer keeps its earlier time."""
        self._told[~self._open] = time.perf_counter()
        self._open[:] = True

    def hear(self, robot: int) -> None:
        """A command has come for this robot."""
        if self._open[robot]:
            self._open[robot] = False
            self._counts[min(int((time.perf_counter() - self._told[robot]) * 1e4), 10_000)] += 1

    def hear_all(self, robots: IntArray) -> None:
        """Commands have come for these robots (n,), at once."""
        new = robots[self._open[robots]]
        self._open[new] = False
        np.add.at(self._counts, np.minimum((time.perf_counter() - self._told[new]) * 1e4, 10_000).astype(np.int64), 1)

    def percentile(self, share: float) -> float:
        """The time (s) within which this ``share`` of commands came; NaN before the first."""
        total = np.cumsum(self._counts)
        return float((np.searchsorted(total, share * total[-1]) + 1) * 1e-4) if total[-1] else float("nan")
