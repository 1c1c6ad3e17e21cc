"""Start a scenario's nodes: ``ros2 launch swarm_control swarm.launch.py scenario:=migrate_boxes simulator:=stage``."""

from launch import LaunchDescription
from swarm_control.cli.export import exported
from swarm_control.ros.support.launching import describe


def generate_launch_description() -> LaunchDescription:
    """All in one, or with ``part`` one of an onboard swarm."""
    return describe(export=exported)
