"""What a controller is given: the newest that is known of all robots, and since when."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import SwarmState


@dataclass(frozen=True)
class Heard:
    """What somebody knows of the swarm. ``state``: robots whose odometry is missing or too old are invalid. ``measured`` (N,) s: when
    what is known of each robot was measured; −∞ before the first message; None: all of it is of now.
    """

    state: SwarmState
    measured: Array | None = None

    @property
    def stamps(self) -> Array:
        """When each robot's pose was measured (N,) s; −∞ for those never heard."""
        return np.where(self.state.valid, self.state.time, -np.inf) if self.measured is None else self.measured


@dataclass(frozen=True)
class Observation(Heard):
    """What the controller of a swarm hears. ``each``: what every robot hears itself, where each keeps the formation by itself."""

    each: tuple[Heard, ...] = ()

    def own(self) -> tuple[SwarmState, Array | None]:
        """The state with each robot as it hears itself, and when that was measured: it does not stop because somebody else has lost sight
        of it.
        """
        if not self.each:
            return self.state, self.measured
        pose, velocity, valid, stamps = (
            np.array([values[k] for k, values in enumerate(rows)])
            for rows in zip(*((heard.state.pose, heard.state.velocity, heard.state.valid, heard.stamps) for heard in self.each))
        )
        fresh = all(heard.measured is None for heard in self.each)
        return SwarmState.of(self.state.time, pose, velocity, valid), None if fresh else stamps
