"""What operators ask for, as text: what is written is read back the same, and nothing else is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.runtime.mission_state import MissionState
from swarm_control.runtime.task import STATES, TASKS, Cancel, Task, TaskState, read_request

finite = st.floats(allow_nan=False, allow_infinity=False)
settings = st.dictionaries(st.text(), st.text() | finite | st.booleans(), max_size=3)
places = st.lists(st.tuples(finite, finite, finite), max_size=3).map(tuple)
tasks = st.builds(Task, st.text(), st.sampled_from(TASKS), st.text(), places, settings, st.text())
states = st.builds(TaskState, tasks, st.sampled_from(STATES), st.text(), st.integers(0, 10**6), finite, st.none() | finite)


@given(tasks | st.builds(Cancel, st.text()))
def test_what_is_asked_is_read_back_the_same(asked):
    assert read_request(asked.to_text()) == asked


@given(st.lists(states, max_size=3))
def test_the_missions_state_carries_how_tasks_stand(found):
    state = MissionState(3, 1.5, tasks=tuple(found))
    assert MissionState.from_text(state.to_text()) == state


def test_states_from_before_there_were_tasks_are_read():
    data = json.loads(MissionState(3, 1.5).to_text())
    del data["tasks"]
    assert MissionState.from_text(json.dumps({**data, "version": 2})) == MissionState(3, 1.5)
    with pytest.raises(ValueError, match="expected an object with"):
        MissionState.from_text(json.dumps(data))


def test_what_is_not_said_is_empty():
    assert read_request('{"version": 1, "kind": "go", "id": "a", "goals": [[1, 2], [3, 4, 90]]}') == Task(
        "a", "go", goals=((1.0, 2.0, 0.0), (3.0, 4.0, 90.0))
    )


DAMAGED = {
    "nothing": ("", "task: '' found, expected a JSON object"),
    "a list": ("[]", "task: [] found"),
    "no version": ('{"kind": "go"}', "task.version: None found, expected 1"),
    "an unknown kind": ('{"version": 1, "kind": "fly"}', "task.kind: 'fly' found, expected one of go, form, hold, phase"),
    "no kind": ('{"version": 1}', "task: "),
    "an unknown member": ('{"version": 1, "kind": "go", "speed": 1}', "task: "),
    "a goal without y": ('{"version": 1, "kind": "go", "goals": [[1]]}', "task.goals[0]: [1] found, expected x, y"),
    "a goal that is no number": ('{"version": 1, "kind": "go", "goals": [[1, NaN]]}', "task.goals[0]: nan found"),
    "settings that are none": ('{"version": 1, "kind": "form", "settings": []}', "task.settings: [] found"),
    "a task to cancel that has no name": ('{"version": 1, "cancel": 3}', "task.cancel: 3 found"),
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.values(), ids=DAMAGED)
def test_anything_else_is_refused_in_one_line(text, message):
    with pytest.raises(ValueError) as caught:
        read_request(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)
