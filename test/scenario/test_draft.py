"""Scenario files to begin with."""

import re
from dataclasses import replace

import pytest

from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.scenario.draft import draft
from swarm_control.scenario.loader import load


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_a_draft_is_the_scenario_and_so_it_is_with_all_that_it_leaves_out(name, tmp_path):
    path = tmp_path / "mine.yaml"
    text = draft(name, path)
    given = load(name).scenario
    for written in (text, re.sub(r"^( *)# (\w+: )", r"\1\2", text, flags=re.MULTILINE)):
        path.write_text(written, encoding="utf-8")
        made = load(str(path)).scenario
        assert replace(made, name=given.name, world=given.world) == given
        assert type(made.world) is type(given.world)


def test_every_key_says_what_it_is_with_its_unit_and_choices(tmp_path):
    lines = {line.strip().partition(":")[0].lstrip("# "): line for line in draft("migrate_boxes", tmp_path / "mine.yaml").splitlines()}
    assert lines["max_speed"].endswith("max_speed: 0.8  # top speed, of the wheels where there are wheels (m/s)")
    assert lines["max_acceleration"].strip() == "# max_acceleration: 4.0  # top acceleration (m/s²)"
    assert "differential" in lines["model"].partition("  # ")[2] and lines["alignment"].strip() == "alignment:"


def test_a_world_beside_the_scenario_is_found_from_elsewhere(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/own.world").write_text('model ( pose [5 5 0 0] size [1 1 1] ) model ( pose [-5 -5 0 0] size [1 1 1] )\n')
    (tmp_path / "there/a.yaml").write_text("world: own.world\nrobots: [{count: 2}]\n")
    (tmp_path / "here.yaml").write_text(draft(str(tmp_path / "there/a.yaml"), tmp_path / "here.yaml"))
    from swarm_control.scenario.loader import load_prepared

    loaded, setup = load_prepared(str(tmp_path / "here.yaml"))
    assert setup.grid is not None and loaded.scenario.name == "here"


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="no such scenario"):
        draft("migrate_boxs", tmp_path / "mine.yaml")
