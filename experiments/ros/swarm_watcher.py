"""A client of a swarm's missions that also hears where its robots truly are."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.mission_client import MissionClient


class SwarmWatcher(MissionClient):
    """Asks for tasks and watches ``robots`` robots of the embedded simulator: ``position`` and ``velocity`` (N, 2) m, m/s, world frame."""

    kind = "swarm_watcher"

    def __init__(self, robots: int) -> None:
        super().__init__()
        self._robots = robots
        self.position = self.velocity = np.full((robots, 2), np.nan)
        topics.subscribe(self, replace(topics.SWARM_STATE, lossy=False), self._hear_state, raw=True)

    def _hear_state(self, data: bytes) -> None:
        state = convert.state_of(*cdr.read_cloud(data), self._robots)
        self.position, self.velocity = state.position, state.velocity[:, :2]

    @property
    def now(self) -> float:
        """Time of this computer's clock (s)."""
        return time.monotonic()

    def until(self, condition: Callable[[], bool], patience: float) -> bool:
        """Whether ``condition()`` holds within ``patience`` (s); it is looked at after all that has come by then."""
        return self._until(lambda: condition() or None, patience) is not None

    def listen(self, seconds: float) -> None:
        """Hear what comes for so long."""
        end = self.now + seconds
        while self.now < end:
            self.serve(0.02)
