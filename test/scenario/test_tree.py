from dataclasses import dataclass, fields

import pytest

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.parameters import param, short, specs
from swarm_control.errors import InputError
from swarm_control.scenario.schema import Control, RobotGroup, Scenario
from swarm_control.scenario.tree import build, change, flatten, to_data


@dataclass(frozen=True)
class Sample:
    """Parameters of every type."""

    number: float = param(1.5, "a number", unit="m", low=0.0, high=2.0)
    open_end: float = param(1.0, "a number", low=0.0)
    whole: int = param(3, "a whole number", low=1, high=9)
    flag: bool = param(True, "a flag")
    word: str = param("a", "a word", choices=("a", "b"))
    text: str = param("", "any text")
    pair: tuple[float, ...] = param((0.0, 0.0), "a pair", size=2, low=-1.0, high=1.0)
    names: tuple[str, ...] = param((), "names", choices=("x", "y", "z"))


SPECS = {spec.name: spec for spec in specs(Sample)}


@pytest.mark.parametrize(
    ("name", "given_", "expected"),
    [
        ("number", 2, 2.0), ("number", 0.0, 0.0), ("whole", 4.0, 4), ("flag", False, False), ("word", "b", "b"), ("text", "a b", "a b"),
        ("pair", [1, -1], (1.0, -1.0)), ("names", ["z", "x"], ("z", "x")), ("names", [], ()), ("open_end", 1e300, 1e300),
    ],
)  # fmt: skip
def test_values_come_back_in_the_declared_type(name, given_, expected):
    found = SPECS[name].check(given_)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("number", 2.0001), ("number", -1e-9), ("number", float("nan")), ("number", True), ("number", "1"), ("number", None),
        ("number", [1.0]), ("number", 10**400), ("open_end", 10**400), ("open_end", float("inf")), ("whole", 1.5), ("whole", 0),
        ("whole", 10**400), ("flag", 1), ("flag", "yes"), ("word", "c"), ("word", 1), ("text", 5), ("pair", [1.0]), ("pair", [1.0, 2.0]),
        ("pair", [1.0, None]), ("pair", "11"), ("pair", [True, 0.0]), ("names", ["x", "x"]), ("names", ["w"]),
        ("names", "x"), ("names", [["x"]]), ("names", [1]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_what_was_expected(name, bad):
    with pytest.raises(ValueError, match="found, expected") as caught:
        SPECS[name].check(bad)
    assert SPECS[name].expected() in str(caught.value)


def test_expectations_in_words():
    assert SPECS["number"].expected() == "a number from 0 to 2 (m)"
    assert SPECS["open_end"].expected() == "a number of at least 0"
    assert SPECS["word"].expected() == "one of a, b"
    assert SPECS["pair"].expected() == "a list of 2 numbers from -1 to 1"


def test_values_in_messages_are_short():
    loop: list[object] = []
    loop.append(loop)
    for value in (10**5000, "x" * 10**6, [list(range(1000))] * 1000, loop, {k: k for k in range(1000)}):
        assert 0 < len(short(value)) <= 40
    assert short([1, 2.5]) == "[1, 2.5]" and short("a") == "'a'"


def test_every_parameter_is_declared_with_help_and_a_default_that_is_allowed():
    names = []
    for tree in (Scenario(), Control(), RobotGroup()):
        for name, spec, value in flatten(tree):
            assert spec.help and spec.check(value) == value, name
            names.append(name)
    assert "control.separation.weight" in names and "start.spacing" in names


def test_every_behaviour_has_its_place_in_the_tree():
    hints = {f.name: f.type for f in fields(Control)}
    for name, behaviour in BEHAVIOURS.items():
        assert isinstance(getattr(Control(), name), behaviour.params), name
        assert name in hints


def test_changes_are_all_made_or_none():
    control = change(Control(), {"seek.weight": 0.5, "perception.radius": 2}, "here")
    assert (control.seek.weight, control.perception.radius) == (0.5, 2.0) and Control().seek.weight == 0.0
    for bad in ({"seek.weight": 0.5, "perception.radius": -1}, {"seek.weight": 1, "seek": 1}, {"nothing": 1}, {"period.x": 1}):
        with pytest.raises(InputError, match="here: "):
            change(Control(), bad, "here")


def test_a_tree_survives_being_written_and_read():
    control = change(Control(), {"accumulation.priority": ["seek"], "separation.law": "unit"}, "here")
    assert build(Control, to_data(control), "there") == control


def test_nothing_means_the_defaults():
    assert build(Scenario, None, "here") == Scenario()
