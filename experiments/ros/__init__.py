"""Swarms on a ROS 2 graph as others have them: namespaces, frames, missions."""

from swarm_control.analysis.experiments.registry import Page

PAGE = Page(
    "ros", "On a ROS 2 graph",
    "Elsewhere: the time from odometry to commands with 10 to 2000 robots, hosted and onboard, is in [performance](performance.md); robots "
    "that carry their own nodes, each in a network namespace, in [wireless](wireless.md); the firmware, driven by the driver node, in "
    "[firmware](firmware.md).",
)  # fmt: skip
