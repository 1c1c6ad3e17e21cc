import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from swarm_control import paths
from swarm_control.core.parameters import param, table
from swarm_control.errors import InputError
from swarm_control.scenario.json_schema import json_schema
from swarm_control.scenario.members import flat, members
from swarm_control.scenario.models import with_models
from swarm_control.scenario.reference import keys
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.tree import build, to_data
from swarm_control.scenario.yaml_text import read_yaml

ROOT = Path(__file__).parents[2]
FLAT = {
    name: spec for name, cls, spec in flat(Scenario) if spec.item in (float, str) and not hasattr(cls, "__post_init__")
}
"""Parameters that are good or bad by themselves: no lists of mappings, and none in a dataclass that looks at several together."""


@cache
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(json_schema())
    return Draft202012Validator(json_schema())


def test_the_files_are_what_the_command_makes_now(tmp_path):
    subprocess.run([sys.executable, ROOT / "docs/make_parameters.py", tmp_path], check=True, timeout=300)
    for name in ("docs/parameters.md", "config/scenario.schema.json"):
        assert (tmp_path / name).read_text() == (ROOT / name).read_text(), f"python docs/make_parameters.py makes another {name}"


def test_every_key_is_listed_with_help():
    page = (ROOT / "docs/parameters.md").read_text()
    found = {key.path: key for key in keys()}
    for path in ("robots[].start.poses", "robots[].way", "phases[].set", "events[].becomes", "world", "control.social.moves[].landmark",
                 "control.social.laws[].spring", "simulator.failures[].robot", "goals[].part", "landmarks[].shape"):  # fmt: skip
        assert path in found and f"| `{path}` |" in page, path
    listed_elsewhere = tuple(f"{path}." for path in re.findall(r"^\| `(\S+)` \|.*\| as `\S+` \|$", page, re.MULTILINE))
    for path, key in found.items():
        assert key.member.help, path
        if key.member.of is None and not path.startswith(("phases[].set.", "groups.", *listed_elsewhere)):
            assert f"| `{path}` |" in page, path


def test_whatever_a_scenario_holds_is_listed():
    """Walks the values instead of the declarations."""

    def walk(data, path):
        for key, value in data.items():
            yield f"{path}{key}"
            items = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
            for item in items:
                if isinstance(item, dict) and key != "set":
                    yield from walk(item, f"{path}{key}{'[]' if isinstance(value, list) else ''}.")

    listed = {key.path for key in keys()}
    for file in paths.scenarios().values():
        data = read_yaml(file)
        unlisted = set(walk(to_data(build(Scenario, with_models(data, file), str(file))), "")) - listed
        assert not {path for path in unlisted if not path.startswith(("groups.", "models."))}, file.name


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_shipped_scenarios_are_valid(name):
    data = read_yaml(paths.scenarios()[name])
    whole = with_models(data, paths.scenarios()[name])
    assert [f"{error.json_path}: {error.message}" for error in validator().iter_errors(data)] == []
    assert validator().is_valid(to_data(build(Scenario, whole, name)))


@pytest.mark.parametrize(
    "data",
    [
        {"wurld": "x"}, {"control": {"separation": {"wieght": 1}}}, {"control": {"separation": {"weight": -1}}}, {"duration": "long"},
        {"control": {"separation": {"weight": 101}}}, {"robots": [{"model": 3}]}, {"robots": {"count": 2}},
        {"robots": [{"count": 1.5}]},
        {"goals": [{"position": [1]}]}, {"goals": [{"position": [1, "2"]}]}, {"robots": [{"start": {"poses": [[0, 0]]}}]}, {"world": 3},
        {"world": {"area": 2}}, {"phases": [{"set": {"separation.wait": 1}}]}, {"phases": [{"set": {"separation.weight": -1}}]},
        {"control": {"accumulation": {"priority": ["sink"]}}}, {"control": {"separation_filter": {"enabled": 1}}},
        {"events": [{"off": "a"}]},
        {"control": {"social": {"laws": [{"equilibrum": 1}]}}}, {"simulator": {"failures": [{"robot": 1}]}}, [], None,
        {"phases": [{"set": {"groups.a.separation.wieght": 1}}]}, {"phases": [{"set": {"groups.a.control.period": 1}}]},
        {"phases": [{"set": {"groups.a.separation.weight": -1}}]}, {"phases": [{"set": {"groups.a.period": 1}}]},
        {"phases": [{"set": {"groups.a.safety.command_timeout": 1}}]}, {"groups": {"a": {"control": {"period": 0.1}}}},
        {"groups": {"a": {"control": {"safety": {"odometry_timeout": 0.1}}}}},
    ],
)  # fmt: skip
def test_what_the_loader_refuses_is_not_valid(data):
    assert not validator().is_valid(data)


