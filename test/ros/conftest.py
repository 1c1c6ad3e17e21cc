import importlib.util

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("rclpy") else ["test_*.py"]


@pytest.fixture(scope="module")
def flock(tmp_path_factory):
    """Ten robots under way, all five nodes running; shared by the tests of a module."""
    from graph import SCENARIO, Graph

    graph = Graph(tmp_path_factory.mktemp("flock"), SCENARIO)
    try:
        graph.until(lambda: graph.states and graph.state.time > 1.5, timeout=90.0)
        yield graph
    finally:
        graph.close()
