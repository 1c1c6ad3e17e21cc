"""Events in real nodes: the director changes a landmark's group through a parameter, and the robot's law with it."""

import numpy as np
import pytest
from graph import Graph

pytestmark = pytest.mark.ros(anytime=True)

FIELD = {
    "duration": 600,
    "robots": [
        {"count": 1, "group": "sappers", "start": {"pattern": "poses", "poses": [[-2.0, 0.0, 0.0]]}},
        {"count": 1, "group": "second", "role": "leading", "start": {"pattern": "poses", "poses": [[0.0, 94.0, 0.0]]},
         "way": [[0.0, 94.0, 26.0], [0.0, 99.5, 32.0]]},
    ],
    "landmarks": [{"group": "mine", "points": [0.0, 0.0, 0.0, 100.0]}],
    "events": [{"of": "mine", "within": 0.6, "time": 3.0, "becomes": "safe"}],
    "control": {
        "social": {
            "weight": 1.0, "friction": 2.0,
            "laws": [
                {"acts_on": "sappers", "of": "mine", "equilibrium": 0.5, "strength": 2.0, "far": 50.0},
                {"acts_on": "sappers", "of": "safe", "equilibrium": 3.0, "strength": 1.0, "far": 50.0},
            ],
        },
    },
}  # fmt: skip


@pytest.mark.study
def test_a_robot_leaves_a_mine_that_is_safe_and_a_restarted_director_knows_of_it(tmp_path):
    """A director that had forgotten the first mine would make it live again when the second one becomes safe."""
    graph = Graph(tmp_path, FIELD, speed=2.0)
    try:
        distance = lambda: float(np.linalg.norm(graph.state.position[0]))  # noqa: E731
        graph.until(lambda: graph.states and distance() < 0.6)
        graph.until(lambda: graph.get("behaviours", "social.moves") == [["{group: safe}"]])
        graph.until(lambda: graph.mission.swarm.moves and graph.repeated())
        graph.kill("director")
        assert graph.state.time < 26.0, "the second mine's turn is not before the new director's"
        graph.until(lambda: abs(distance() - 3.0) < 0.1)
        graph.until(lambda: len(graph.get("behaviours", "social.moves")[0]) > 1)
        assert sorted(graph.get("behaviours", "social.moves")[0]) == ["{group: safe}", "{landmark: 1, group: safe}"]
        assert abs(distance() - 3.0) < 0.1
    finally:
        graph.close()
