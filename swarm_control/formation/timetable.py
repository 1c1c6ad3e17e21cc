"""Where robots are to be, and when: what the planners of a formation make, and its order follows."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm

LEFT = 1e-3
"""Who is this far (m) from its first place has left it."""


class UnreachableError(ValueError):
    """There is no way for a formation; the message says why, in a sentence for the user without a full stop."""


@dataclass(frozen=True)
class Timetable:
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
            first: Array = self.place[0]
            return first
        span = self.time[k] - self.time[k - 1]
        share = np.clip((clock - self.time[k - 1]) / span, 0.0, 1.0) if span > 0.0 else 1.0
        result: Array = self.place[k - 1] + share * (self.place[k] - self.place[k - 1])
        return result

    def sampled(self, times: Array) -> Array:
        """The places (K, N, 2) m at ``times`` (K,) s."""
        flat = self.place.reshape(len(self.time), -1)
        low = np.maximum(np.searchsorted(self.time, times, side="right") - 1, 0)
        high = np.minimum(low + 1, len(self.time) - 1)
        span = self.time[high] - self.time[low]
        share = np.clip(np.divide(times - self.time[low], span, out=np.zeros(len(times)), where=span > 0.0), 0.0, 1.0)
        result: Array = (flat[low] + share[:, None] * (flat[high] - flat[low])).reshape(len(times), *self.place.shape[1:])
        return result

    def after(self, clock: float) -> "Timetable":
        """What is left of it at ``clock`` (s)."""
        later = self.time > clock
        return Timetable(np.append(0.0, self.time[later] - clock), np.concatenate((self.at(clock)[None], self.place[later])))

    def departing(self) -> Array | None:
        """Unit directions (N, 2) in which robots leave their first places; zero for those that stay, None if all do."""
        far = norm(self.place - self.place[0])
        if not (far > LEFT).any():
            return None
        first = (far > LEFT).argmax(axis=0)
        step = np.take_along_axis(self.place, first[None, :, None], axis=0)[0] - self.place[0]
        unit: Array = step / np.maximum(norm(step), LEFT)[:, None]
        return unit

    def then(self, following: "Timetable") -> "Timetable":
        """The same and then ``following``, whose robots are in the same order and begin where they end here."""
        return Timetable(np.concatenate((self.time, self.duration + following.time)), np.concatenate((self.place, following.place)))

    def of(self, robots: IntArray) -> "Timetable":
        """The schedule of some of the robots (indices), or of all in another order."""
        return Timetable(self.time, self.place[:, robots])


def standing(place: Array) -> Timetable:
    """Robots stay at ``place`` (N, 2) m."""
    return Timetable(np.zeros(1), place[None])
