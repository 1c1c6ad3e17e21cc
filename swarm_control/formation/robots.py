"""The robots as a formation sees them: where they are, what they were told last, and what their motion model answers."""

from dataclasses import dataclass, replace
from typing import Protocol

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.state import Fleet


class Models(Protocol):
    """What motion models must answer; :mod:`swarm_control.core.targets` does. Shapes and units are given there."""

    def command_for_target(self, pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float) -> Array: ...  # noqa: D102
    def naive_command(self, pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, turn_gain: float) -> Array: ...  # noqa: D102
    def turn_to(self, pose: Array, heading: Array, previous: Array, fleet: Fleet, period: float) -> Array: ...  # noqa: D102
    def reach(self, pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float) -> Array: ...  # noqa: D102
    def predict(self, pose: Array, twist: Array, dt: Array) -> Array: ...  # noqa: D102


@dataclass(frozen=True)
class Robots:
    """N robots at the beginning of a period.

    ``pose`` (N, 3) world frame; ``previous`` (N, 3) last twist, robot's frame; a command lasts ``period`` (s) and is planned to lead
    to the target within ``horizon`` (s).
    """

    pose: Array
    previous: Array
    fleet: Fleet
    models: Models
    period: float
    horizon: float

    def __len__(self) -> int:
        return len(self.pose)

    def take(self, robots: IntArray) -> "Robots":
        """Some of the robots."""
        return replace(self, pose=self.pose[robots], previous=self.previous[robots], fleet=self.fleet.take(robots))

    def reach(self, target: Array) -> Array:
        """Where they end, (K, N, 2) m, when sent to K sets of targets (K, N, 2) m, world frame."""
        return self.models.reach(self.pose, target, self.previous, self.fleet, self.period, self.horizon)

    def command(self, target: Array) -> Array:
        """Twists (N, 3) towards ``target`` (N, 2) m, world frame."""
        return self.models.command_for_target(self.pose, target, self.previous, self.fleet, self.period, self.horizon)
