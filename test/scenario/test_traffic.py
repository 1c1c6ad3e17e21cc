"""Traffic scenes: everybody has a free place to start from and to go to, whatever their number and size; all arrive without a contact."""

from dataclasses import replace

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load, load_prepared, loaded_from
from swarm_control.scenario.traffic import MAKERS

NAMES = [f"traffic_{name}" for name in MAKERS]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("robots", "radius"), [(1, 0.0375), (2, 0.3), (7, 0.0375), (50, 0.2), (300, 0.0375)])
def test_scenes_have_room_for_any_number_and_size(name, robots, radius):
    loaded, setup = load_prepared(name, [f"robots={robots}", f"robots.0.radius={radius}"])
    goals = np.array(loaded.scenario.goals[0].each).reshape(-1, 2)
    assert len(setup.fleet) == len(goals) == robots
    for points in (setup.start.position, goals):
        apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)) + 9.0 * np.eye(robots)
        assert apart.min() > 2.0 * radius
    assert np.hypot(*(goals - setup.start.position).T).min() > 6.0 * radius


@pytest.mark.parametrize("model", ["omni", "differential"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "traffic_doorway"])
def test_all_arrive_without_a_contact(name, model):
    run = sc.Simulation(name, robots=24, seed=11, set={"robots.0.model": model}).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0 and run["collisions"] == 0 and run["arrival_time"] < 20.0


def test_most_get_through_a_door():
    run = sc.Simulation("traffic_doorway", robots=24, seed=11, duration=60.0).run(until="arrival").metrics()
    assert run["arrived_fraction"] > 0.9 and run["collisions"] == 0


def test_a_seed_moves_the_starts_a_little_and_gives_the_same_bits():
    one, two, other = (load_prepared("traffic_crossing", [f"seed={seed}"])[1].start.pose for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert 0.0 < np.abs(one - other)[:, :2].max() < 0.2


def test_starts_and_goals_of_the_scenario_s_own_stay():
    scenario = load("traffic_antipodal").scenario
    again = loaded_from(replace(scenario, seed=5)).scenario
    assert again.robots == scenario.robots and again.goals == scenario.goals


def test_a_scene_without_robots_is_refused():
    with pytest.raises(InputError, match=r"robots"):
        load_prepared("traffic_antipodal", ["robots=[]"])


def test_an_unknown_scene_is_refused():
    with pytest.raises(InputError, match=r"world.scene.*roundabout"):
        load("traffic_antipodal", ["world.scene=roundabout"])
