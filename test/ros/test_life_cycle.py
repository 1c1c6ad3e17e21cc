"""Nodes between odometry and commands are managed nodes: robots stand as soon as one that they need is not active."""

from contextlib import closing

import numpy as np
import pytest
from graph import Graph
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState

from swarm_control.ros.graph.kinds import KINDS

pytestmark = pytest.mark.ros
CHAIN = "neighbourhood", "behaviours", "motion_model", "director"


def speed(graph):
    return float(np.hypot(*graph.state.velocity[:, :2].T).max())


def state_of(graph, node):
    return graph.call(GetState, f"/swarm/{node}/get_state", GetState.Request()).current_state.label


def change(graph, node, label):
    return graph.call(ChangeState, f"/swarm/{node}/change_state", ChangeState.Request(transition=Transition(label=label))).success


@pytest.fixture(scope="module")
def flock(tmp_path_factory):
    with closing(Graph(tmp_path_factory.mktemp("flock"))) as graph:
        graph.until(lambda: graph.states and speed(graph) > 0.1)
        graph.until(lambda: {f"/swarm/{node}" for node in CHAIN} <= graph.status.keys())  # each tells its status once a second
        yield graph


@pytest.mark.parametrize("node", [name for name in CHAIN if name != "director"])
def test_robots_stand_while_a_node_that_they_need_is_not_active(flock, node):
    assert KINDS[node].managed and state_of(flock, node) == "active"
    assert change(flock, node, "deactivate")
    try:
        flock.until(lambda: speed(flock) < 0.01, timeout=1.0)
        flock.until(lambda: flock.status[f"/swarm/{node}"]["state"] == "inactive")
        assert max(float(np.hypot(*state.velocity[:, :2].T).max()) for _, state in flock.watch(0.5)) < 0.01
    finally:
        assert change(flock, node, "activate")  # the next test has the same flock
    flock.until(lambda: speed(flock) > 0.1)


def test_what_a_node_cannot_do_in_its_state_is_refused(flock):
    assert not change(flock, "behaviours", "activate")
    assert not change(flock, "behaviours", "cleanup")
    assert state_of(flock, "behaviours") == "active"
    flock.until(lambda: speed(flock) > 0.1)


def test_a_swarm_that_waits_for_its_manager_moves_when_the_last_node_is_active(tmp_path):
    with closing(Graph(tmp_path, parameters={"autostart": False})) as graph:
        graph.until(lambda: {f"/swarm/{node}" for node in CHAIN} <= graph.status.keys() and graph.states and graph.state.time > 0.2)
        for node in CHAIN:
            assert state_of(graph, node) == "inactive"
            assert speed(graph) == 0.0
            assert change(graph, node, "activate")
        graph.until(lambda: speed(graph) > 0.1)
        assert graph.call(GetState, "/swarm/director/get_state", GetState.Request()).current_state.id == State.PRIMARY_STATE_ACTIVE
