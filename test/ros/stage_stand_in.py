"""A stand-in for ``stage_ros2``: the topics that the bridge is assumed to have, and Stage's own kinematics on an exported world.

What is assumed of https://github.com/tuw-robotics/stage_ros2 (src/stage_node.cpp, src/vehicle.cpp), and of Stage 4.3 (model_position.cc):
every ``position`` model is a vehicle named after the model; with more than one of them, or with ``enforce_prefixes``, its topics are
NAME/odom and NAME/cmd_vel in the node's namespace, else odom and cmd_vel; ``one_tf_tree`` puts all transforms on /tf, else NAME/tf, and
prefixes frames, no other topics; odom has the true pose (localization gps) in ``frame_id_odom`` and the velocity in the robot's frame;
/clock is published every step; without a command for ``base_watchdog_timeout`` s a robot stops. A step is one of Euler's in the frame of
the robot, as it stood at the step's beginning, within velocity_bounds; there are no contacts here.
"""

import json
import math
import os
import sys
import time

import numpy as np
import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from swarm_control.ros.support.node import executor
from swarm_control.world import read_world
from swarm_control.world.worldfile import parse

PARAMETERS = {
    "enable_gui": True, "enforce_prefixes": False, "one_tf_tree": False, "base_watchdog_timeout": 5.0, "world_file": "cave.world",
    "frame_id_odom": "odom",
}  # fmt: skip


def topic(name, kind, count, enforce_prefixes):
    """Name of a vehicle's topic, relative to the node's namespace."""
    return f"{name}/{kind}" if enforce_prefixes or count > 1 else kind


class StandIn(Node):
    def __init__(self):
        super().__init__("stage_ros2")
        self.options = {name: self.declare_parameter(name, value).value for name, value in PARAMETERS.items()}
        path = self.options["world_file"]
        self.world = read_world(path)
        self.speed = float(parse(path).root.properties["speedup"].values[0])
        robots, prefixes = self.world.robots, self.options["enforce_prefixes"]
        self.pose = np.array([robot.pose for robot in robots])
        self.twist, self.heard = np.zeros_like(self.pose), np.full(len(robots), -np.inf)
        self.bounds = np.array([robot.velocity_bounds for robot in robots])
        self.steps = 0
        names = [topic(robot.name, "{}", len(robots), prefixes) for robot in robots]
        self.odom = [self.create_publisher(Odometry, name.format("odom"), 10) for name in names]
        self.clock_topic = self.create_publisher(Clock, "/clock", 10)
        for k, name in enumerate(names):
            self.create_subscription(Twist, name.format("cmd_vel"), lambda message, k=k: self.obey(k, message), 10)

    @property
    def now(self):
        return self.steps * self.world.interval_sim

    def obey(self, k, message):
        self.twist[k], self.heard[k] = (message.linear.x, message.linear.y, message.angular.z), self.now

    def step(self):
        self.steps += 1
        self.twist[self.now - self.heard > self.options["base_watchdog_timeout"]] = 0.0
        twist = np.clip(self.twist, self.bounds[:, :, 0], self.bounds[:, :, 1])
        self.pose = step(self.pose, twist, self.world.interval_sim)
        stamp = rclpy.time.Time(nanoseconds=round(self.now * 1e9)).to_msg()
        for publisher, pose, velocity in zip(self.odom, self.pose.tolist(), twist.tolist()):
            message = Odometry()
            message.header.stamp, message.header.frame_id = stamp, self.options["frame_id_odom"]
            message.pose.pose.position.x, message.pose.pose.position.y = pose[:2]
            message.pose.pose.orientation.z, message.pose.pose.orientation.w = math.sin(pose[2] / 2), math.cos(pose[2] / 2)
            message.twist.twist.linear.x, message.twist.twist.linear.y, message.twist.twist.angular.z = velocity
            publisher.publish(message)
        self.clock_topic.publish(Clock(clock=stamp))


def step(pose, twist, dt):
    """Stage's own step: ``pose`` (N, 3) after ``twist`` (N, 3), velocities in the robots' frames, for ``dt`` s."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    return pose + dt * np.stack((c * twist[:, 0] - s * twist[:, 1], s * twist[:, 0] + c * twist[:, 1], twist[:, 2]), axis=-1)


def main():
    with open(os.environ["STAND_IN_RECORD"], "w") as stream:
        json.dump(sys.argv[1:], stream)
    rclpy.init()
    with open(os.environ.get("STAND_IN_TRUTH", os.devnull), "w") as truth:
        drive(StandIn(), float(os.environ.get("STAND_IN_END", "inf")), truth)
    sys.exit(int(os.environ.get("STAND_IN_STATUS", "0")))


def drive(node, end, truth):
    """Step in real time until ``end`` (s); as Stage, it does not make up for lost time. Writes where robots are, a line a step."""
    serving, due = executor(node), time.monotonic()
    while node.now < end:
        serving.spin_once(timeout_sec=max(due - time.monotonic(), 0.0))
        if time.monotonic() >= due:
            node.step()
            print(json.dumps([node.now, *node.pose.ravel().tolist()]), file=truth, flush=True)
            due = max(due + node.world.interval_sim / node.speed, time.monotonic())


if __name__ == "__main__":
    main()
