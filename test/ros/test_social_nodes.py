"""Social potential fields in real nodes: laws as parameters, by file and by phase; robots onboard feel those they cannot see."""

import copy

import numpy as np
import pytest
from graph import Graph

pytestmark = pytest.mark.ros(anytime=True)

PAIR = {
    "duration": 600,
    "robots": [{
        "count": 3, "group": "pair", "model": "point_mass",
        "start": {"pattern": "poses", "poses": [[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 5.0, 0.0]]},
    }],
    "landmarks": [{"group": "den", "points": [0.0, 50.0]}],
    "control": {
        "perception": {"radius": 0.5},
        "social": {"weight": 1.0, "feels": "everyone", "friction": 2.0, "laws": [{"acts_on": "pair", "of": "pair", "equilibrium": 2.0}]},
        "accumulation": {"method": "weighted"},
    },
}  # fmt: skip
FIRST = "{acts_on: pair, of: pair, equilibrium: 2.0}"


def sides(graph):
    position = graph.state.position
    return np.sort(np.linalg.norm(position - np.roll(position, 1, axis=0), axis=1))


def settle(graph, side):
    """Wait for the robots to stand in a triangle with this side."""
    graph.until(lambda: graph.states and np.allclose(sides(graph), side, atol=0.05), timeout=90.0)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    graph = Graph(tmp_path_factory.mktemp("pair"), PAIR, speed=2.0)
    try:
        settle(graph, 2.0)
        yield graph
    finally:
        graph.close()


def test_laws_are_texts_in_a_parameter_and_take_effect_when_set(pair):
    assert pair.get("behaviours", "social.laws") == [[FIRST]]
    assert pair.set("behaviours", social__laws=[FIRST.replace("2.0", "3.0")]).successful
    settle(pair, 3.0)
    assert pair.set("behaviours", social__laws=[FIRST]).successful
    settle(pair, 2.0)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("{acts_on: pair, of: ghosts, spring: 1}", "'ghosts', a group without members found, expected one of den, pair"),
        ("{acts_on: den, of: pair, spring: 1}", "a group of landmarks, which feel nothing"),
        ("{acts_on: pair, terms: [1, -1]}", "exponent -1 found"),
        ("{acts_on: pair, pull: 1}", "unknown key"),
        ("{acts_on: [", "not YAML"),
    ],
)
def test_bad_laws_are_refused_with_a_reason_and_change_nothing(pair, text, reason):
    result = pair.set("behaviours", social__laws=[FIRST, text])
    assert not result.successful and reason in result.reason
    assert pair.get("behaviours", "social.laws") == [[FIRST]]


def test_laws_of_the_file_are_read_again_when_it_changes(pair):
    data = copy.deepcopy(PAIR)
    data["control"]["social"]["laws"][0]["equilibrium"] = 2.5
    pair.write(data)
    settle(pair, 2.5)
    pair.write(PAIR)
    settle(pair, 2.0)


def test_laws_that_let_robots_fall_together_are_warned_of(pair):
    assert pair.set("behaviours", social__laws=["{acts_on: pair, of: pair, equilibrium: 2, repulsion: 1, attraction: 2}"]).successful
    pair.until(lambda: any("attract without bound inside 2 m" in line for line in pair.lines))
    assert pair.set("behaviours", social__laws=[FIRST]).successful


@pytest.mark.study
def test_onboard_each_robot_feels_those_it_cannot_see_and_phases_reach_all(tmp_path):
    data = copy.deepcopy(PAIR)
    data["phases"] = [{"start": 3.0, "set": {"social.laws": [{"acts_on": "pair", "of": "pair", "equilibrium": 3.0}]}}]
    graph = Graph(tmp_path, data, speed=2.0, onboard=[f"robot_{k}" for k in range(3)])
    try:
        settle(graph, 3.0)
    finally:
        graph.close()
