"""Groups' settings: trees over the common one, changes and differences, and what is refused with one line."""

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.errors import InputError
from swarm_control.scenario.groups import Controls, controls_of, flocks, forms, squads
from swarm_control.scenario.loader import load_prepared, loaded_from
from swarm_control.scenario.tree import flatten, to_data
from swarm_control.sim.engines import make_engine
from swarm_control.sim.plant import Plant

SCENARIO = {
    "robots": [
        {"count": 3, "group": "red"}, {"count": 4, "group": "blue", "start": {"center": [4.0, 0.0]}},
        {"count": 2, "start": {"center": [-4.0, 0.0]}},
    ],
    "control": {"separation": {"weight": 0.5}},
    "goals": [{"position": [1.0, 1.0]}],
    "groups": {"red": {"control": {"separation": {"weight": 0.8}}}, "blue": {"goals": [{"position": [3.0, 0.0]}]}},
    "phases": [{"start": 1.0, "set": {"groups.red.cohesion.weight": 0.3}}],
}  # fmt: skip


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "groups.yaml"
    path.write_text(yaml.safe_dump(SCENARIO, sort_keys=False))
    return path


NAMES = ("separation.weight", "cohesion.weight", "perception.radius", "formation.enabled", "formation.members")
GROUPS = ("red", "blue", "green")


def value(name):
    numbers = st.sampled_from([0.5, 1.0, 2.0])
    texts = st.lists(st.sampled_from(["robot_0", "robot_1"]), unique=True, max_size=2)
    return st.booleans() if name.endswith("enabled") else texts if name.endswith("members") else numbers


CHANGES = st.dictionaries(
    st.sampled_from([*NAMES, *(f"groups.{group}.{name}" for group in GROUPS for name in NAMES)]), st.just(None), max_size=6
).flatmap(lambda found: st.fixed_dictionaries({name: value(name) for name in found}))  # fmt: skip
OWN = st.lists(st.sampled_from(GROUPS), min_size=1, unique=True)


def controls(groups=GROUPS):
    from swarm_control.scenario.schema import Control

    return Controls(Control(), {group: {} for group in groups}, frozenset(groups))


def trees(found):
    return {group: list(flatten(found.of(group))) for group in ("", *found.own)}


@settings(max_examples=60, deadline=None)
@given(CHANGES, CHANGES)
def test_differences_lead_from_one_state_to_the_other(first, second):
    old, new = controls().change(first, "test"), controls().change(second, "test")
    assert trees(old.change(new.differences(old), "test")) == trees(new)
    assert new.differences(new) == {}


@settings(max_examples=60, deadline=None)
@given(CHANGES, st.sampled_from(NAMES).flatmap(lambda name: st.tuples(st.just(name), value(name))))
def test_a_group_keeps_its_own_and_follows_the_rest(changes, later):
    before, (name, wanted) = controls().change(changes, "test"), later
    after = before.change({name: wanted}, "test")
    known, former = ({one: value for one, _, value in found.flatten()} for found in (after, before))
    assert known[name] == (tuple(wanted) if isinstance(wanted, list) else wanted)
    for group in GROUPS:
        full = f"groups.{group}.{name}"
        assert known[full] == (former[full] if full in changes else known[name])
        assert (full in before.followers(name)) == (full not in changes)


@pytest.mark.parametrize("name", ["period", "safety.command_timeout", "groups.red.cohesion.weight"])
def test_what_is_common_to_all_and_what_is_a_groups_own_nobody_follows(name):
    assert controls().followers(name) == []


@settings(max_examples=15, deadline=None)
@given(CHANGES)
def test_all_values_together_lead_to_the_same_and_only_what_is_needed_is_named(changes):
    found = controls().change(changes, "test")
    values = {name: value for name, _, value in found.flatten() if name != "period"}
    assert trees(controls().change(values, "test")) == trees(found)
    needed = controls().needed(values)
    assert trees(controls().change(needed, "test")) == trees(found)
    assert {name for name in needed if name.startswith("groups.")} <= changes.keys()


def test_a_change_is_made_as_a_whole_or_not_at_all():
    before = controls(["red"])
    with pytest.raises(InputError, match=re.escape("test: groups.red.separation.weight: -1")):
        before.change({"cohesion.weight": 2.0, "groups.red.separation.weight": -1}, "test")
    assert before.common.cohesion.weight == 0.0 or trees(before) == trees(controls(["red"]))


def test_robots_in_no_group_are_a_squad_and_go_with_groups_without_goals(file):
    loaded, setup = load_prepared(str(file))
    parts = squads(loaded.scenario.groups, setup.society)
    assert [(part.name, part.robots.tolist()) for part in parts] == [("", [7, 8]), ("red", [0, 1, 2]), ("blue", [3, 4, 5, 6])]
    teams = flocks(loaded.scenario, parts)
    assert [(team.name, team.robots.tolist()) for team in teams] == [("", [0, 1, 2, 7, 8]), ("blue", [3, 4, 5, 6])]


def test_a_phase_that_sets_a_formation_makes_the_group_keep_one(file):
    loaded, setup = load_prepared(str(file), ['phases.0.set={"groups.red.formation.enabled": true}'])
    assert [flock.name for flock in flocks(loaded.scenario, squads(loaded.scenario.groups, setup.society))] == ["", "red", "blue"]
    with pytest.raises(InputError, match="red has no formation of its own"):
        controls_of(load_prepared(str(file))[0].scenario, "x").change({"groups.red.formation.enabled": True}, "x")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("duration=3", False), ("formation.enabled=true", True), ("groups.red.formation={enabled: false}", False),
        ("groups.red.formation.enabled=true", True), ("phases.0.set={formation.enabled: true}", True),
        ("phases.0.set={groups.red.formation.enabled: true}", True), ("phases.0.set={groups.red.formation.enabled: false}", False),
    ],
)  # fmt: skip
def test_robots_form_where_a_formation_is_on_at_any_time_and_odometry_goes_by_it(file, change, expected):
    loaded, setup = load_prepared(str(file), [change])
    assert forms(loaded.scenario) == expected
    assert Plant(loaded.scenario, setup, make_engine(loaded, setup))._forms == expected


