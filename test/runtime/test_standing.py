"""Robots that stand and take no part are obstacles on the map that a formation plans with."""

import warnings

import numpy as np
import pytest
import yaml

import swarm_control as sc
from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.runtime.standing import STANDS, StandingRobots, with_discs

RADIUS = np.array([0.1, 0.2, 0.1])
OUTSIDE = np.array([False, True, False])
GOALS = np.array([[5.0, 0.0]])


def state(time, x=1.0, valid=True):
    pose = np.array([[0.0, 0.0, 0.0], [x, 1.0, 0.0], [0.0, 2.0, 0.0]])
    return SwarmState(time, pose, np.zeros((3, 3)), np.array([True, valid, True]))


def test_a_disc_covers_each_point_of_it_and_nothing_farther_than_a_cell():
    grid = Grid(np.zeros((60, 80), bool), (-1.0, -2.0), 0.05)
    made = with_discs(grid, np.array([[0.53, -0.71]]), np.array([0.31]))
    rng = np.random.default_rng(1)
    point = rng.uniform((-1.0, -2.0), (3.0, 1.0), (5000, 2))
    i, j = np.floor((point - grid.origin) / grid.resolution).astype(int).T[::-1]
    away = np.hypot(*(point - (0.53, -0.71)).T)
    assert made.occupied[i, j][away <= 0.31].all() and not made.occupied[i, j][away > 0.31 + 2.0 * 0.05].any()
    assert not grid.occupied.any(), "the map itself stays as it is"


def test_only_who_has_stood_for_long_and_takes_no_part_is_on_the_map_and_the_map_stays_the_same():
    robots, walls = StandingRobots(RADIUS), make_map(Grid(np.zeros((100, 100), bool), (-2.0, -2.0), 0.05))
    assert robots.on(walls, state(0.0), OUTSIDE, GOALS) is walls
    made = robots.on(walls, state(STANDS), OUTSIDE, GOALS)
    assert made is not walls and made.grid.occupied[60, 60] and not made.grid.occupied[40, 40]
    assert robots.robots.tolist() == [1]
    assert robots.on(walls, state(STANDS + 1.0, x=1.05), OUTSIDE, GOALS) is made, "a hair's breadth is not another place"
    assert robots.on(walls, state(STANDS + 2.0, valid=False), OUTSIDE, GOALS) is made, "who is not heard stays where it was"
    assert robots.on(walls, state(STANDS + 3.0, x=2.0), OUTSIDE, GOALS) is walls, "who moves is left to the filter"
    assert robots.on(walls, state(STANDS + 9.0, x=2.0), np.zeros(3, bool), GOALS) is walls, "who takes part is planned for"


def test_on_open_floor_a_map_is_made_that_holds_robots_and_goals():
    robots = StandingRobots(RADIUS)
    assert robots.on(None, state(0.0), OUTSIDE, GOALS) is None
    made = robots.on(None, state(STANDS), OUTSIDE, GOALS)
    assert made.grid.extent == pytest.approx((-3.0, 8.0, -3.0, 5.0), abs=1.01 * made.grid.resolution) and made.grid.origin == (-3.0, -3.0)
    assert made.grid.resolution == pytest.approx(11.0 / 500), "no more cells than that along the longer side"
    assert made.grid.occupied.sum() * made.grid.resolution**2 == pytest.approx(np.pi * 0.2**2, rel=0.3)


def test_cells_of_a_small_open_floor_are_no_finer_than_needed():
    robots, near = StandingRobots(RADIUS), np.array([[0.5, 0.5]])
    robots.on(None, state(0.0), OUTSIDE, near)
    assert robots.on(None, state(STANDS), OUTSIDE, near).grid.resolution == 0.02


def line(tmp_path, drop_after, start=4.0, end=1e6, goal=4.0):
    """Five robots one behind the other on open floor; the first fails."""
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({
        "duration": 120.0,
        "robots": [{
            "count": 5, "model": "differential", "radius": 0.1, "wheel_base": 0.16, "max_speed": 0.6, "max_acceleration": 1.5,
            "max_turn_rate": 4.0, "start": {"pattern": "poses", "poses": [[-0.5 * k, 0.0, 0.0] for k in range(5)]},
        }],
        "control": {
            "period": 0.05, "separation_filter": {"enabled": True},
            "formation": {"enabled": True, "shape": "start", "health": {"drop_after": drop_after}},
        },
        "goals": [{"position": [goal, 0.0]}],
        "simulator": {"failures": [{"robot": "robot_0", "start": start, "end": end}]},
    }))  # fmt: skip
    return sc.Simulation(tmp_path / "run.yaml")


def test_the_rest_pass_a_robot_that_was_dropped_in_their_way(tmp_path):
    run = line(tmp_path, drop_after=2.0).run(until="arrival")
    assert run.done and run.metrics()["collisions"] == 0
    (structure,) = run.controller.formation(0).controllers[0].structures
    assert set(structure.names) == {f"robot_{k}" for k in range(1, 5)}
    assert run.state.position[0, 0] < run.state.position[1:, 0].max() - 1.0, "they have passed it"


@pytest.mark.study
def test_without_a_policy_they_wait_for_it(tmp_path):
    run = line(tmp_path, drop_after=0.0).run(until=60.0)
    assert not run.done and run.state.position[:, 0].max() < 3.0


def test_a_robot_that_stands_at_a_goal_is_named(tmp_path):
    run = line(tmp_path, drop_after=2.0, start=4.6, goal=2.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run.run(until=lambda run: run.done or run.time > 40.0)
    assert not run.done
    assert "robot_0 counted as a wall" in " ".join(str(one.message) for one in told)
