"""From scenarios and the robots of world files to fleets: who is there, what they are called, how large and how fast they are."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare, world_file, world_overrides

WORLD = """
position ( name "ann" pose [1 2 0 90] size [0.3 0.2 0.1] drive "diff" velocity_bounds [-0.4 0.3 0 0 0 0 -60 90] )
position ( name "robot_0" pose [-1 0 0 0] size [0.2 0.2 0.1] drive "omni" velocity_bounds [0 0 0 0 0 0 0 0] )
"""


def made(folder, world=WORLD, **scenario):
    (folder / "a.world").write_text(world)
    (folder / "a.yaml").write_text(yaml.safe_dump({"world": "a.world", "control": {"seek": {"weight": 1.0}}, **scenario}))
    loaded = load(str(folder / "a.yaml"))
    return prepare(loaded.scenario, loaded.source)


def test_robots_of_a_world_file_are_as_it_says(tmp_path):
    setup = made(tmp_path)
    assert setup.fleet.names == ("ann", "robot_0") and setup.fleet.model == ("differential", "omni")
    assert setup.fleet.radius == pytest.approx([0.15, 0.1]) and setup.fleet.wheel_base == pytest.approx([0.2, 0.2])
    assert setup.fleet.max_speed == pytest.approx([0.4, 1.0]), "no bound: the scenario's"
    assert setup.fleet.max_turn_rate == pytest.approx([0.5 * np.pi, 6.0])
    assert setup.start.pose == pytest.approx(np.array([[1.0, 2.0, 0.5 * np.pi], [-1.0, 0.0, 0.0]]))


def test_more_robots_than_the_file_has_are_scattered_and_numbered_past_names_that_are_taken(tmp_path):
    start = {"pattern": "world", "center": [5.0, 5.0], "radius": 0.5, "spacing": 0.2}
    more = {"count": 4, "radius": 0.05, "max_speed": 0.7, "start": start}
    setup = made(tmp_path, robots=[more, {"count": 1, "start": {"center": [9, 9]}}])
    assert setup.fleet.names == ("ann", "robot_0", "robot_1", "robot_2", "robot_3")
    assert setup.fleet.radius == pytest.approx([0.15, 0.1, 0.05, 0.05, 0.0375])
    assert (np.hypot(*(setup.start.position[2:4] - 5.0).T) <= 0.5).all()
    assert setup.fleet.max_speed == pytest.approx([0.4, 0.7, 0.7, 0.7, 1.0])
    fewer = made(tmp_path, robots=[{"count": 1, "start": start}])
    assert fewer.fleet.names == ("ann",)


def test_robots_start_at_their_speed_along_their_headings(tmp_path):
    poses = [[0, 0, 30], [3, 0, -90]]
    setup = made(tmp_path, "", robots=[{"count": 2, "max_speed": 2.0, "start": {"pattern": "poses", "poses": poses, "speed": 0.8}}])
    assert setup.start.velocity == pytest.approx(0.8 * np.array([[np.cos(np.pi / 6), 0.5, 0.0], [0.0, -1.0, 0.0]])) and setup.grid is None


def test_a_world_without_robots_for_a_scenario_without_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a.yaml: robots: no robots found, expected at least one here or in the world file"):
        made(tmp_path, "")


def test_a_world_is_looked_for_beside_the_scenario_and_among_the_shipped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "deep" / "a.yaml"
    source.parent.mkdir()
    shipped = sorted((paths.share() / "worlds").glob("*.world"))[0]
    assert world_file(shipped.name, source) == shipped.resolve()
    for place in (tmp_path / shipped.name, source.with_name(shipped.name)):
        place.write_text("")
        assert world_file(shipped.name, source) == place, "nearer places come first"
    with pytest.raises(InputError, match=r"a.yaml: world: none.world not found, expected a Stage .world file"):
        world_file("none.world", source)


@pytest.mark.parametrize(("world", "counted", "robots"), [
    (WORLD, False, 'robots=[{"count": 2, "start": {"pattern": "world"}}]'), (WORLD, True, 'robots=[{"start": {"pattern": "world"}}]'),
    ("", False, None),
])  # fmt: skip
def test_another_world_brings_its_robots(tmp_path, world, counted, robots):
    path = tmp_path / "b.world"
    path.write_text(world)
    found = world_overrides(path, counted)
    assert found == [f'world="{path}"', *([robots] if robots else [])]
    scenario = load("migrate_boxes", found).scenario
    assert Path(scenario.world) == path and (scenario.robots[0].start.pattern == "world") == bool(robots)
