"""What registers declares its parameters so that scenario files can be written and read with them."""

import os
import subprocess
import sys
from dataclasses import dataclass, field, replace

import pytest
from test_entry_points import install

from swarm_control.core.behaviour import Behaviour
from swarm_control.core.declared import check_declared
from swarm_control.core.parameters import param
from swarm_control.robots import ROBOTS
from swarm_control.scenario.schema import Scenario


@dataclass(frozen=True)
class Whole:
    """Well declared, with a group."""

    weight: float = param(0, "a whole number will do for a number")
    colour: str = param("red", "one of two", choices=("red", "blue"))
    place: tuple[float, ...] = param((), "numbers")


@dataclass(frozen=True)
class Nested:
    """A group in a group."""

    weight: float = param(0.0, "weight")
    inner: Whole = field(default_factory=Whole)


def declaring(kind, default, **more):
    """A dataclass with a weight and a parameter of this kind."""
    more = {"help": "help", **more}
    made = type("Made", (), {"weight": param(0.0, "weight"), "x": param(default, **more), "__annotations__": {"weight": float, "x": kind}})
    return dataclass(frozen=True)(made)


WRONG = {
    "a text for a number": (declaring(float, "much"), "Made.x: the default 'much' found, expected a number"),
    "above the bound": (declaring(float, 3.0, high=2.0, low=0.0), "Made.x: the default 3.0 found, expected a number from 0 to 2"),
    "no choice": (declaring(str, "green", choices=("red", "blue")), "expected one of red, blue"),
    "a number for a text": (declaring(str, 1), "expected text"),
    "half a whole number": (declaring(int, 0.5), "expected a whole number"),
    "a list too short": (declaring(tuple[float, ...], (1.0,), size=2), "expected a list of 2 numbers"),
    "another type": (declaring(dict, frozenset()), "Made.x: the type <class 'dict'> found, expected one of bool, int"),
    "none by default": (declaring(float | None, None), "expected one of bool, int"),
    "no param": (
        dataclass(frozen=True)(type("Made", (), {"x": 1.0, "__annotations__": {"x": float}})), "Made.x: a field that is no parameter"
    ),
    "no dataclass": (dict, "expected a dataclass of parameters"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_could_not_be_read_again_is_refused(what):
    cls, message = WRONG[what]
    with pytest.raises(ValueError) as refused:
        check_declared(cls)
    assert message in str(refused.value) and "\n" not in str(refused.value)
    with pytest.raises(ValueError, match="robot omni: "):
        replace(ROBOTS["omni"], parameters=cls)
    with pytest.raises(ValueError, match="behaviour waltz: "):
        Behaviour("waltz", cls, test_what_could_not_be_read_again_is_refused, 1.0)


@pytest.mark.parametrize("cls", [Whole, Nested, Scenario])
def test_what_is_declared_well_is_taken(cls):
    check_declared(cls)


def test_a_weight_is_a_number():
    cls = dataclass(frozen=True)(type("Made", (), {"weight": param("much", "weight"), "__annotations__": {"weight": str}}))
    with pytest.raises(ValueError, match="called weight, a float"):
        Behaviour("waltz", cls, test_a_weight_is_a_number, 1.0)


PLUGIN = '''"""A plugin."""
from dataclasses import dataclass
import sys
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.parameters import param
{first}

@dataclass(frozen=True)
class Params:
    weight: float = param({weight}, "weight")

@register_behaviour(Params, priority=5)
def {name}(state, seen, around, params):
    """Nothing."""
'''


@pytest.mark.parametrize(("plugin", "said"), [
    ({"name": "period"}, "behaviour 'period' found, which Control has a field of, expected another name"),
    ({"name": "formation"}, "behaviour 'formation' found, which Control has a field of, expected another name"),
    ({"weight": "'much'"}, "ValueError: behaviour waltz: Params.weight: the default 'much' found, expected a number"),
    ({"first": "sys.exit(3)"}, "cannot be loaded: SystemExit: 3"),
])  # fmt: skip
def test_a_plugin_that_cannot_be_is_one_line_with_its_name(plugin, said, tmp_path):
    (tmp_path / "dance.py").write_text(PLUGIN.format(**{"name": "waltz", "weight": "0.0", "first": "", **plugin}))
    install(tmp_path, "dance-1.0", "[swarm_control.behaviours]\nwaltz = dance\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", os.getcwd())))}
    words = [sys.executable, "-m", "swarm_control.cli.main", "simulate", "flock_frame", "--duration", "0.1", "--out", str(tmp_path / "out")]
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("swarm: plugin dance (swarm_control.behaviours): ") and said in done.stderr
    assert done.stderr.count("\n") == 1
