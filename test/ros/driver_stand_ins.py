"""Stand-ins for the drivers of robots that can be bought: their topics, types, qualities of service, frames, rates and timeouts.

They are written from the drivers' sources, and know nothing of ``config/robots``:

- ``turtlebot3``: ROBOTIS-GIT/turtlebot3, turtlebot3_node/src/turtlebot3.cpp (cmd_vel_callback, publish_timer), src/odometry.cpp, Jazzy's
  turtlebot3_bringup/param/burger.yaml. The node passes hundredths on to the board, which holds them.
- ``turtlebot4_humble``: a Create 3, iRobotEducation/create3_docs (docs/api/odometry.md, docs/releases/h_2_5.md; best effort, as
  all its sensors are) and create3_sim, irobot_create_nodes/src/motion_control_node.cpp.
- ``turtlebot4_jazzy``: the same behind iRobotEducation/create3_examples, create3_republisher/republisher.cpp, with the remappings of
  turtlebot/turtlebot4_robot, turtlebot4_bringup/launch/robot.launch.py.
- ``crazyflie``: IMRCLab/crazyswarm2 1.0.3, crazyflie/src/crazyflie_server.cpp (pose) and scripts/vel_mux.py, which takes off at the
  first command that is not zero and holds the last one.
- ``epuck2``: cyberbotics/epuck_ros2, epuck_ros2_driver/src/driver.cpp.
- ``diff_drive``: ros-controls/ros2_controllers, diff_drive_controller/src/diff_drive_controller.cpp; limits: ros2_control_demos.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data, qos_profile_system_default

TAKE_OFF = 2.0
"""Time (s) that vel_mux gives a Crazyflie to take off, in which it obeys nothing."""


@dataclass(frozen=True)
class Driver:
    """What a driver does. ``names``: of the robots; topics hold ``{}`` for one. ``frame``: of odometry; ``world``: poses are in the room's
    frame, not in one that begins where the robot was. ``timeout``: after so long (s) without a command it stops. ``step``: commands are
    cut to whole numbers of it. ``limits``: m/s, m/s to the left, rad/s.
    """

    names: tuple[str, ...]
    command: type
    command_qos: QoSProfile
    state_qos: QoSProfile
    frame: str
    period: float
    limits: tuple[float, float, float]
    timeout: float = math.inf
    step: float = 0.0
    command_topic: str = "/{}/cmd_vel"
    state_topic: str = "/{}/odom"
    world: bool = False
    flies: bool = False


TEN, ONE = QoSProfile(depth=10), QoSProfile(depth=1)
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ROBOTS = ("robot1", "robot2", "robot3")
DRIVERS = {
    "turtlebot3": Driver(("tb3_0", "tb3_1", "tb3_2"), TwistStamped, TEN, TEN, "{}/odom", 0.05, (0.21, 0.0, 2.63), step=0.01),
    "turtlebot4_humble": Driver(ROBOTS, Twist, qos_profile_sensor_data, qos_profile_sensor_data, "odom", 0.05, (0.306, 0.0, 1.9), 0.5),
    "turtlebot4_jazzy": Driver(ROBOTS, TwistStamped, BEST_EFFORT, LATCHED, "odom", 0.05, (0.306, 0.0, 1.9), 0.5),
    "crazyflie": Driver(
        ("cf1", "cf2", "cf3"), Twist, TEN, TEN, "world", 0.1, (1.0, 1.0, 3.0), state_topic="/{}/pose", world=True, flies=True
    ),
    "epuck2": Driver(("epuck_0", "epuck_1", "epuck_2"), Twist, ONE, ONE, "odom", 0.064, (0.15, 0.0, 5.3)),
    "diff_drive": Driver(
        ("tb1", "tb2", "tb3"), TwistStamped, qos_profile_system_default, qos_profile_system_default, "{}/odom", 0.02, (1.0, 0.0, 1.0), 0.5,
        command_topic="/{}/diff_drive_controller/cmd_vel", state_topic="/{}/diff_drive_controller/odom",
    ),
}  # fmt: skip


class StandIns:
    """Robots at the poses ``start`` (N, 3) m, m, rad, that obey as a ``driver`` says, by timers of ``node``."""

    def __init__(self, node: Any, driver: Driver, start: np.ndarray) -> None:
        self._node, self.driver = node, driver
        self.pose, self._origin = np.array(start), np.array(start)
        self.twist, self._heard = np.zeros((len(start), 3)), np.full(len(start), -math.inf)
        self._flying = np.full(len(start), math.inf if driver.flies else -math.inf)
        self._told, self._before = [None] * len(start), time.monotonic()
        kind = PoseStamped if driver.world else Odometry
        self._publishers = [node.create_publisher(kind, driver.state_topic.format(name), driver.state_qos) for name in driver.names]
        for k, name in enumerate(driver.names):
            topic = driver.command_topic.format(name)
            node.create_subscription(driver.command, topic, lambda message, k=k: self._hear(k, message), driver.command_qos)
        node.create_timer(driver.period, self._move)

    @property
    def speed(self) -> np.ndarray:
        """How fast each robot is, m/s."""
        return np.hypot(*self.twist[:, :2].T)

    @property
    def stands(self) -> bool:
        return not self.twist.any()

    def _hear(self, k: int, message: Any) -> None:
        now, stamped = time.time(), isinstance(message, TwistStamped)
        stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec if stamped else 0.0
        if stamp and now - stamp >= self.driver.timeout:
            return
        twist = message.twist if stamped else message
        self._told[k], self._heard[k] = (twist.linear.x, twist.linear.y, twist.angular.z), stamp or now
        if any(self._told[k]) and math.isinf(self._flying[k]):
            self._flying[k] = now + TAKE_OFF if self._flying[k] > 0 else -math.inf

    def _move(self) -> None:
        """Move as was told since the last time, then tell where the robots are."""
        now, dt = time.time(), time.monotonic() - self._before
        self._before += dt
        for k in range(len(self.pose)):
            self._go(k, dt, now)
            self._publishers[k].publish(self._state(k, now))

    def _go(self, k: int, dt: float, now: float) -> None:
        driver, told = self.driver, self._told[k]
        if told is None or now - self._heard[k] > driver.timeout or now < self._flying[k]:
            told = (0.0, 0.0, 0.0)
        values = np.clip(told, np.negative(driver.limits), driver.limits)
        self.twist[k] = np.trunc(values / driver.step + 1e-9 * np.sign(values)) * driver.step if driver.step else values
        (ahead, left, turn), heading = self.twist[k], self.pose[k, 2] + 0.5 * dt * self.twist[k, 2]
        c, s = math.cos(heading), math.sin(heading)
        self.pose[k] += dt * np.array([c * ahead - s * left, s * ahead + c * left, turn])

    def _state(self, k: int, now: float) -> Any:
        driver, name = self.driver, self.driver.names[k]
        x, y, yaw = self.pose[k] if driver.world else self._local(k)
        message = PoseStamped() if driver.world else Odometry()
        message.header.frame_id = driver.frame.format(name)
        message.header.stamp.sec, message.header.stamp.nanosec = int(now), int(now % 1.0 * 1e9)
        pose = message.pose if driver.world else message.pose.pose
        pose.position.x, pose.position.y, pose.position.z = float(x), float(y), 0.5 * driver.flies
        pose.orientation.z, pose.orientation.w = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
        if not driver.world:
            message.child_frame_id = driver.frame.format(name).replace("odom", "base_link")
            message.twist.twist.linear.x, message.twist.twist.angular.z = float(self.twist[k, 0]), float(self.twist[k, 2])
        return message

    def _local(self, k: int) -> tuple[float, float, float]:
        """Where a robot is in a frame that began where it was."""
        (dx, dy, turn), yaw = self.pose[k] - self._origin[k], self._origin[k, 2]
        return math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx, turn
