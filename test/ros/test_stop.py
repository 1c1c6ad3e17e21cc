"""The emergency stop holds whatever dies, until it is let go."""

import copy

import numpy as np
import pytest
from graph import SCENARIO, Graph
from robots import ROBOTS, Robots

pytestmark = pytest.mark.ros


def killed(graph, *names):
    """SIGKILL nodes; wait until the supervisor has started each again and the new one has spoken."""
    nodes = {one.full_name: node for node in graph.supervisor.nodes for one in node.spec.each}
    before = {name: nodes[name] for name in names}
    processes = {name: graph.status[name]["process"] for name in names}
    for node in before.values():
        node.process.kill()
    graph.until(lambda: all(graph.status[name]["process"] != processes[name] for name in names))


def told(graph, node):
    """How often a node, or one that took its place, has come to know that the swarm is stopped."""
    return sum(f"[swarm.{node}]: the swarm is stopped" in line for line in graph.lines)


def speeds(states):
    return max(float(np.hypot(*state.velocity[:, :2].T).max()) for _, state in states)


def test_a_stop_survives_the_death_of_motion_model_and_of_director(tmp_path):
    graph = Graph(tmp_path, SCENARIO)
    try:
        graph.until(lambda: graph.states and graph.state.time > 1.0 and "/swarm/director" in graph.status, timeout=90.0)
        graph.until(lambda: "/swarm/motion_model" in graph.status)
        assert speeds(graph.watch(0.5)) > 0.1
        graph.stop(True)
        graph.until(lambda: speeds(graph.states[-1:]) < 0.01, timeout=0.5)
        graph.until(lambda: told(graph, "motion_model") == told(graph, "director") == 1)  # who is killed first would never have said so
        first = len(graph.states)
        killed(graph, "/swarm/motion_model")
        graph.until(lambda: told(graph, "motion_model") == 2)
        killed(graph, "/swarm/director")  # the new motion model is now the only one that knows
        graph.until(lambda: told(graph, "director") == 2)
        killed(graph, "/swarm/motion_model")
        graph.until(lambda: told(graph, "motion_model") == 3)
        assert speeds(graph.states[first:]) < 0.01
        graph.until(lambda: graph.status["/swarm/motion_model"]["state"] == "stopped")
        graph.stop(False)
        graph.until(lambda: speeds(graph.states[-1:]) > 0.1)
    finally:
        graph.close()


@pytest.mark.study
def test_robots_that_carry_their_motion_model_stay_stopped_too(tmp_path):
    data = copy.deepcopy(SCENARIO)
    data["robots"], data["control"]["seek"]["weight"] = [{"count": 3}], 4.0
    graph = Graph(tmp_path, data, simulator="none", onboard=ROBOTS)
    try:
        robots = Robots(graph)
        graph.until(lambda: all(robots.speed(name) > 0.1 for name in ROBOTS), timeout=120.0)
        graph.until(lambda: "/robot_0/motion_model" in graph.status)
        graph.stop(True)
        graph.until(lambda: max(robots.speed(name) for name in ROBOTS) == 0.0, timeout=0.5)
        first = len(robots.commands["robot_0"])
        killed(graph, "/robot_0/motion_model")
        graph.watch(1.0)
        told = robots.commands["robot_0"][first:]
        assert told and all(twist == (0.0,) * 6 for _, twist in told)
        graph.stop(False)
        graph.until(lambda: all(robots.speed(name) > 0.1 for name in ROBOTS))
    finally:
        graph.close()
