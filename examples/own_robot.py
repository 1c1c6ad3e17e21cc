"""A robot model of one's own: an omnidirectional platform that never turns, as with mecanum wheels and a camera that faces north.

A model says how commands are made, where they lead, what can be stopped within, how simulators describe it. Most are much like one that
exists: take it, and replace what is different.
"""

from dataclasses import replace

import numpy as np

import swarm_control as sc
from swarm_control.core.geometry import rotate
from swarm_control.robots import ROBOTS


def twist(desired, pose, fleet, params, period):
    """Forward and leftward speed and turn rate (n, 3) for the desired velocity (n, 2) along the world's axes: the rate is zero."""
    return np.column_stack((rotate(desired, -pose[:, 2]), np.zeros(len(pose))))


omni = ROBOTS["omni"]
sc.register_robot(replace(omni, name="mecanum", help="Mecanum wheels: any velocity, and it keeps its heading.", twist=twist, stage=None))

for model in ("omni", "mecanum"):
    north = {"robots.0.start.heading": 90, "robots.0.start.heading_spread": 0}
    sim = sc.Simulation("migrate_boxes", seed=3, set={"robots.0.model": model, **north})
    summary = sim.run(until="arrival").metrics()
    turned = np.rad2deg(np.abs(sim.trajectory.pose[:, :, 2] - np.pi / 2).max())
    print(f"{model}: {summary['arrival_time']:.1f} s to the goal, {summary['collisions']} collisions, turned by up to {turned:.0f} degrees")
