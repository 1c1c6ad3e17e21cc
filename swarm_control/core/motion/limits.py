"""Parameters that all motion models share."""

from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class Motion:
    """Parameters of the motion models."""

    heading_gain: float = param(
        4.0, "how fast an omnidirectional robot turns to its course; 0: keeps its heading", unit="1/s", low=0.0, high=50.0
    )  # fmt: skip
    mode: str = param(
        "acceleration", "what the sum of requests sets: the acceleration; the velocity, mobility times it; or the course, at step_speed",
        choices=("acceleration", "velocity", "step"),
    )  # fmt: skip
    mobility: float = param(0.2, "velocity per request, with mode velocity", unit="s", low=0.0, high=100.0)
    step_speed: float = param(0.2, "speed along any request, with mode step", unit="m/s", low=0.0, high=100.0)
    look_ahead: float = param(0.08, "control point of a differential drive, ahead of its axle", unit="m", low=0.005, high=5.0)
