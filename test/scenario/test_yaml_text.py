import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control, Landmarks
from swarm_control.scenario.tree import build, change
from swarm_control.scenario.yaml_text import dump_yaml, parse_yaml

NUMBERS = {
    "1e-1": 0.1, "1E3": 1000.0, "-2e5": -2e5, "+1e2": 100.0, "1.5e3": 1500.0, "2.e2": 200.0, "-.5": -0.5, "+.5e1": 5.0, ".5E-1": 0.05,
    "0e0": 0.0, "1e-01": 0.1, "1.0": 1.0, "12": 12, "-3": -3, "1_000.5": 1000.5, "1.0e+3": 1000.0,
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_read_as_in_yaml_1_2_wherever_they_stand(text):
    for place in ("{}", "a: {}", "[{}]", "{{a: {}}}"):
        found = parse_yaml(place.format(text), "here")
        found = next(iter(found.values())) if isinstance(found, dict) else found[0] if isinstance(found, list) else found
        assert found == NUMBERS[text] and type(found) is type(NUMBERS[text])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("on", True), ("no", False), ("off", False), ("true", True), ("~", None), ("1e", "1e"), ("e1", "e1"),
        ("1e1.5", "1e1.5"),
        ("-", [None]), ("1-e1", "1-e1"), ("'1e1'", "1e1"), ('"1e1"', "1e1"), ("!!str 1e1", "1e1"), (".", "."), ("1e5m", "1e5m"),
        ("0x1e3", 0x1E3),
    ],
)  # fmt: skip
def test_all_else_is_read_as_before(text, value):
    assert parse_yaml(text, "here") == value


def test_numbers_in_files_changes_and_texts_of_parameters(tmp_path):
    (tmp_path / "s.yaml").write_text("duration: 1e1\nrobots: [{count: 1e1, radius: 3e-2}]\ngoals: [{position: [1e0, -2e-1]}]")
    changes = ["separation.weight=1e-1", "robots.0.max_speed=5E-1", "seed=+1e2", "robots=2e1"]
    scenario = load(str(tmp_path / "s.yaml"), changes).scenario
    assert scenario.duration == 10.0 and scenario.goals[0].position == (1.0, -0.2) and scenario.seed == 100
    group = scenario.robots[0]
    assert (group.count, group.radius, group.max_speed) == (20, 0.03, 0.5) and scenario.control.separation.weight == 0.1
    laws = change(Control(), {"social.laws": ["{equilibrium: 1e-1, terms: [-1e0, 2E0]}"]}, "parameter").social.laws
    assert laws[0].equilibrium == 0.1 and laws[0].terms == (-1.0, 2.0)
    assert build(Landmarks, parse_yaml("{group: a, points: [1e1, -.5]}", "here"), "here").points == (10.0, -0.5)


def test_a_text_that_is_not_yaml_is_refused_with_its_place():
    with pytest.raises(InputError, match=r"^here: social.laws\[0\]: not YAML"):
        change(Control(), {"social.laws": ["{"]}, "here")
    with pytest.raises(InputError, match=r"^here:2: not YAML.*twice"):
        parse_yaml("a: 1\na: 2", "here")


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
    | st.from_regex(r"[-+.]?[0-9]{0,3}\.?[0-9]{0,2}([eE][-+]?[0-9]{1,3})?", fullmatch=True)
    | st.sampled_from(("1e-1", "1E3", "-2e5", "+1e2", ".5", "-.5", "on", "off", "yes", "no", "null", "~", "1:30", "0o7", "08", "<<", "="))
)  # fmt: skip
KEYS = st.text(max_size=5) | st.sampled_from(("1e1", "on", "a", "<<"))
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=10)


@given(DATA, st.booleans())
def test_what_is_written_is_read_as_the_same(data, one_line):
    assert same(parse_yaml(dump_yaml(data, one_line=one_line), "here"), data)


def same(a, b):
    """Equal, and of the same types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and (not isinstance(a, float) or math.copysign(1.0, a) == math.copysign(1.0, b))
