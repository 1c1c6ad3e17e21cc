"""Robots that can be bought, as their drivers' sources have them, go where they are sent with the files of ``config/robots``, and stop."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import claims
import numpy as np
import pytest
import rclpy
import yaml
from driver_stand_ins import DRIVERS, LATCHED, StandIns
from forked_swarm import forked_swarm
from geometry_msgs.msg import Twist, TwistStamped
from graph import Graph
from pace import Pace
from std_msgs.msg import String

from swarm_control.analysis.bags.reader import Bag
from swarm_control.ros.graph.plan import drives
from swarm_control.ros.graph.real_names import topics_of
from swarm_control.ros.support.base_node import executor
from swarm_control.scenario.loader import load_prepared

pytestmark = pytest.mark.ros

ROBOTS = Path(__file__).parents[2] / "config" / "robots"
QUICK = "turtlebot3", "turtlebot4_jazzy"


GOAL = [0.1, 0.0]
"""Nearer than that of the files, m: nobody need wait for slow robots."""


def opened(folder, name, driver):
    """Nodes of a file, as ``swarm run … --simulator none`` plans them, and the stand-ins at its robots' places."""
    loaded, setup = load_prepared(str(ROBOTS / f"{name}.yaml"))
    data = yaml.safe_load(loaded.source.read_text())
    data["goals"][0]["position"] = GOAL
    found = Graph(folder, data, "none", topics=topics_of(loaded, setup, "none"), drivers=drives(loaded.scenario))
    return found, StandIns(found.node, driver, setup.start.pose)


