"""Parameters that all motion models share."""

from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class Motion:
    """Parameters of the motion models."""

    speed_cap: float = param(100.0, "no robot is commanded to go faster", unit="m/s", low=0.0, high=100.0)
    heading_gain: float = param(
        4.0, "how fast an omnidirectional robot turns to its course; 0: keeps its heading", unit="1/s", low=0.0, high=50.0
    )  # fmt: skip
    look_ahead: float = param(0.08, "control point of a differential drive, ahead of its axle", unit="m", low=0.005, high=5.0)
