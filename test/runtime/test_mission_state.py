"""The text form of a mission's state: whatever is written is read back the same, and nothing else is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.runtime.mission_state import KINDS, Entry, MissionState, Progress
from swarm_control.social.moves import Move

finite = st.floats(allow_nan=False, allow_infinity=False)
fraction = st.floats(0.0, 1.0)
entries = st.builds(Entry, st.sampled_from(KINDS), st.text(), finite, st.none() | finite, st.none() | fraction)
moves = st.builds(Move, st.integers(0, 10**7), st.text(min_size=1).filter(lambda name: all(part.strip() for part in name.split(","))))


@st.composite
def progresses(draw):
    goals = tuple(draw(st.lists(st.tuples(finite, finite), max_size=4)))
    index = draw(st.integers(0, max(len(goals) - 1, 0)))
    return Progress(
        index, goals, draw(st.booleans()), draw(st.none() | fraction), draw(st.none() | finite), draw(st.none() | finite),
        draw(st.none() | st.integers(0, 10**6)), tuple(draw(st.lists(entries, max_size=4))),
        tuple(draw(st.lists(moves, max_size=3))),
    )  # fmt: skip


states = st.builds(MissionState, st.integers(0), finite, progresses(), st.dictionaries(st.text(), progresses(), max_size=3))
GIVEN = MissionState(
    7, 12.5, Progress(1, ((4.0, 0.0), (8.0, 1.5)), False, 0.4, None, 2.0, 3, (Entry("goal", "goal 1", 0.0, 9.5, 1.0),), (Move(3, "safe"),)),
)  # fmt: skip


@given(states)
def test_what_is_written_is_read_back_the_same(state):
    assert MissionState.from_text(state.to_text()) == state


def test_results_are_the_entries_by_their_start_without_their_kind():
    phases = (Entry("goal", "goal 1", 1.0, 2.0, 0.9), Entry("phase", "rest", 0.5))
    assert Progress(arrived_fraction=0.9, arrival_time=2.0, jam_time=3.0, jams=1, phases=phases).results() == {
        "arrived_fraction": 0.9, "arrival_time": 2.0, "jam_time": 3.0, "jams": 1, "phases": [
            {"name": "rest", "start": 0.5, "end": None, "arrived_fraction": None},
            {"name": "goal 1", "start": 1.0, "end": 2.0, "arrived_fraction": 0.9},
        ],
    }  # fmt: skip
    assert Progress().results() == {
        "arrived_fraction": None, "arrival_time": None, "jam_time": None, "jams": None, "phases": [],
    }  # fmt: skip
    assert Progress().target is None and GIVEN.swarm.target == (8.0, 1.5)


def changed(*path, value):
    """The text of a state with the member at ``path`` replaced."""
    data = json.loads(GIVEN.to_text())
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data)


DAMAGED = {
    "nothing": ("", "mission: ''"),
    "no JSON": (GIVEN.to_text()[:-5], "expected a JSON object"),
    "a list": ("[]", "expected a JSON object"),
    "no version": (json.dumps({"number": 1}), "mission.version: None found, expected 3"),
    "another version": (changed("version", value=1), "mission.version: 1 found, expected 3"),
    "a version that only compares equal": (changed("version", value=True), "mission.version: True"),
    "an unknown member": (changed("swarm", "speed", value=1.0), "mission.swarm: "),
    "an index without a goal": (changed("swarm", "goal_index", value=2), "mission.swarm.goal_index: 2 found, expected one of 2 goals"),
    "a negative number": (changed("number", value=-1), "mission.number: -1"),
    "no number": (changed("time", value=float("nan")), "mission.time: nan"),
    "a number that is too large": (changed("time", value=10**400), "mission.time: "),
    "an unknown kind": (changed("swarm", "phases", 0, "kind", value="stage"), "mission.swarm.phases[0].kind: 'stage' found"),
    "more than all": (changed("swarm", "arrived_fraction", value=1.5), "arrived_fraction: 1.5 found, expected a number from 0 to 1"),
    "a goal in space": (changed("swarm", "goals", 1, value=[1.0, 2.0, 3.0]), "mission.swarm.goals[1]: [1.0, 2.0, 3.0] found"),
    "a move into no group": (changed("swarm", "moves", 0, "group", value=" "), "mission.swarm.moves[0].group: ' ' found"),
    "groups that are none": (changed("groups", value=[]), "mission.groups: [] found, expected an object"),
    "neither true nor false": (changed("swarm", "done", value=1), "mission.swarm.done: 1 found, expected true or false"),
    "no list": (changed("swarm", "phases", value={}), "mission.swarm.phases: {} found, expected a list"),
    "no text": (changed("swarm", "phases", 0, "name", value=3), "mission.swarm.phases[0].name: 3 found, expected a text"),
    "a fraction of less than nothing": (changed("swarm", "arrived_fraction", value=-0.1), "expected a number from 0 to 1"),
    "half a robot's number": (changed("swarm", "jams", value=0.5), "mission.swarm.jams: 0.5 found, expected a whole number from 0"),
    "a group that is none": (changed("groups", value={"a\nb": 3}), "mission.groups.'a\\nb': 3 found"),
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.values(), ids=DAMAGED)
def test_anything_else_is_refused_in_one_line(text, message):
    with pytest.raises(ValueError) as caught:
        MissionState.from_text(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@given(st.data())
def test_a_text_with_a_member_missing_is_refused(data):
    state = json.loads(data.draw(states).to_text())
    for inner in (state, state["swarm"], *state["swarm"]["phases"], *state["groups"].values()):
        key = data.draw(st.sampled_from(sorted(inner)))
        value = inner.pop(key)
        with pytest.raises(ValueError, match="expected"):
            MissionState.from_text(json.dumps(state))
        inner[key] = value


def test_what_is_not_finite_is_not_written():
    with pytest.raises(ValueError, match="JSON"):
        MissionState(time=float("inf")).to_text()
