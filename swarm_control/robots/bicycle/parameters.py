"""Parameters of the motion model of bicycles."""

from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class BicycleMotion:
    """How bicyclists follow a wished velocity, and how they are drawn to where they are wanted in a group (Brogan & Hodgins 1997)."""

    turn_time: float = param(1.0, "time in which a bicycle turns to a wished velocity; it answers 0.5 s late", unit="s", low=0.1, high=20.0)
    position_gain: float = param(
        4.0, "k_p of equation 20: velocity per error of position; 1 in the paper's turns", unit="1/s", low=0.0, high=100.0
    )
    velocity_gain: float = param(4.0, "k_v of equation 20: velocity per error of velocity; only k_p/k_v counts", low=0.001, high=100.0)
    horizon: float = param(0.0, "how far ahead errors are predicted; 0: not, as in the paper", unit="s", low=0.0, high=10.0)
