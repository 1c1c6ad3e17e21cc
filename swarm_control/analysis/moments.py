"""Mean, standard deviation and greatest of numbers that are seen one by one and not kept (Welford's method)."""

import math


class Moments:
    """Of the numbers added so far: :attr:`mean`, :attr:`std` (of the population) and :attr:`most`; None while there are none."""

    def __init__(self) -> None:
        self._count, self._mean, self._squares, self._most = 0, 0.0, 0.0, -math.inf

    def add(self, value: float) -> None:
        """Take note of a number."""
        self._count += 1
        before = value - self._mean
        self._mean += before / self._count
        self._squares += before * (value - self._mean)
        self._most = max(self._most, value)

    @property
    def mean(self) -> float | None:
        """Their mean."""
        return float(self._mean) if self._count else None

    @property
    def std(self) -> float | None:
        """Their standard deviation."""
        return math.sqrt(self._squares / self._count) if self._count else None

    @property
    def most(self) -> float | None:
        """The greatest."""
        return float(self._most) if self._count else None
