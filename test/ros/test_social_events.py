"""Events in real nodes: the director changes a landmark's group through a parameter, and the robot's law with it."""

import numpy as np
import pytest
from graph import Graph

pytestmark = pytest.mark.ros

FIELD = {
    "duration": 600,
    "robots": [{"count": 1, "group": "sappers", "start": {"pattern": "poses", "poses": [[-2.0, 0.0, 0.0]]}}],
    "landmarks": [{"group": "mine", "points": [0.0, 0.0]}],
    "events": [{"of": "mine", "by": "sappers", "within": 0.6, "time": 3.0, "becomes": "safe"}],
    "control": {
        "social": {
            "weight": 1.0, "friction": 2.0,
            "laws": [
                {"acts_on": "sappers", "of": "mine", "equilibrium": 0.5, "strength": 2.0},
                {"acts_on": "sappers", "of": "safe", "equilibrium": 3.0, "strength": 1.0},
            ],
        },
    },
}  # fmt: skip


def test_a_robot_finds_a_mine_and_leaves_it_when_it_is_safe(tmp_path):
    graph = Graph(tmp_path, FIELD, speed=2.0)
    try:
        distance = lambda: float(np.linalg.norm(graph.state.position[0]))  # noqa: E731
        graph.until(lambda: graph.states and distance() < 0.6, timeout=60.0)
        graph.until(lambda: abs(distance() - 3.0) < 0.1, timeout=60.0)
        assert graph.get("behaviours", "social.moves") == [["{group: safe}"]]
    finally:
        graph.close()
