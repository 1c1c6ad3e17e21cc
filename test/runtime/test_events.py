"""Events: landmarks change their groups when robots have been near for long enough, and laws follow."""

import numpy as np
import pytest
import yaml

from swarm_control.analysis.simulation import simulate
from swarm_control.core.state import Society, SwarmState
from swarm_control.errors import InputError
from swarm_control.runtime.events import Events
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Event
from swarm_control.scenario.setup import prepare

KINDS = (frozenset({"", "sappers"}), frozenset({""}), frozenset({"mine"}))
FIELD = {
    "duration": 20,
    "robots": [{"count": 1, "group": "sappers", "start": {"pattern": "poses", "poses": [[-2.0, 0.0, 0.0]]}}],
    "landmarks": [{"group": "mine", "points": [0.0, 0.0, 9.0, 9.0]}],
    "events": [{"of": "mine", "by": "sappers", "within": 0.6, "time": 3.0, "becomes": "safe"}],
    "control": {
        "social": {
            "weight": 1.0, "friction": 2.0,
            "laws": [
                {"acts_on": "sappers", "of": "mine", "equilibrium": 0.5, "strength": 2.0, "far": 4.0},
                {"acts_on": "sappers", "of": "safe", "terms": [-0.5, 2], "far": 4.0},
            ],
        },
    },
}  # fmt: skip


def watched(*events):
    """Two sappers and somebody else, one mine at the origin."""
    society = Society(KINDS, np.array([0, 0, 1]), np.zeros((1, 2)), np.array([2]), np.zeros(3, bool))
    return Events(events, society)


def at(time, *x):
    return SwarmState.of(time, np.array([[value, 0.0, 0.0] for value in x]), np.zeros((len(x), 3)))


def test_a_landmark_changes_once_somebody_of_the_group_has_stayed():
    events = watched(Event("mine", "sappers", within=1.0, time=2.0, becomes="safe"))
    assert events.update(at(0.0, 5.0, 5.0, 0.0)) == (), "the one who is near is not of the group"
    assert events.update(at(1.0, 0.5, 5.0, 0.0)) == ()
    assert events.update(at(2.0, 5.0, 0.5, 0.0)) == (), "somebody else may take over"
    (move,) = events.update(at(3.0, 5.0, 0.5, 0.0))
    assert (move.landmark, move.group) == (0, "safe")
    assert events.update(at(9.0, 0.0, 0.0, 0.0)) == () and events.moves == (move,)


def test_a_break_begins_the_time_anew():
    events = watched(Event("mine", "sappers", within=1.0, time=2.0, becomes="safe"))
    for time, x in ((0.0, 0.5), (1.5, 3.0), (2.0, 0.5), (3.5, 0.5)):
        assert events.update(at(time, x, 5.0, 5.0)) == ()
    assert events.update(at(4.0, 0.5, 5.0, 5.0))


def test_as_many_robots_are_needed_as_the_event_says_and_events_follow_each_other():
    both = Event("mine", "", robots=3, within=1.0, becomes="armed"), Event("armed", "sappers", within=1.0, time=1.0, becomes="safe")
    events = watched(*both)
    assert events.update(at(0.0, 0.5, 0.5, 5.0)) == ()
    assert [move.group for move in events.update(at(1.0, 0.5, 0.5, 0.5))] == ["armed"]
    assert events.update(at(1.5, 0.5, 5.0, 5.0)) == ()
    assert [move.group for move in events.update(at(2.0, 0.5, 5.0, 5.0))] == ["safe"]


def test_robots_that_are_not_heard_bring_nothing_about():
    events = watched(Event("mine", "sappers", within=1.0, becomes="safe"))
    assert events.update(SwarmState.of(0.0, np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3, bool))) == ()


def test_a_robot_holds_at_the_mine_until_it_is_safe_and_then_leaves(tmp_path):
    path = tmp_path / "field.yaml"
    path.write_text(yaml.safe_dump(FIELD))
    loaded = load(str(path))
    outcome = simulate(loaded, prepare(loaded.scenario, loaded.source))
    (stage,) = outcome.summary["phases"]
    run = outcome.recorder.trajectory()
    distance = np.hypot(*run.pose[:, 0, :2].T)
    arrival = run.time[np.argmax(distance <= 0.6)]
    assert stage["name"] == "landmark 0: safe" and stage["start"] == pytest.approx(arrival + 3.0, abs=0.11)
    holding = (run.time > arrival + 0.5) & (run.time <= stage["start"])
    assert distance[holding] == pytest.approx(0.5, abs=0.1)
    assert distance[-1] > 1.5


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"of": "stone"}, "events[0].of: 'stone' found, expected one of mine, safe"),
        ({"by": "ghosts"}, "events[0].by: 'ghosts' found, expected one of sappers"),
        ({"becomes": ""}, "events[0].becomes: no group found"),
        ({"robots": 0}, "events[0].robots"),
    ],
)
def test_events_that_cannot_be_are_refused_in_one_line(tmp_path, changes, expected):
    path = tmp_path / "field.yaml"
    path.write_text(yaml.safe_dump({**FIELD, "events": [{**FIELD["events"][0], **changes}]}))
    with pytest.raises(InputError) as caught:
        load(str(path))
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_who_takes_over_knows_the_moves_so_far():
    event = Event("mine", "sappers", within=1.0, time=2.0, becomes="safe")
    first, second = watched(event), watched(event)
    for events in (first, second):
        events.update(at(0.0, 0.5, 5.0, 5.0))
    moves = first.update(at(2.0, 0.5, 5.0, 5.0))
    assert len(moves) == 1
    second.resume(moves)
    assert second.moves == moves and second.update(at(2.0, 0.5, 5.0, 5.0)) == (), "it happens once"
