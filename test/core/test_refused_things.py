"""What cannot be registered is refused, with what it is called, what was found and what was expected."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from swarm_control.core.behaviour import Behaviour
from swarm_control.core.declared import check_declared
from swarm_control.core.open_group import open_group
from swarm_control.core.parameters import param
from swarm_control.core.registry import Registry
from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS


@dataclass(frozen=True)
class Steps:
    """Parameters of a dance."""

    weight: float = param(0.0, "weight")


def waltz(state, seen, around, params):
    """Turn.

    Not said in the list.
    """


def silent(state, seen, around, params): ...


def test_a_behaviour_attends_to_everyone_or_to_its_group_and_says_what_it_does():
    assert Behaviour("waltz", Steps, waltz, 1.0, attends="group").help == "Turn."
    with pytest.raises(ValueError, match=r"^behaviour waltz: attends 'nobody' found, expected one of everyone, group$"):
        Behaviour("waltz", Steps, waltz, 1.0, attends="nobody")
    with pytest.raises(ValueError, match=r"^behaviour waltz: no docstring found, expected one that says in its first line what it does$"):
        Behaviour("waltz", Steps, silent, 1.0)


def test_a_behaviour_hears_of_all_always_never_or_as_its_parameters_say():
    far = Behaviour("waltz", Steps, waltz, 1.0, sees_all=lambda control: control.waltz.weight > 2.0)
    for weight in (1.0, 3.0):
        control = SimpleNamespace(waltz=Steps(weight))
        assert far.hears_all(control) == (weight > 2.0)
        assert Behaviour("waltz", Steps, waltz, 1.0, sees_all=True).hears_all(control)
        assert not Behaviour("waltz", Steps, waltz, 1.0).hears_all(control)


def test_a_robot_is_moved_by_one_simulator_and_rolls_or_glides_in_gazebo():
    omni, hopper = ROBOTS["omni"], ROBOTS["hopper"]
    for wrong in ({"actuate": None}, {"body": hopper.body}):
        with pytest.raises(ValueError, match="robot omni: expected either an actuation for the planar engine or a body for MuJoCo"):
            replace(omni, **wrong)
    for gazebo in ("", "wheels", "glides"):
        assert replace(omni, gazebo=gazebo).gazebo == gazebo
    with pytest.raises(ValueError, match="robot omni: gazebo 'hops' found, expected wheels or glides"):
        replace(omni, gazebo="hops")


def test_every_parameter_needs_a_default():
    @dataclass(frozen=True)
    class Needy:
        inner: Steps

    with pytest.raises(ValueError, match=r"^Needy: .*inner.*; expected a default for every field$"):
        check_declared(Needy)


def test_a_name_is_an_identifier_and_nobody_elses():
    dances = Registry("dance", "none")
    known = dances.add(SimpleNamespace(name="waltz"))
    for name in ("fox trot", "2step", "fox-trot", ""):
        with pytest.raises(ValueError, match=f"^dance {name!r} found, expected a name of letters, digits and _$"):
            dances.add(SimpleNamespace(name=name))
    with pytest.raises(ValueError, match=r"^dance 'waltz' is registered already, expected another name$"):
        dances.add(SimpleNamespace(name="waltz"))
    assert dict(dances) == {"waltz": known}


def test_a_group_takes_no_parameters_whose_name_it_has():
    dances = Registry("dance", "none")
    dances.add(SimpleNamespace(name="waltz", params=Steps))

    @open_group(dances, lambda dance: dance.params, after="first")
    @dataclass(frozen=True)
    class Ball:
        door: Steps = field(default_factory=Steps)
        first: Steps = field(default_factory=Steps)
        last: Steps = field(default_factory=Steps)

    assert list(Ball.__dataclass_fields__) == ["door", "first", "waltz", "last"]
    with pytest.raises(ValueError, match=r"^dance 'last' found, which Ball has a field of, expected another name$"):
        dances.add(SimpleNamespace(name="last", params=Steps))
    dances._plugins["last"] = "plugin dance"
    with pytest.raises(InputError, match=r"^plugin dance: dance 'last' found, which Ball has a field of"):
        dances.add(SimpleNamespace(name="last", params=Steps))
    dances.add(SimpleNamespace(name="rest", params=None))
    dances.add(SimpleNamespace(name="polka", params=Steps))
    assert list(Ball.__dataclass_fields__) == ["door", "first", "waltz", "polka", "last"] and Ball().polka == Steps()
