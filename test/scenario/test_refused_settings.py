"""Settings that do not go together, paths that lead nowhere, and declarations that no scenario file could have."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from swarm_control.errors import InputError
from swarm_control.scenario.consistency import contradictions
from swarm_control.scenario.hardware import Hardware, Tracker, Wheels
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.members import Member, members
from swarm_control.scenario.overrides import keys_of, put
from swarm_control.scenario.schema import Control, RobotGroup, Scenario, Simulator
from swarm_control.scenario.tree import build, change


@pytest.mark.parametrize(("changes", "said"), [
    (["simulator.radio_range=2"], "simulator.radio_range: 2 m found, expected 0, or simulator.onboard: true beside it"),
    (["simulator.radio_range=2", "simulator.onboard=true", "simulator.agree=false"], "simulator.agree: false found, expected true beside"),
    (["simulator.failures=[{robot: robot_0}, {robot: nobody}]"], "failures[1].robot: 'nobody' found, expected the name of a robot"),
    (["simulator.radio_range=2", "simulator.onboard=true"], ""), (["simulator.onboard=true", "simulator.agree=false"], ""),
])  # fmt: skip
def test_radios_and_failures_are_of_robots_that_have_them(changes, said):
    if not said:
        load_prepared("formation_translate", changes)
        return
    with pytest.raises(InputError) as refused:
        load_prepared("formation_translate", changes)
    assert said in str(refused.value)


def test_robots_agree_where_they_do_not_all_hear_the_same():
    assert not Simulator(onboard=True).agrees
    for name in ("radio_range", "delay", "loss", "noise_position", "noise_heading"):
        assert Simulator(**{name: 0.1}).agrees and not Simulator(**{name: 0.1}, agree=False).agrees
    assert not Simulator(noise_velocity=0.1, noise_speed=0.1, asynchronous=1.0).agrees


def test_odometry_that_is_forgotten_before_the_next_tick_is_told():
    formation = {"formation.enabled": True, "safety.command_timeout": 1.0, "period": 0.4, "formation.estimate.timeout": 0.3}
    said = "formation.estimate.timeout (0.3 s) is less than period (0.4 s): nobody counts"
    assert contradictions(change(Control(), formation, "x")) == [said]
    assert contradictions(change(Control(), {**formation, "formation.estimate.timeout": 0.4}, "x")) == []


def test_robots_go_by_their_wheels_alone_where_nothing_else_sees_them():
    for link in ("", "serial:///dev/ttyUSB{k}"):
        for source in ("none", "camera"):
            hardware = replace(Hardware(), wheels=replace(Wheels(), link=link), tracker=replace(Tracker(), source=source))
            assert hardware.by_wheels_alone == (bool(link) and source == "none")


def test_what_is_set_in_a_phase_is_one_dotted_name():
    assert keys_of("phases.0.set.separation.weight") == ["phases", "0", "set", "separation.weight"]
    assert keys_of("phases[1].set.groups.red.cohesion.weight") == ["phases", "1", "set", "groups.red.cohesion.weight"]
    assert keys_of("separation.weight") == ["control", "separation", "weight"]
    assert keys_of("groups.red.separation.weight") == ["groups", "red", "control", "separation", "weight"]


def test_a_path_through_a_value_leads_nowhere():
    with pytest.raises(InputError, match=r"^x: 'weight' is not in a mapping$"):
        put({"control": {"seek": 3}}, ("control", "seek", "weight"), 1, "x")
    data: dict[str, Any] = {}
    put(data, ("control", "seek", "weight"), 1, "x")
    assert data == {"control": {"seek": {"weight": 1}}}
    for key in ("2", "-1", "x", "9" * 10):
        with pytest.raises(InputError, match=r"^x: .* found, expected an item's number from 0 to 1$"):
            put({"robots": [{}, {}]}, ("robots", key, "count"), 1, "x")
    with pytest.raises(InputError, match=r"^x: '0' found in a list that is empty$"):
        put({}, ("robots", "0", "count"), 1, "x")


def test_rows_of_numbers_are_a_list():
    with pytest.raises(InputError, match=r"^x: robots\[0\]\.way: 3 found, a list of \[x, y, time\] was expected$"):
        build(Scenario, {"robots": [{"way": 3}]}, "x")
    found = build(RobotGroup, {"way": [[0, 1, 2], [3, 4, 5]]}, "x")
    assert found.way == ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))


@dataclass(frozen=True)
class Odd:
    """What no file has."""

    numbers: set[float] = field(default_factory=set)


def test_fields_that_scenario_files_cannot_have_are_an_error_of_the_program():
    with pytest.raises(TypeError, match=r"^numbers: set\[float\] found, expected a parameter, or a dataclass, or a list or mapping of"):
        members(Odd)


def test_what_a_member_has_to_be_is_said_in_words():
    found = {member.name: member for member in members(Scenario)}
    words = {name: found[name].expected for name in ("control", "robots", "world", "groups", "duration")}
    assert words == {"control": "a mapping", "robots": "a list of mappings", "world": "text or a mapping",
                     "groups": "a mapping of names to mappings", "duration": "a number from 0.001 to 1e+06 (s)"}  # fmt: skip
    laws = {member.name: member for member in members(type(Control().social))}["laws"]
    assert laws.expected == "a list of mappings, or of texts with one in YAML" and laws.is_list
    rows = {member.name: member for member in members(RobotGroup)}["way"]
    assert rows.expected == "a list of [x, y, time]" and rows.is_list and not found["control"].is_list
    assert Member("set", "part", "").expected == "a mapping" != Member("set", "part", "", dotted=True).expected
