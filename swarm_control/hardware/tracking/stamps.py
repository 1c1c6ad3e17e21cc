"""When something was measured, by our own clock, from a stamp by somebody else's."""

from collections import deque

WINDOW = 100
"""From so many last messages the difference of clocks is told."""


class Stamps:
    """Takes stamps of one sender to the own clock.

    The least age of the last messages is what the way takes at its fastest, plus the difference of the clocks. Below ``tolerance`` (s),
    and above its opposite, it is taken for the way alone, and stamps are believed. Beyond, the sender's clock is wrong: its stamps are
    shifted so that the fastest message was measured when it came. Nothing is measured later than it came; no stamp (0): as it came.
    """

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._ages: deque[float] = deque(maxlen=WINDOW)

    @property
    def difference(self) -> float:
        """By how much (s) the sender's clock is behind, as far as that is told; 0 within the tolerance."""
        least = min(self._ages, default=0.0)
        return least if abs(least) > self._tolerance else 0.0

    def local(self, stamp: float, now: float) -> float:
        """Time (s) of the own clock at which what has ``stamp`` (s) and came ``now`` (s) was measured."""
        if stamp == 0.0:
            return now
        self._ages.append(now - stamp)
        return min(stamp + self.difference, now)
