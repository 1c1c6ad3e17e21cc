"""Saving to YAML: the values change, nothing else does, and a file is never lost."""

import os

import pytest

from swarm_control import paths
from swarm_control.dashboard.save import changed, save
from swarm_control.errors import InputError
from swarm_control.scenario.groups import controls_of
from swarm_control.scenario.loader import load
from swarm_control.social.laws import Law

TEXT = """\
# A flock.
duration: 10   # s
robots:
- count: 3
  start: {spacing: 0.4}   # near

control:
    # how far they see
    perception: {radius: 1.50}
    separation:
        weight: 0.2    # gentle
    accumulation: {priority: [separation, cohesion]}
"""


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_shipped_scenarios_keep_every_byte_when_nothing_changes(name):
    text = paths.scenarios()[name].read_text()
    assert changed(text, {}) == text


def test_values_change_and_comments_stay(tmp_path):
    path = tmp_path / "flock.yaml"
    path.write_text(TEXT)
    os.chmod(path, 0o640)
    priority = ["cohesion", "separation"]
    save(path, {"separation.weight": 0.35, "separation.law": "linear", "accumulation.priority": priority, "cohesion.weight": 1.0})
    text = path.read_text()
    for line in TEXT.splitlines():
        if "weight" not in line and "priority" not in line:
            assert line in text.splitlines()
    assert "        weight: 0.35   # gentle" in text or "        weight: 0.35    # gentle" in text
    control = load(str(path)).scenario.control
    assert (control.separation.weight, control.separation.law, control.cohesion.weight) == (0.35, "linear", 1.0)
    assert control.accumulation.priority == ("cohesion", "separation") and control.perception.radius == 1.5
    assert path.stat().st_mode & 0o777 == 0o640 and [p.name for p in tmp_path.iterdir()] == ["flock.yaml"]


def test_a_scenario_without_control_gets_one(tmp_path):
    path = tmp_path / "bare.yaml"
    path.write_text("robots: [{count: 2}]\n")
    save(path, {"separation.weight": 0.5})
    assert load(str(path)).scenario.control.separation.weight == 0.5


def test_laws_are_written_one_on_a_line(tmp_path):
    path = tmp_path / "laws.yaml"
    path.write_text("robots: [{count: 2, group: a}]\ncontrol:\n  social:\n    weight: 1.0  # on\n    laws:\n      - {spring: 2.0}  # far\n")
    laws = (Law(equilibrium=1.5), Law(acts_on="a", of="a", terms=(-0.5, 2.0)))
    save(path, {"social.laws": laws})
    assert load(str(path)).scenario.control.social.laws == laws
    lines = path.read_text().splitlines()
    assert lines[-2].strip() == "- {equilibrium: 1.5}" and lines[-1].strip() == "- {acts_on: a, of: a, terms: [-0.5, 2.0]}"
    assert "    weight: 1.0  # on" in lines


def test_links_stay_links(tmp_path):
    path, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    path.write_text(TEXT)
    link.symlink_to(path)
    save(link, {"separation.weight": 0.5})
    assert link.is_symlink() and load(str(path)).scenario.control.separation.weight == 0.5


@pytest.mark.parametrize("changes", [{"separation.weight": -1.0}, {"separation.mass": 1.0}, {"separation.law": "cubic"}])
def test_what_is_no_scenario_is_not_saved(tmp_path, changes):
    path = tmp_path / "flock.yaml"
    path.write_text(TEXT)
    with pytest.raises(InputError, match=r"not saved: the new text: control\.separation"):
        save(path, changes)
    assert path.read_text() == TEXT and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("text, words", [("- a\n- b\n", "a mapping"), ("a: [1\n", "not YAML"), ("a: 1\na: 2\n", "not YAML")])
def test_a_file_that_is_broken_stays_as_it_is(tmp_path, text, words):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        save(path, {"separation.weight": 0.5})
    assert path.read_text() == text


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path):
    with pytest.raises(InputError, match="not readable"):
        save(tmp_path / "gone.yaml", {"separation.weight": 0.5})


GROUPS = """\
robots: [{count: 2, group: red}, {count: 2, group: blue, start: {center: [3, 0]}}]
control:
  separation: {weight: 0.2}
groups:
  red:   # the quick ones
    control:
      separation: {weight: 0.8}
  blue:
    goals: [{position: [1, 2]}]
    formation: {enabled: true, spacing: 0.5}
"""


def test_values_of_groups_go_to_their_place(tmp_path):
    path = tmp_path / "groups.yaml"
    path.write_text(GROUPS)
    save(path, {
        "groups.red.separation.weight": 0.9, "groups.red.cohesion.weight": 0.1, "groups.blue.formation.spacing": 0.7,
        "groups.blue.separation.weight": 0.3,
    })  # fmt: skip
    assert "red:   # the quick ones" in path.read_text()
    found = controls_of(load(str(path)).scenario, "test")
    assert found.own["red"] == {"separation.weight": 0.9, "cohesion.weight": 0.1}
    assert found.own["blue"] == {"formation.enabled": True, "formation.spacing": 0.7, "separation.weight": 0.3}
    assert found.common.separation.weight == 0.2


def test_what_a_group_follows_is_not_saved_as_its_own(tmp_path):
    path = tmp_path / "groups.yaml"
    path.write_text(GROUPS)
    before = controls_of(load(str(path)).scenario, "test")
    live = {name: value for name, _, value in before.change({"separation.weight": 0.5}, "test").flatten()}
    names = ("separation.weight", "groups.red.separation.weight", "groups.blue.separation.weight")
    save(path, before.needed({name: live[name] for name in names}))
    found = controls_of(load(str(path)).scenario, "test")
    assert found.common.separation.weight == found.of("blue").separation.weight == 0.5
    assert found.own["red"] == {"separation.weight": 0.8} and "separation.weight" not in found.own["blue"]
