"""Where robots are to be, and when: what the planners of a formation make, and its order follows."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array


class Unreachable(ValueError):
    """There is no way for a formation; the message says why, in a sentence for the user without a full stop."""


@dataclass(frozen=True)
class Schedule:
    """Places of N robots over time, linear in between.

    ``time`` (T,) s, from 0 on, not decreasing; ``place`` (T, N, 2) m, world frame. Before its begin and after its end robots stand.
    """

    time: Array
    place: Array

    @property
    def duration(self) -> float:
        """How long it takes, s."""
        return float(self.time[-1])

    def at(self, clock: float) -> Array:
        """The places (N, 2) m at ``clock`` (s)."""
        k = int(np.clip(np.searchsorted(self.time, clock, side="right"), 1, max(len(self.time) - 1, 1)))
        if len(self.time) == 1:
            return self.place[0]
        span = self.time[k] - self.time[k - 1]
        share = np.clip((clock - self.time[k - 1]) / span, 0.0, 1.0) if span > 0.0 else 1.0
        result: Array = self.place[k - 1] + share * (self.place[k] - self.place[k - 1])
        return result

    def then(self, following: "Schedule") -> "Schedule":
        """This one and then ``following``, whose robots are in the same order and begin where they end here."""
        return Schedule(np.concatenate((self.time, self.duration + following.time)), np.concatenate((self.place, following.place)))

    def of(self, robots: Array) -> "Schedule":
        """The schedule of some of the robots (indices), or of all in another order."""
        return Schedule(self.time, self.place[:, robots])


def standing(place: Array) -> Schedule:
    """Robots stay at ``place`` (N, 2) m."""
    return Schedule(np.zeros(1), place[None])
