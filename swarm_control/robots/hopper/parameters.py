"""Parameters of the motion model of one-legged robots."""

from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class HopperMotion:
    """How long a one-legged robot's step takes, and how it faces its course. Its speed can change in stance only."""

    stance: float = param(0.21, "how long the foot is on the ground in a step", unit="s", low=0.01, high=10.0)
    flight: float = param(0.31, "how long the robot is in the air in a step", unit="s", low=0.0, high=10.0)
    turn_gain: float = param(1.0, "how fast it turns to its course; 0: keeps its heading", unit="1/s", low=0.0, high=50.0)
    turn_rate: float = param(0.8, "the fastest that it turns to its course", unit="rad/s", low=0.0, high=10.0)
