"""One robot's own nodes, on its computer: ``ros2 launch swarm_control robot.launch.py scenario:=/home/lab/our.yaml robot:=robot_3``.

Its perception, behaviours, formation, motion model, guards and, if the scenario names its wheels' link, wheel driver.
"""

from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration

from launch import LaunchDescription
from swarm_control.ros.support.launching import COMMON, describe


def generate_launch_description() -> LaunchDescription:
    """The nodes in the robot's namespace."""
    robot = DeclareLaunchArgument("robot", description="name of the robot, as the scenario's, in ROS' letters")
    rest = describe((*COMMON, "aggregate"), onboard="true", simulator="none", part=LaunchConfiguration("robot"))
    return LaunchDescription([robot, *rest.entities])
