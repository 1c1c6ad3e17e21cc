"""A robot goes from one swarm to another: both know it, its driver is neither's, and at any time one of them drives it."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import rclpy
from driver_stand_ins import TEN, Driver, StandIns
from geometry_msgs.msg import Twist
from graph import Graph

from swarm_control.ros.graph.real_names import topics_of
from swarm_control.ros.support.mission_client import MissionClient
from swarm_control.scenario.loader import load_prepared

pytestmark = pytest.mark.ros

NAMES = ("robot_0", "robot_1", "robot_2")
PLACES = [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
DRIVER = Driver(NAMES, Twist, TEN, TEN, "odom", 0.05, (1.0, 1.0, 3.0))
"""Holds its last command."""

FAR = 1000.0


def swarm(folder, name, away, ahead, **options):
    """A swarm that drives those of the robots that are not ``away`` to a far goal, along y ``ahead`` or back."""
    data = {
        "duration": 600, "robots": [{"count": 3, "start": {"pattern": "poses", "poses": PLACES}, "max_speed": 0.3}],
        "control": {"away": away, "period": 0.1, "seek": {"weight": 1.0}, "separation_filter": {"enabled": True}},
        "goals": [{"position": [0.0, ahead * FAR]}], "hardware": {"topics": {"shared": True}, "odometry": {"frame": "start"}},
    }  # fmt: skip
    folder = folder / name
    folder.mkdir()
    return Graph(folder, data, "none", namespace=name, **options)


def shared_topics(folder):
    file = folder / "robots.yaml"
    file.write_text("robots: [{count: 3}]\nhardware: {topics: {shared: true}}\n")
    return topics_of(*load_prepared(str(file)), "none")


class Hall:
    """The swarms red, which goes ahead, and blue, which goes back, in one graph, and robots that are neither's."""

    def __init__(self, folder):
        given = {"topics": shared_topics(folder)}
        self.red = swarm(folder, "red", ["robot_2"], 1.0, **given)
        self.blue = swarm(folder, "blue", ["robot_0", "robot_1"], -1.0, domain=self.red.domain, **given)
        self.node = rclpy.create_node("drivers", context=self.red.context)
        self.red.executor.add_node(self.node)
        self.robots = StandIns(self.node, DRIVER, np.array(PLACES))

    def until(self, condition, **options):
        def served():
            self.blue.serve(0.005)
            self.blue.supervisor.poll()
            return condition()

        self.red.until(served, **options)

    def drives(self, *ways, within=90.0):
        """Wait until each robot goes ahead, 1, back, -1, or stands."""
        self.until(lambda: np.array_equal(np.sign(np.round(self.speed, 2)), ways), timeout=within)

    @property
    def speed(self):
        """Along y (3,), m/s."""
        (ahead, left, _), yaw = self.robots.twist.T, self.robots.pose[:, 2]
        return np.sin(yaw) * ahead + np.cos(yaw) * left

    def ask(self, swarm, what, *robots):
        """How a task has ended."""

        def asked():
            with MissionClient(swarm) as client:
                return client.wait(getattr(client, what)(*robots).task.id, 30.0)

        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(asked)
            self.until(found.done)
            return found.result()

    def close(self):
        self.red.executor.remove_node(self.node)
        self.node.destroy_node()
        self.blue.close()
        self.red.close()


@pytest.fixture
def hall(tmp_path):
    found = Hall(tmp_path)
    yield found
    found.close()


def test_a_robot_leaves_one_swarm_and_joins_another(hall):
    hall.drives(1, 1, -1)
    assert hall.ask("/red", "leave", "robot_1").state == "succeeded"
    hall.drives(1, 0, -1, within=2.0)
    held = hall.robots.pose[1].copy()
    hall.until(hall_for(0.5))
    assert np.array_equal(hall.robots.pose[1], held), "nobody drives it"
    assert hall.ask("/blue", "join", "robot_1").state == "succeeded"
    hall.drives(1, -1, -1)
    hall.red.kill("motion_model")
    hall.until(lambda: not hall.robots.twist[0].any(), timeout=2.0)
    assert hall.speed[1] < 0.0, "the guard stops no robot that has left"
    hall.drives(1, -1, -1)
    hall.red.stop(True)
    hall.drives(0, -1, -1, within=2.0)
    hall.red.stop(False)
    hall.drives(1, -1, -1)
    refused = hall.ask("/blue", "join", "robot_1")
    assert (refused.state, refused.text) == ("refused", "task.settings: robot_1 found, expected robots that are away: robot_0")


def hall_for(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
