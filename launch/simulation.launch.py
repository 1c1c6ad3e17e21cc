"""What stands for the robots: ``ros2 launch swarm_control simulation.launch.py scenario:=our.yaml simulator:=stage``.

The embedded simulator, Stage, Gazebo or MuJoCo, for nodes that are started elsewhere, as by ``robot.launch.py simulator:=stage``.
"""

from launch import LaunchDescription
from swarm_control.cli.export import exported
from swarm_control.ros.support.launching import COMMON, describe


def generate_launch_description() -> LaunchDescription:
    """The simulator alone."""
    return describe((*COMMON, "speed", "window", "out"), export=exported, onboard="true", part="simulation")
