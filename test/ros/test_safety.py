"""Bad odometry stops the robot that it belongs to, and no other. The test plays the robots."""

import copy
import math

import pytest
from geometry_msgs.msg import Twist
from graph import SCENARIO, Graph
from robots import ROBOTS, Robots

from swarm_control.ros.graph import topics

pytestmark = pytest.mark.ros

@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    data = copy.deepcopy(SCENARIO)
    data["robots"] = [{"count": 3}]
    data["control"]["seek"]["weight"] = 4.0  # commands 0.2 m/s to a robot at rest
    data["hardware"] = {"odometry": {"max_deviation": 0.3}}
    data["control"]["estimation"] = {"command_delay": 0.0}  # they obey nothing, so nothing is to be expected of the last command
    graph = Graph(tmp_path_factory.mktemp("safety"), data, simulator="none")
    try:
        found = Robots(graph)
        found.only_moves(*ROBOTS, within=60.0)
        yield found
    finally:
        graph.close()


@pytest.fixture(autouse=True)
def sound(robots):
    """What a test has left behind, should it have failed, is no other's concern."""
    robots.behave()


@pytest.mark.parametrize("column", [0, 6, 7, 12])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_odometry_that_is_not_finite_stops_that_robot_only(robots, column, value):
    good = robots.values["robot_1"][0, column]
    robots.values["robot_1"][0, column] = value
    robots.only_moves("robot_0", "robot_2", within=0.5)
    robots.values["robot_1"][0, column] = good
    robots.only_moves(*ROBOTS)


def test_who_says_that_it_does_not_know_where_it_is_stands_and_is_named(robots):
    """0.25 m along x and y are within the bound; so far together, along the diagonal, 0.35 m are not."""
    robots.covariance[1, 0, 0, :2, :2] = [[0.0625, 0.0], [0.0, 0.0625]]
    robots.only_moves(*ROBOTS)
    robots.covariance[1, 0, 0, :2, :2] = [[0.0625, 0.06], [0.06, 0.0625]]
    robots.only_moves("robot_0", "robot_2", within=0.75)
    expected = "robot_1 stands: /robot_1/odom says by its covariance that it may be off by 0.35 m, expected at most 0.3 m"
    robots.graph.until(lambda: any(expected in line for line in robots.graph.lines))
    robots.behave()
    robots.only_moves(*ROBOTS)


def test_silence_stops_that_robot_only(robots):
    robots.silent.add("robot_2")
    robots.only_moves("robot_0", "robot_1", within=0.75)
    robots.silent.clear()
    robots.only_moves(*ROBOTS)


def test_a_robot_that_is_lost_is_still_in_the_way(robots):
    """It is lost while all are told to stand: had it been moving, it would be presumed to have gone on until it was missed."""
    robots.values["robot_1"][0, 0] = 1.92  # close behind robot_2
    robots.only_moves("robot_0", "robot_2")
    assert robots.graph.set("motion_model", safety__speed_cap=1e-6).successful
    robots.only_moves()
    robots.values["robot_2"][0, 0] = math.nan
    said = len(robots.graph.lines)
    robots.graph.until(lambda: any("robot_2 stands" in line for line in robots.graph.lines[said:]))
    assert robots.graph.set("motion_model", safety__speed_cap=0.0).successful
    robots.only_moves("robot_0")
    robots.behave()
    robots.only_moves(*ROBOTS)


def test_old_odometry_stops_that_robot_only(robots):
    robots.age["robot_0"] = 0.8
    robots.only_moves("robot_1", "robot_2", within=0.75)
    robots.age["robot_0"] = 0.0
    robots.only_moves(*ROBOTS)


def test_a_fence_set_while_robots_move_holds_those_outside_and_a_crossed_one_is_refused(robots):
    square = [-0.5, -0.5, 1.5, -0.5, 1.5, 0.5, -0.5, 0.5]
    crossed = [-0.5, -0.5, 1.5, -0.5, -0.5, 0.5, 1.5, 0.5]
    refused = robots.graph.set("motion_model", safety__fence=crossed)
    assert not refused.successful and "sides 1 and 3 meet" in refused.reason
    robots.only_moves(*ROBOTS)
    assert robots.graph.set("motion_model", safety__fence=square).successful
    robots.only_moves("robot_0", "robot_1")
    assert robots.graph.set("motion_model", safety__fence=[-9.0, -9.0, 9.0, -9.0, 9.0, 9.0]).successful
    robots.only_moves(*ROBOTS)


def test_messages_that_make_no_sense_are_survived(robots):
    graph = robots.graph
    publisher = graph.node.create_publisher(topics.NEIGHBOURS.kind, "/swarm/neighbours", 1)
    graph.tell(publisher, topics.NEIGHBOURS.kind(), lambda: any("makes no sense" in line for line in graph.lines))
    graph.node.destroy_publisher(publisher)
    robots.only_moves(*ROBOTS)


def test_commands_are_plain_twists(robots):
    seen = []
    robots.graph.node.create_subscription(Twist, "/robot_0/cmd_vel", seen.append, 10)
    robots.graph.until(lambda: len(seen) > 3)
    assert seen[-1].linear.x > 0.1 and seen[-1].linear.z == 0.0
