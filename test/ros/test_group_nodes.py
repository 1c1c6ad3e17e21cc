"""Groups on real nodes: flocks that cross, a formation beside them, live parameters, a director that is started again."""

import os
import signal
import time

import numpy as np
import pytest
from graph import Graph

pytestmark = pytest.mark.ros

SCENARIO = {
    "duration": 600,
    "robots": [
        {"count": 4, "group": "red", "start": {"pattern": "grid", "center": [-4.0, 0.0]}},
        {"count": 4, "group": "blue", "start": {"pattern": "grid", "center": [4.0, 0.0]}},
        {"count": 4, "group": "team", "start": {"pattern": "grid", "center": [0.0, 5.0]}},
    ],
    "control": {
        "perception": {"radius": 1.5}, "separation": {"weight": 0.8}, "seek": {"weight": 0.6}, "separation_filter": {"enabled": True},
    },
    "groups": {
        "red": {"goals": [{"position": [-2.0, 0.0]}, {"position": [500.0, 0.0]}], "control": {"cohesion": {"weight": 0.3}}},
        "blue": {"goals": [{"position": [-500.0, 0.0]}]},
        "team": {"goals": [{"position": [0.0, 500.0]}], "formation": {"enabled": True, "shape": "line", "spacing": 0.5}},
    },
    "phases": [{"start": 2.0, "set": {"groups.blue.alignment.weight": 0.4}}],
}  # fmt: skip
RED, BLUE, TEAM = (slice(4 * k, 4 * k + 4) for k in range(3))


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    graph = Graph(tmp_path_factory.mktemp("groups"), SCENARIO, formation=True)
    try:
        graph.until(lambda: graph.states and graph.state.time > 2.5)
        yield graph
    finally:
        graph.close()


def speeds(graph, robots):
    return np.linalg.norm(graph.state.velocity[robots, :2], axis=1)


def middle(graph, robots):
    return graph.state.position[robots].mean(axis=0)


def test_each_group_goes_its_own_way_and_the_formation_keeps_together(graph):
    graph.until(lambda: middle(graph, RED)[0] > -1.0 and middle(graph, BLUE)[0] < 1.0 and middle(graph, TEAM)[1] > 6.0)
    team = graph.state.position[TEAM]
    gaps = np.sort(np.linalg.norm(team[:, None] - team[None], axis=2)[np.triu_indices(4, 1)])
    np.testing.assert_allclose(gaps, [0.5, 0.5, 0.5, 1.0, 1.0, 1.5], atol=0.15)
    assert graph.status["/swarm/virtual_structure"]["robots"] == "4"


def test_a_phase_has_set_a_groups_parameter(graph):
    names = ("alignment.weight", "groups.blue.alignment.weight", "groups.red.alignment.weight")
    graph.until(lambda: graph.get("behaviours", *names) == [0.0, 0.4, 0.0])


def test_a_common_parameter_is_followed_live(graph):
    assert graph.set("behaviours", separation__weight=0.9).successful
    assert graph.get("behaviours", "separation.weight", "groups.red.separation.weight", "groups.team.separation.weight") == [0.9] * 3
    assert graph.set("behaviours", groups__red__separation__weight=0.2).successful
    assert graph.set("behaviours", separation__weight=1.0).successful
    assert graph.get("behaviours", "groups.red.separation.weight", "groups.blue.separation.weight") == [0.2, 1.0]
    refused = graph.set("behaviours", groups__red__separation__weight=-1.0)
    assert not refused.successful and "groups.red.separation.weight" in refused.reason


def test_a_groups_change_in_the_saved_file_takes_effect(graph):
    data = {**SCENARIO, "groups": {**SCENARIO["groups"], "red": {**SCENARIO["groups"]["red"], "control": {"cohesion": {"weight": 0.7}}}}}
    graph.write(data)
    graph.until(lambda: graph.get("behaviours", "groups.red.cohesion.weight", "groups.blue.cohesion.weight") == [0.7, 0.0])


def test_a_director_that_is_started_again_goes_on(graph):
    """The only one who knows how far things have come is slow to answer: nothing begins anew meanwhile."""
    graph.until(lambda: graph.mission.groups and graph.mission.groups["red"].goal_index == 1 and graph.repeated())
    before = graph.mission.groups["red"].phases
    graph.process("behaviours").send_signal(signal.SIGSTOP)
    graph.kill("director")
    alive, end = graph.sign_of_life("behaviours"), time.monotonic() + 5.0
    graph.until(lambda: os.utime(alive) or time.monotonic() > end)  # it is slow, and not to be ended for it
    graph.process("behaviours").send_signal(signal.SIGCONT)
    graph.until(lambda: any("resuming at blue: goal 1 of 1, red: goal 2 of 2, team: goal 1 of 1" in line for line in graph.lines))
    assert graph.mission.groups["red"].phases[: len(before)] == before


def test_a_groups_parameter_has_an_effect_on_its_robots(graph):
    """With no urge to go anywhere the robots of one group coast to where they are; the others go on."""
    assert graph.set("behaviours", groups__blue__seek__weight=0.0, groups__blue__alignment__weight=0.0).successful
    assert graph.set("motion_model", groups__blue__safety__speed_cap=0.05).successful
    graph.until(lambda: speeds(graph, BLUE).max() < 0.06 and speeds(graph, RED).min() > 0.2)