@pytest.mark.parametrize("kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.study) for kind in DRIVERS])
def test_robots_go_where_they_are_sent_and_stop_when_they_are_told(tmp_path, kind):
    graph, robots = opened(tmp_path, kind.partition("_")[0] if "turtlebot" in kind else kind, DRIVERS[kind])
    try:
        away = lambda: np.linalg.norm(robots.pose[:, :2] - GOAL, axis=1)  # noqa: E731
        loaded, setup = load_prepared(str(graph.file))
        near = loaded.scenario.goals[0].arrival_radius
        assert away().min() > near
        moving = lambda: (robots.speed > 0.05).all()  # noqa: E731
        graph.until(moving)
        if np.isinf(robots.driver.timeout):  # only the guard stops them
            graph.kill("motion_model")
            graph.until(lambda: robots.stands, timeout=1.0, poll=False)
            graph.until(moving)
        graph.stop(True)
        graph.until(lambda: robots.stands, timeout=0.5)
        held = robots.pose.copy()
        graph.watch(0.5)
        assert np.array_equal(robots.pose, held), "robots that hold their last command hold a zero"
        graph.stop(False)
        graph.until(lambda: graph.mission.swarm.done, timeout=40.0)
        assert away().max() < near + 0.05
        apart = np.linalg.norm(robots.pose[:, None, :2] - robots.pose[None, :, :2], axis=2)[np.triu_indices(3, 1)]
        assert apart.min() > 2.0 * setup.fleet.radius[0], "nobody touches anybody"
        assert not any("subscribe" in line or "makes no sense" in line for line in graph.lines)
    finally:
        graph.close()


class Apart:
    """Stand-ins in a participant of their own, which can go and come back."""

    def __init__(self, graph, driver, pose):
        self._graph, self._context = graph, rclpy.Context()
        rclpy.init(context=self._context, domain_id=graph.domain.number)
        self._node = rclpy.create_node("drivers", context=self._context)
        self._executor, self.robots = executor(self._node, self._context), StandIns(self._node, driver, pose)

    def until(self, condition, **options):
        def met():
            self._executor.spin_once(timeout_sec=0.01)
            return condition()

        self._graph.until(met, **options)

    def close(self):
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.shutdown()


def drive_and_stop(graph, driver, pose):
    """Drivers come, robots go, and stop when the node that commands them is killed."""
    here = Apart(graph, driver, pose)
    moving = lambda: (here.robots.speed > 0.02).all()  # noqa: E731
    here.until(moving)
    here.until(lambda: graph.status.get("/swarm/guard", {}).get("commanded") == "True")
    graph.kill("motion_model")
    here.until(lambda: here.robots.stands, timeout=1.0, poll=False)
    here.until(moving)
    here.close()


def test_drivers_that_come_back_with_another_type_are_driven_and_stopped_by_guards(tmp_path):
    """As when one is updated from Humble to Jazzy. These hold their last command, so that only a guard stops them."""
    driver = DRIVERS["epuck2"]
    graph, standing = opened(tmp_path, "epuck2", replace(driver, names=("x", "y", "z")))
    try:
        for kind in (Twist, TwistStamped):
            drive_and_stop(graph, replace(driver, command=kind), standing.pose)
        assert not any("makes no sense" in line for line in graph.lines)
    finally:
        graph.close()


WRONG = ({"command_topic": "/{}/velocity"}, {"command": String}, {"command_qos": LATCHED})


def test_a_driver_with_another_name_type_or_quality_of_service_is_not_driven(tmp_path):
    """So the tests before tell one from another. Odometry is as it should be."""
    right = DRIVERS["turtlebot3"]
    graph, robots = opened(tmp_path, "turtlebot3", replace(right, names=("x", "y", "z")))
    drivers = [replace(right, names=(name,), **wrong) for name, wrong in zip(right.names, WRONG)]
    robots = [StandIns(graph.node, driver, robots.pose[k : k + 1]) for k, driver in enumerate(drivers)]
    said = "tb3_1: /tb3_1/cmd_vel is subscribed to by /watcher as std_msgs/msg/String, expected geometry_msgs/msg/Twist or"
    try:
        graph.until(lambda: graph.status.get("/swarm/motion_model", {}).get("ticks_per_second", "0") not in ("0", ""))
        graph.until(lambda: any(said in line for line in graph.lines))
        graph.until(lambda: graph.status["/swarm/motion_model"]["drivers_missing"] == "tb3_0, tb3_1")
        graph.watch(1.0)
        assert all(robot.stands for robot in robots)
    finally:
        graph.close()


def test_swarm_run_brings_robots_with_topics_of_their_own_to_their_goal(tmp_path):
    """The whole command: other names, TwistStamped, and results and a recording of the same."""
    domain, context = claims.domain(), rclpy.Context()
    os.environ.update(ROS_DOMAIN_ID=str(domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    rclpy.init(context=context, domain_id=domain.number)
    node = rclpy.create_node("drivers", context=context)
    serving, file = executor(node, context), ROBOTS / "diff_drive.yaml"
    robots = StandIns(node, DRIVERS["diff_drive"], load_prepared(str(file))[1].start.pose)
    options = ["--simulator", "none", "--until-arrival", "--out", str(tmp_path / "run"), "--record", str(tmp_path / "run.mcap")]
    process = subprocess.Popen([*forked_swarm(), "run", str(file), *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        pace = Pace(lambda: [process.pid])
        while process.poll() is None:
            assert not pace.over(60.0), process.stdout.read()
            serving.spin_once(timeout_sec=0.05)
        said = process.stdout.read()
        assert process.returncode == 0 and "NO ODOMETRY" not in said.splitlines()[-1], said
        with np.load(tmp_path / "run" / "trajectory.npz") as data:
            assert list(data["names"]) == ["tb1", "tb2", "tb3"]
            assert np.abs(data["pose"][-1, :, :2] - robots.pose[:, :2]).max() < 0.3
        assert robots.pose[:, 0].mean() > 0.2
        kinds = Bag(tmp_path / "run.mcap").kinds
        assert kinds["/tb2/diff_drive_controller/cmd_vel"] == "geometry_msgs/msg/TwistStamped" and "/tb2/cmd_vel" not in kinds
    finally:
        process.kill()
        serving.shutdown()
        node.destroy_node()
        context.shutdown()
        domain.release()
