"""The plugins that move a robot in Gazebo and say where it is: of gz-sim, and of Gazebo classic with and without ROS."""

from collections.abc import Callable
from xml.etree.ElementTree import Element

from swarm_control.core.robot import ROBOTS
from swarm_control.errors import InputError
from swarm_control.world.sdf_models import WHEEL, SdfRobot, add

SYSTEMS = {"Physics": "physics", "UserCommands": "user-commands", "SceneBroadcaster": "scene-broadcaster"}
"""What a world of gz-sim needs."""
RATE = 100.0
"""How often at least ``gazebo_ros_pkgs`` look for commands and tell odometry, 1/s, but for whole steps of the physics.

At the rate of the commands themselves each would wait for up to a period, and wheeled swarms would not come to rest at their goals.
"""


def add_systems(world: Element) -> None:
    """Add the systems that every world of gz-sim needs; Gazebo classic has them built in."""
    for name in SYSTEMS:
        _system(world, name, SYSTEMS[name])


def gz(model: Element, robot: SdfRobot, period: float) -> None:
    """Plugins of gz-sim, Harmonic and later: topics ``/model/NAME/cmd_vel`` and ``/model/NAME/odometry``.

    The pose comes from OdometryPublisher in the world frame, at least twice in a ``period`` of the commands (s). That of DiffDrive
    begins at zero where the robot starts.
    """
    if robot.wheeled:
        drive = _system(model, "DiffDrive", "diff-drive")
        add(drive, "left_joint", "left_joint")
        add(drive, "right_joint", "right_joint")
        add(drive, "wheel_separation", robot.wheel_base)
        add(drive, "wheel_radius", WHEEL * robot.radius)
        turn = min(robot.max_turn_rate, 2.0 * robot.max_speed / robot.wheel_base)
        spin = 2.0 * robot.max_acceleration / robot.wheel_base
        limits = {"linear_velocity": robot.max_speed, "angular_velocity": turn}
        limits |= {"linear_acceleration": robot.max_acceleration, "angular_acceleration": spin}
        for key, value in limits.items():
            add(drive, f"min_{key}", -value)
            add(drive, f"max_{key}", value)
        add(drive, "odom_topic", f"/model/{robot.name}/wheel_odometry")
    else:
        drive = _system(model, "VelocityControl", "velocity-control")
    add(drive, "topic", f"/model/{robot.name}/cmd_vel")
    odometry = _system(model, "OdometryPublisher", "odometry-publisher")
    add(odometry, "odom_frame", "map")
    add(odometry, "robot_base_frame", f"{robot.name}/base_link")
    add(odometry, "odom_topic", f"/model/{robot.name}/odometry")
    add(odometry, "odom_publish_frequency", 2.5 / period)  # twice, rounded up to whole steps of the physics
    add(odometry, "dimensions", 2)


def classic(model: Element, robot: SdfRobot, period: float) -> None:
    """Gazebo classic's own DiffDrivePlugin: topic ``~/NAME/vel_cmd`` of Gazebo, no ROS."""
    if not robot.wheeled:
        known = ", ".join(sorted(model.name for model in ROBOTS.values() if model.gazebo == "wheels"))
        raise InputError("robots", f"{robot.model} found, which Gazebo classic has no plugin for; expected {known}, or --classic ros")
    drive = add(model, "plugin", name=f"{robot.name}_drive", filename="libDiffDrivePlugin.so")
    add(drive, "left_joint", "right_joint")  # the plugin makes its left wheel the faster one to turn left
    add(drive, "right_joint", "left_joint")
    add(drive, "torque", _torque(robot))


def classic_ros(model: Element, robot: SdfRobot, period: float) -> None:
    """Plugins of ``gazebo_ros_pkgs`` for Gazebo classic: ROS topics ``/NAME/cmd_vel`` and ``/NAME/odom``, in the world frame."""
    wheeled, rate = robot.wheeled, max(RATE, 1.0 / period)
    kind = "diff_drive" if wheeled else "planar_move"
    drive = add(model, "plugin", name=f"{robot.name}_drive", filename=f"libgazebo_ros_{kind}.so")
    add(add(drive, "ros"), "namespace", f"/{robot.name}")
    if wheeled:
        add(drive, "left_joint", "left_joint")
        add(drive, "right_joint", "right_joint")
        add(drive, "wheel_separation", robot.wheel_base)
        add(drive, "wheel_diameter", 2.0 * WHEEL * robot.radius)
        add(drive, "max_wheel_torque", _torque(robot))
        add(drive, "max_wheel_acceleration", robot.max_acceleration)  # m/s², of the rim
        add(drive, "odometry_source", 1)  # the world's truth, not the wheels'
    else:
        add(drive, "publish_rate", rate)
    add(drive, "update_rate", rate)
    add(drive, "publish_odom", True)
    add(drive, "publish_odom_tf", False)
    add(drive, "odometry_frame", "map")
    add(drive, "robot_base_frame", "base_link")


PLUGINS: dict[str, Callable[[Element, SdfRobot, float], None]] = {"gz": gz, "classic": classic, "classic_ros": classic_ros}
"""Whose plugins move the robots."""


def _system(parent: Element, name: str, file: str) -> Element:
    return add(parent, "plugin", name=f"gz::sim::systems::{name}", filename=f"gz-sim-{file}-system")


def _torque(robot: SdfRobot) -> float:
    """Torque of a wheel, N·m: ample for the robot's weight."""
    return 10.0 * robot.radius**4 * 500.0 * 9.81
