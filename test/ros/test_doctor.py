"""``swarm doctor`` beside real drivers' stand-ins, and beside links and cameras that are not there."""

import contextlib
import os
import socket
import subprocess
from pathlib import Path

import claims
import numpy as np
import pytest
import rclpy
from driver_stand_ins import DRIVERS, StandIns
from forked_swarm import forked_swarm

from swarm_control.ros.support.base_node import executor
from swarm_control.scenario.loader import load_prepared

pytestmark = pytest.mark.ros(anytime=True)

SECONDS = 1.5, 4.0, 12.0
ROBOTS = Path(__file__).parents[2] / "config" / "robots"


@contextlib.contextmanager
def drivers(kind=None, start=None):
    """Robots' drivers, where there are any, and what ``swarm doctor`` says and returns meanwhile."""
    domain = claims.domain()
    os.environ.update(ROS_DOMAIN_ID=str(domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain.number)
    node = rclpy.create_node("drivers", context=context)
    serving = executor(node, context)
    robots = StandIns(node, DRIVERS[kind], start) if kind else None

    def doctor(*words, expected):
        """What it says; it listens longer until all that is ``expected`` is in it: on a busy machine drivers are found late."""
        for seconds in SECONDS:
            command = [*forked_swarm(), "doctor", "--seconds", f"{seconds:g}", *words]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            while process.poll() is None:
                serving.spin_once(timeout_sec=0.02)
            said = process.stdout.read()
            if all(text in said for text in expected):
                break
        missing = [text for text in expected if text not in said]
        assert not missing, f"{missing} not in {said}"
        return process.returncode, said

    try:
        yield doctor, robots
    finally:
        serving.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
        domain.release()


def test_robots_as_their_file_says_are_ready_and_any_others_are_told_apart():
    file, names = str(ROBOTS / "turtlebot3.yaml"), DRIVERS["turtlebot3"].names
    with drivers("turtlebot3", load_prepared(file)[1].start.pose) as (doctor, _):
        heard = [f"{name}: /{name}/cmd_vel is heard as geometry_msgs/msg/TwistStamped" for name in names]
        status, said = doctor(file, expected=[*(f"ok       {name}: /{name}/odom: " for name in names), *heard, "ready\n"])
        assert status == 0 and said.endswith("ready\n") and all(f"in {name}/odom" in said for name in names), said

        words = "--set", "hardware.odometry.frame=auto", "--set", "hardware.topics.stamped=twist", "--robots", "2"
        status, _ = doctor(file, *words, expected=[
            "tb3_0: odometry is in the frame tb3_0/odom, and ",
            "set hardware.odometry.frame: start if it begins where the robot starts",
            "heard as geometry_msgs/msg/TwistStamped, expected geometry_msgs/msg/Twist",
            "tb3_0 and tb3_1 say that they are in the same place",  # each begins at zero
        ])  # fmt: skip
        assert status == 1

        others = ["nobody publishes /tb3_7/odom\n           → there is /tb3_2/odom"]  # no other robot's own
        status, _ = doctor(file, "--set", "robots.0.names=[tb3_0, tb3_1, tb3_7]", expected=others)
        assert status == 1

        missed = ["nobody publishes /robot_0/odom\n           → there is /tb3_0/odom", "2 errors"]
        status, _ = doctor("migrate_boxes", "--robots", "1", expected=missed)
        assert status == 1


def test_a_link_that_answers_is_told_from_one_that_does_not_and_a_camera_is_missed(tmp_path):
    with drivers() as (doctor, _), socket.create_server(("127.0.0.1", 0)) as robot:
        port = robot.getsockname()[1]
        links = ["--set", f"hardware.wheels.link=tcp://127.0.0.{{index}}:{port}", "--set", "robots.0.model=differential", "--robots", "2"]
        missed = ["tracker: nobody publishes /camera/image_raw"]
        status, said = doctor("migrate_boxes", *links, "--set", "hardware.tracker.source=camera", expected=missed)
        assert status == 1
        assert f"error    robot_1: tcp://127.0.0.1:{port}" not in said and f"ok       robot_1: tcp://127.0.0.1:{port} can be opened" in said
        assert f"error    robot_0: tcp://127.0.0.0:{port} cannot be opened" in said
        assert "odom" not in said.partition("robots of")[2]  # wheel_driver and tracker make it when they run


def test_poses_that_are_no_odometry_are_named(tmp_path):
    with drivers("crazyflie", np.zeros((3, 3))) as (doctor, _):
        words = "--robots", "1", "--set", "hardware.topics.odom=/cf{index}/pose"
        status, _ = doctor("migrate_boxes", *words, expected=["nobody publishes /cf0/pose"])
        assert status == 1
        named = ["--set", "robots.0.names=[cf1]", "--set", "hardware.topics.odom=/{robot}/pose"]
        doctor("migrate_boxes", "--robots", "1", *named, expected=["is published as geometry_msgs/msg/PoseStamped"])
