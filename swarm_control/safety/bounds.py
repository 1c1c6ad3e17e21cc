"""Bounds that hold whatever a robot is asked to do: when it stops, how fast it may be, and where it may be."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import Fleet
from swarm_control.safety.fence import polygon


@dataclass(frozen=True)
class Safety:
    """When to stop a robot, and the bounds of its speed and its floor. ``ValueError`` when the fence is no simple polygon."""

    odometry_timeout: float = param(0.5, "a robot whose odometry is older stops", unit="s", low=0.01, high=60.0)
    start_timeout: float = param(
        10.0, "robots wait so long for others that they have not heard yet, within a scenario's radio_range for odometry_timeout",
        unit="s", low=0.0, high=3600.0,
    )  # fmt: skip
    command_timeout: float = param(0.2, "a robot stops when what it obeys is older", unit="s", low=0.01, high=60.0)
    watchdog: float = param(0.2, "robots stop when the node that commands them is silent for so long", unit="s", low=0.1, high=60.0)
    speed_cap: float = param(0.0, "no robot, nor wheel, is commanded to go faster; 0: as fast as it can", unit="m/s", low=0.0, high=100.0)
    fence: tuple[float, ...] = param(
        (), "corners of the floor that no robot leaves: x0, y0, x1, y1, …; none: no fence", unit="m", low=-1e6, high=1e6
    )  # fmt: skip
    fence_margin: float = param(0.05, "room to keep between footprints and the fence", unit="m", low=0.0, high=100.0)

    def __post_init__(self) -> None:
        try:
            polygon(self.fence)
        except ValueError as error:
            raise ValueError(f"fence: {error}") from None


UNBOUND = Safety()
"""No cap and no fence."""


def capped(twist: Array, fleet: Fleet, cap: float) -> Array:
    """Twists (N, 3) of which no robot's speed, nor that of its wheels, exceeds ``cap`` (m/s); 0: as they are.

    Robots that roll keep the curvature of their path. The others keep their turn rate, and so, over a period, their direction.
    """
    if cap == 0.0:
        return twist
    wheels, rolls = fleet.column(lambda model: model.wheels), fleet.column(lambda model: model.rolls)
    speed = norm(twist[:, :2]) + np.where(wheels, 0.5 * fleet.wheel_base * np.abs(twist[:, 2]), 0.0)
    scale = np.where(speed > cap, cap / np.maximum(speed, 1e-300), 1.0)
    return np.column_stack((twist[:, :2] * scale[:, None], twist[:, 2] * np.where(rolls, scale, 1.0)))
