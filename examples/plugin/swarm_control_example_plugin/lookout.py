"""Lookout: an omnidirectional robot that looks to the left of its course, as for a camera on its side."""

from dataclasses import replace

import numpy as np

import swarm_control as sc
from swarm_control.core.geometry import Array, rotate
from swarm_control.core.motion import Motion
from swarm_control.core.robot import StageDrive
from swarm_control.core.state import Fleet
from swarm_control.robots import ROBOTS

OMNI = ROBOTS["omni"]
QUARTER = 0.5 * np.pi


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame.

    It is that of an omnidirectional robot that is turned to the right by a quarter, whose nose is this one's right side.
    """
    turned = OMNI.twist(desired, pose - (0.0, 0.0, QUARTER), fleet, params, period)
    return np.column_stack((rotate(turned[:, :2], np.full(len(pose), -QUARTER)), turned[:, 2]))


sc.register_robot(
    replace(
        OMNI, name="lookout", help="Lookout: omnidirectional, and it turns to look to the left of its course.", twist=twist,
        stage=StageDrive("omni"),
    )
)  # fmt: skip
