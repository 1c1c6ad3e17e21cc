"""Whether a plan is stalled: it gets on no farther, though its robots work."""

import numpy as np

STALLED, CREEPS = 4.0, 0.1
"""A plan that gets no farther than this share of its time in so long (s), for a robot that works, is made anew from where robots are; after
each time twice as long."""

HELD_UP = 0.5
"""Where two looks are so much (s) farther apart than the last two, what looks was held up itself, by planning for one: the plan has not
waited meanwhile."""


class StallWatch:
    """``stalled``: whether the plan that is looked at is to be made anew."""

    def __init__(self) -> None:
        self.stalled = False
        self._clock, self._since, self._bears, self._looked = -1.0, np.inf, STALLED, 0.0
        self._between = np.inf

    def begin(self) -> None:
        """Look at another plan, which has longer if the last one stalled."""
        self._bears = 2.0 * self._bears if self.stalled else STALLED
        self.wait()

    def wait(self) -> None:
        """Count anew: for now the robots may not go."""
        self._clock, self._since, self.stalled = -1.0, np.inf, False

    def look(self, clock: float, time: float, under_way: bool, failed: bool) -> None:
        """Note since when the plan has waited, on its way or at its end; for robots that have ``failed`` and lag it waits for ever.

        ``clock`` (s): how far it has come, at ``time`` (s).
        """
        between = time - self._looked
        self._since += between if between > self._between + HELD_UP else 0.0
        self._looked, self._between = time, between
        if (under_way and clock > self._clock + CREEPS * self._bears) or failed or self._clock < 0.0:
            self._clock, self._since = clock, time
        self.stalled = time - self._since > self._bears
