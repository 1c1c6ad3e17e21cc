"""What pages may say: exactly that, and a clear word about anything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.dashboard.protocol import TYPES, Command, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4), max_leaves=12,
)  # fmt: skip


@given(st.text() | JSON.map(json.dumps) | st.dictionaries(st.just("type"), st.sampled_from(sorted(TYPES))).map(json.dumps))
def test_junk_is_refused_in_one_line_or_understood(text):
    try:
        assert parse(text).type in TYPES
    except ValueError as error:
        assert "expected" in str(error) and "\n" not in str(error) and len(str(error)) < 300


def test_what_is_meant_is_understood():
    assert parse('{"type": "stop", "on": true, "id": 4}') == Command("stop", {"on": True}, 4)
    assert parse('{"type": "stop", "on": false, "seen": "[]"}').fields == {"on": False, "seen": "[]"}
    assert parse('{"type": "goal", "x": 1, "y": -2.5, "yaw": null}').fields == {"x": 1, "y": -2.5, "yaw": None}
    assert parse('{"type": "set", "changes": {"separation.weight": "abc"}}').fields["changes"] == {"separation.weight": "abc"}


@pytest.mark.parametrize("text, words", [
    ("hello", "'hello' found, expected a JSON object"), ("[1]", "[1] found, expected a JSON object"),
    ('{"type": "fly"}', "type 'fly' found, expected one of ack, watch"),
    ('{"type": "stop"}', "stop with [] found, expected on"),
    ('{"type": "stop", "on": 1}', "stop: on 1 found, expected true or false"),
    ('{"type": "stop", "on": false}', "stop: on false without seen found, expected the stops that are to be let go"),
    *(('{"type": "stop", "on": false, "seen": ' + json.dumps(seen) + "}", "found, expected the stops that a status told of")
      for seen in ("", "garbage[[[", '[["a", 1, 0, 0]]', '[["a", 1, 2]]', "[" * 50_000, [], None)),
    ('{"type": "goal", "x": NaN, "y": 0, "yaw": 0}', "goal: x nan found, expected a finite number"),
    ('{"type": "goal", "x": 1e400, "y": 0, "yaw": 0}', "goal: x inf found, expected a finite number"),
    ('{"type": "place", "robot": 1.5, "x": 0, "y": 0, "yaw": 0}', "place: robot 1.5 found, expected a whole number"),
    ('{"type": "reset", "more": 1}', "reset with ['more'] found, expected nothing else"),
    ("[" * 100_000, "expected a JSON object"),
])  # fmt: skip
def test_what_is_wrong_is_named(text, words):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert words in str(error.value)