def test_it_is_the_same_written_and_read_again(file):
    scenario = load_prepared(str(file))[0].scenario
    again = loaded_from(scenario).scenario
    assert to_data(again) == to_data(scenario)
    assert trees(controls_of(again, "x")) == trees(controls_of(scenario, "x"))


@pytest.mark.parametrize("change", ["groups.red=", "groups.red.control=", "groups.red.separation={weight: 1}", "robots=30",
                                    "robots.0.model=differential", "groups.red.formation.enabled=true", "leaders.count=4",
                                    "groups.blue.leaders.count=2"])  # fmt: skip
def test_accepted(file, change):
    load_prepared(str(file), [change, "phases=[]"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("groups.red.sepration.weight=2", "unknown key sepration, did you mean groups.red.control.separation.weight?"),
        ("groups.red.control.sepration.weight=2", "unknown key sepration, did you mean groups.red.control.separation.weight?"),
        ("groups.red.formation.enbled=true", "unknown key enbled, did you mean groups.red.formation.enabled?"),
        ("groups.red.goal=3", "unknown key goal, did you mean groups.red.goals?"),
        ("groups.green.separation.weight=2", "groups.green: a group without robots found, expected one of blue, red"),
        ("groups.red.period=0.1", "groups.red.control.period: common to all robots, expected in control: period"),
        ("groups.red.safety.command_timeout=1", "common to all robots, expected in control: safety.command_timeout"),
        ("groups.red.safety.odometry_timeout=1", "common to all robots, expected in control: safety.odometry_timeout"),
        ("groups.red.control={sepration: {weight: 1}}", "groups.red.control.sepration: unknown key, did you mean separation?"),
        ("groups.red.control={separation.weight: 1}", "groups.red.control.separation.weight: unknown key, did you mean separation?"),
        ("groups.red.control=3", "groups.red.control: 3 found, a mapping"),
        ("groups.red.control={1: 2}", "groups.red.control: {1: 2} found, a mapping of names was expected"),
        ("groups.red.control={separation: {1: 2}}", "groups.red.control.separation.1: a number found in place of a key"),
        ("groups.red.separation=2", "groups.red.control.separation: 2 found, a mapping was expected"),
        ("groups.red.separation.weight=-3", "groups.red.control.separation.weight: -3 found"),
        ("groups.red.formation={shape: 3}", "groups.red.formation.shape: 3 found"),
        ("groups.red.formation={enabled: true, members: [robot_4]}", "groups.red.formation.members: 'robot_4' found"),
        ("groups.blue.leaders.count=5", "groups.blue.control.leaders.count: 5 leaders found, expected at most 4"),
        ("leaders.count=6", "control.leaders.count: 6 leaders found, expected at most 5"),
        ("groups.red.leaders.count=1", "groups.red.control.leaders.count: red has no leaders of its own, expected groups.red.formation or"),
        ("phases.0.set={groups.red.leaders.method: hull}", "phases[0].set: groups.red.leaders.method: red has no leaders of its own"),
        ("groups={r.ed: {}}", "groups: the name 'r.ed' found, expected letters from A to z, digits, _ and -"),
        ("groups={'red place': {}}", "groups: the name 'red place' found, expected letters from A to z, digits, _ and -"),
        ("groups.red.social.laws=[{acts_on: gren, of: red, equilibrium: 1}]", "social.laws[0].acts_on: 'gren'"),
        ("groups.blue.goals=[{each: [1, 2, 3, 4]}]", "groups.blue.goals[0].each: 2 points found for 4 robots"),
        ("groups.blue.goals=[{each: [1, 2, 3]}]", "groups.blue.goals[0].each: 1.5 points found for 4 robots"),
        ("groups.blue.goals=[{part: 1}]", "groups.blue.goals[0].part: 1 found, expected 0"),
        ("goals=[{each: [1, 2, 3, 4]}]", "goals[0].each: 2 points found for 5 robots"),
        ('robots.0.group="red, blue"', "robots[0].group: blue and red found, expected one group at most that has settings"),
        ("phases.0.set={groups.gren.separation.weight: 1}", "phases[0].set: groups.gren.separation.weight: group 'gren' found"),
        ("phases.0.set={groups.red.sepration.weight: 1}", "phases[0].set: groups.red.sepration.weight: unknown key, did you mean"),
        ("phases.0.set={groups.red.period: 1}", "phases[0].set: groups.red.period: common to all robots"),
        ("phases.0.set={groups.red: 1}", "phases[0].set: groups.red"),
    ],
)  # fmt: skip
def test_refused_with_one_line_that_names_the_option(file, change, said):
    with pytest.raises(InputError) as refused:
        load_prepared(str(file), [change, "duration=3"])
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"--set {change}: ") and "\n" not in str(refused.value)


def test_a_formation_in_both_places_of_a_group_is_refused(tmp_path):
    path = tmp_path / "twice.yaml"
    group = {"formation": {"spacing": 0.5}, "control": {"formation": {"spacing": 0.7}}}
    path.write_text(yaml.safe_dump({**SCENARIO, "groups": {"red": group}, "phases": []}))
    with pytest.raises(InputError, match=r"groups.red.control.formation: found beside groups.red.formation, expected one of them"):
        load_prepared(str(path))
