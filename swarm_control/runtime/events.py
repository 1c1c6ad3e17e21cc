"""What robots bring about by where they are: landmarks that change their groups."""

import numpy as np

from swarm_control.core.geometry import norm
from swarm_control.core.state import Society, SwarmState
from swarm_control.scenario.schema import Event
from swarm_control.social.moves import Move, moved


class Events:
    """Watches the landmarks of a ``society``: each one's ``moves`` so far, in their order."""

    def __init__(self, events: tuple[Event, ...], society: Society) -> None:
        self.moves: tuple[Move, ...] = ()
        self._events = events
        self._start = self._society = society
        self._since = np.full((len(events), len(society.landmark)), np.nan)
        kinds = [society.kinds[k] for k in society.robot]
        self._by = [np.array([event.by in kind for kind in kinds], bool) for event in events]

    def resume(self, moves: tuple[Move, ...]) -> None:
        """Take over from somebody who had seen these ``moves``; landmarks that robots wait at begin anew."""
        self.moves, self._society = moves, moved(self._start, moves)
        self._since[:] = np.nan

    def update(self, state: SwarmState) -> tuple[Move, ...]:
        """Look at the swarm; return the moves that are new."""
        new: list[Move] = []
        for event, by, since in zip(self._events, self._by, self._since):
            groups = [self._society.kinds[k] for k in self._society.landmark_kind]
            waits = np.array([event.of in group for group in groups], bool)
            robot = state.position[by & state.valid]
            near = (norm(self._society.landmark[:, None] - robot) <= event.within).sum(axis=1) >= event.robots
            since[:] = np.where(waits & near, np.fmin(since, state.time), np.nan)
            over = np.flatnonzero(state.time - since >= event.time - 1e-9)
            new += [Move(int(k), event.becomes) for k in over]
            self._society = moved(self._start, (*self.moves, *new))
        self.moves += tuple(new)
        return tuple(new)
