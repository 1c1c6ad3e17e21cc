"""Robots that carry neighbourhood, behaviours and motion model themselves, in their own namespaces."""

import copy

import pytest
from graph import SCENARIO, Graph
from robots import ROBOTS, Robots
from std_srvs.srv import SetBool

pytestmark = pytest.mark.ros


def test_onboard_nodes_serve_their_own_robot_and_stop_with_the_swarm(tmp_path):
    data = copy.deepcopy(SCENARIO)
    data["robots"] = [{"count": 3}]
    data["control"]["seek"]["weight"] = 4.0
    graph = Graph(tmp_path, data, simulator="none", onboard=ROBOTS[:2])
    try:
        robots = Robots(graph)
        graph.until(lambda: all(robots.speed(name) > 0.1 for name in ROBOTS[:2]), timeout=90.0)
        assert not robots.commands["robot_2"], "nobody serves it"
        graph.until(lambda: {"/robot_1/behaviours", "/robot_0/motion_model", "/swarm/director"} <= graph.names())
        stop = lambda: graph.call(SetBool, "/swarm/stop", SetBool.Request(data=True))  # noqa: E731
        graph.until(lambda: stop().message == "NOT CONFIRMED by /robot_2/guard; it has been told to all that hear")
        assert not stop().success
        graph.until(lambda: max(robots.speed(name) for name in ROBOTS) == 0.0, timeout=0.5)
        graph.call(SetBool, "/swarm/stop", SetBool.Request(data=False))
        graph.until(lambda: all(robots.speed(name) > 0.1 for name in ROBOTS[:2]))
        own = lambda data: graph.call(SetBool, "/robot_0/stop", SetBool.Request(data=data)).message  # noqa: E731
        alone = lambda: robots.speed("robot_0") == 0.0 < 0.1 < robots.speed("robot_1")  # noqa: E731
        assert own(True) == "stopped"
        graph.until(alone)
        (motion,) = (node for node in graph.supervisor.nodes if node.spec.full_name == "/robot_0/robot")
        before = graph.status["/robot_0/motion_model"]["process"]
        assert {graph.status[f"/robot_0/{name}"]["process"] for name in ("neighbourhood", "behaviours")} == {before}, "one for all three"
        assert before not in {graph.status[f"/robot_0/{name}"]["process"] for name in ("guard", "standby")}
        motion.process.kill()
        graph.until(lambda: graph.status["/robot_0/motion_model"]["process"] != before)
        graph.until(alone)
        for _ in range(20):
            graph.watch(0.05)
            assert robots.speed("robot_0") == 0.0
        assert own(False) == "running"
        graph.until(lambda: all(robots.speed(name) > 0.1 for name in ROBOTS[:2]))
    finally:
        graph.close()
