import pytest

pytest.importorskip("rclpy")

from graph import SCENARIO, Graph


@pytest.fixture(scope="module")
def flock(tmp_path_factory):
    """Ten robots under way, all five nodes running; shared by the tests of a module."""
    graph = Graph(tmp_path_factory.mktemp("flock"), SCENARIO)
    try:
        graph.until(lambda: graph.states and graph.state.time > 1.5, timeout=90.0)
        yield graph
    finally:
        graph.close()