@pytest.mark.parametrize(
    "data",
    [
        {}, {"control": None}, {"world": "a.world"}, {"world": None}, {"world": {"area_per_robot": 2}}, {"duration": 3}, {"seed": 3.0},
        {"control": {"social": {"laws": ["{spring: 1}", {"spring": 1}]}}}, {"phases": [{"start": 1, "set": {"separation.weight": 0.5}}]},
        {"phases": [{"set": {"groups.a.separation.weight": 1, "groups.the b.formation.spacing": 1}}]},
        {"groups": {"a": {"control": {"safety": {"speed_cap": 0.1}, "separation": None}}, "b": {"control": {"safety": None}}}},
        {"robots": [{"way": [[0, 0, 0], [1, 2.5, 3]], "role": "leading"}]}, {"robots": [{"start": {"poses": [[0, 0, 90]]}}]},
    ],
)
def test_what_the_loader_takes_is_valid(data):
    build(Scenario, data, "here")
    assert validator().is_valid(data)


def good(spec):
    """Values within a declaration."""
    if spec.type is bool:
        return st.booleans()
    if spec.type is str:
        return st.sampled_from(spec.choices) if spec.choices else st.text(max_size=5)
    if spec.type is tuple and spec.choices:
        return st.lists(st.sampled_from(spec.choices), unique=True, max_size=4)
    low, high = max(spec.low, -1e9), min(spec.high, 1e9)
    number = st.floats(low, high) if spec.type is not int else st.integers(int(low), int(high))
    if spec.type is tuple:
        item = st.text(max_size=4) if spec.item is str else number
        return st.lists(item, min_size=spec.size, max_size=spec.size or 4)
    return number


def bad(spec):
    """Values of another type, out of bounds, or not among the choices."""
    wrong = [st.just({"a": 1}), st.none()]
    if spec.type is not bool:
        wrong.append(st.booleans())
    if spec.type is not str:
        wrong.append(st.text(max_size=3))
    elif spec.choices:
        wrong.append(st.text(max_size=6).filter(lambda text: text not in spec.choices))
    if spec.type in (float, int):
        wrong += [st.just(bound + sign * (abs(bound) + 1)) for bound, sign in ((spec.low, -1), (spec.high, 1)) if abs(bound) < 1e300]
    if spec.type is int:
        wrong.append(st.just(0.5))
    if spec.type is tuple:
        wrong += [st.just(1.0), st.just([None]), st.just([0.0] * (spec.size + 1) if spec.size else [True])]
    return st.one_of(wrong)


def nested(name, value):
    """The tree with one parameter."""
    for key in reversed(name.split(".")):
        value = {key: value}
    return value


CHANGES = st.sampled_from(sorted(FLAT))


@settings(deadline=None, max_examples=400)
@given(CHANGES.flatmap(lambda name: st.tuples(st.just(name), good(FLAT[name]))))
def test_values_within_the_declarations_are_loaded_and_valid(change):
    data = nested(*change)
    build(Scenario, data, "here")
    assert validator().is_valid(data) and validator().is_valid({"phases": [{"set": as_phase(*change)}]})


@settings(deadline=None, max_examples=400)
@given(CHANGES.flatmap(lambda name: st.tuples(st.just(name), bad(FLAT[name]))))
def test_values_beyond_the_declarations_are_neither_loaded_nor_valid(change):
    data = nested(*change)
    with pytest.raises(InputError):
        build(Scenario, data, "here")
    assert not validator().is_valid(data)


def as_phase(name, value):
    """The change as a phase may make it, if it may."""
    return {name.removeprefix("control."): value} if name.startswith("control.") else {}


@dataclass(frozen=True)
class Inner:
    """Something inside."""

    size: float = param(1.0, "how large", unit="m", low=0.0)
    rows: tuple[tuple[float, ...], ...] = table("places", columns=("x", "y"), unit="m, m", low=0.0, high=1.0)


@dataclass(frozen=True)
class Outer:
    """Something that holds others by name."""

    named: dict[str, Inner] = field(default_factory=dict)
    inner: tuple[Inner, ...] = ()


def test_mappings_of_groups_are_walked():
    assert [key.path for key in keys(Outer)] == [
        "named", "named.<name>.size", "named.<name>.rows", "inner", "inner[].size", "inner[].rows",
    ]  # fmt: skip
    assert [member.expected for member in members(Inner)] == ["a number of at least 0 (m)", "a list of [x, y]"]
    assert [member.help for member in members(Outer)] == ["Something inside", "Something inside"]
