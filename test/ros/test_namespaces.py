"""Two swarms in one graph, each in a namespace: neither hears, stops or changes the other."""

import numpy as np
import pytest
from graph import SCENARIO, Graph
from std_srvs.srv import SetBool

from swarm_control.errors import InputError
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import root_of
from swarm_control.ros.support.stop_client import StopClient


@pytest.fixture
def two(tmp_path):
    """The swarms /red, hosted, and /hall/blue, onboard, of two robots each, in one domain."""
    data = {**SCENARIO, "robots": [{"count": 2, "start": {"spacing": 0.6}}]}
    red, blue = (tmp_path / name for name in ("red", "blue"))
    red.mkdir()
    blue.mkdir()
    first = Graph(red, data, namespace="red")
    try:
        names = [f"robot_{k}" for k in range(2)]
        second = Graph(blue, {**data, "goals": [{"position": [0.0, 1000.0]}]}, domain=first.domain, namespace="/hall/blue", onboard=names)
        try:
            yield first, second
        finally:
            second.close()
    finally:
        first.close()


def speed(graph):
    return float(np.hypot(*graph.state.velocity[:, :2].T).max())


def both(first, second, condition):
    """Serve both watching nodes until the condition holds."""

    def served():
        second.serve(0.02)
        second.supervisor.poll()
        return condition()

    first.until(served)


@pytest.mark.ros
def test_two_swarms_live_in_one_graph_without_touching(two):
    red, blue = two
    both(red, blue, lambda: red.states and blue.states and speed(red) > 0.1 and speed(blue) > 0.1)
    assert abs(red.state.velocity[:, 0].mean()) > abs(red.state.velocity[:, 1].mean()), "each goes to its own goal"
    assert abs(blue.state.velocity[:, 1].mean()) > abs(blue.state.velocity[:, 0].mean())
    assert {name.split("/")[1] for name in red.names() if "watcher" not in name} == {"red", "hall"}
    names = [name for name, _ in red.node.get_topic_names_and_types()]
    assert {name.split("/")[1] for name in names} <= {"red", "hall", "rosout", "parameter_events", "diagnostics"}, names
    both(red, blue, lambda: "/swarm/guard" in red.status and "/robot_1/motion_model" in blue.status)
    red.stop(True)
    red.until(lambda: speed(red) == 0.0)
    both(red, blue, lambda: len(blue.watch(1.0)) > 5)
    assert speed(red) == 0.0 < 0.1 < speed(blue)
    assert red.set("behaviours", separation__weight=0.25).successful
    assert red.get("behaviours", "separation.weight") == [0.25]
    own = blue.node.create_client(SetBool, "/robot_1/stop")
    blue.until(own.service_is_ready)

    def hinted():
        """A client that has just come may not have found everybody yet."""
        with StopClient() as client:
            done, text = client.stop(1.0)
        return not done and text.endswith("there is a swarm with --namespace hall/blue, --namespace red")

    red.until(hinted)
    with StopClient("/hall/blue") as client:
        done, text = client.stop(20.0)
    assert done and "/robot_1/guard" in text and "red" not in text, text
    blue.until(lambda: speed(blue) == 0.0)
    red.stop(False)
    both(red, blue, lambda: speed(red) > 0.1)
    assert speed(blue) == 0.0


def test_names_are_those_of_ros():
    assert root_of("") == root_of("/") == "" and root_of("a/b_2/") == "/a/b_2"
    for wrong in ("my lab", "2nd", "a//b-c"):
        with pytest.raises(InputError, match="expected letters, digits and underscores"):
            root_of(wrong)


def test_programs_of_others_are_below_the_namespace_too(tmp_path):
    (stage,) = (spec for spec in plan("x", (), "stage", world=tmp_path / "x.world", namespace="lab") if not spec.own)
    words = stage.ros_arguments()
    assert {"__ns:=/lab", "/clock:=/lab/clock"} <= set(words)
    assert all(spec.space.startswith("/lab/swarm") for spec in plan("x", namespace="lab"))
