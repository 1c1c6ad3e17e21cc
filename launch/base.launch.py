"""The operator's computer of an onboard swarm: ``ros2 launch swarm_control base.launch.py scenario:=our.yaml dashboard:=true``.

The director, the base's guards and, as wished, tracker, dashboard, recorder and RViz. The robots run ``robot.launch.py``.
"""

from launch import LaunchDescription
from swarm_control.ros.support.launching import COMMON, describe


def generate_launch_description() -> LaunchDescription:
    """The nodes that are no robot's."""
    return describe((*COMMON, "aggregate", "dashboard", "rviz", "record"), onboard="true", simulator="none", part="base")
