"""What somebody outside the controller wants of the robots, a learned policy for instance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from swarm_control.core.geometry import Array
from swarm_control.core.merge import merge_rows
from swarm_control.core.motion import drive
from swarm_control.core.pipeline import Part
from swarm_control.core.state import SwarmState

KINDS = ("velocity", "acceleration")


@dataclass(frozen=True)
class ExternalRequest:
    """A request for one tick, along the world's axes, in place of what the robots' behaviours request or ``added`` to it.

    ``value`` (N, 2): the velocity (m/s) or acceleration (m/s²), by ``kind``, of each robot's control point. Motion models, separation
    filter, fence and limits make commands of it as they do of what behaviours request.
    """

    value: Array
    kind: str = "velocity"
    added: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r} found, expected one of {', '.join(KINDS)}")

    def acceleration(self, state: SwarmState, parts: Sequence[Part]) -> Array:
        """The accelerations (N, 2) m/s², world frame, that bring it about."""
        if self.value.shape != (len(state), 2):
            raise ValueError(f"a request of shape {self.value.shape} found, expected {(len(state), 2)}")
        if self.kind == "acceleration":
            return self.value
        made = []
        for part in parts:
            direct = replace(part.control.motion, mode="velocity", mobility=1.0)
            made.append(drive(state, self.value, part.around.fleet, direct, part.control.period, None))
        return merge_rows(made, parts)
