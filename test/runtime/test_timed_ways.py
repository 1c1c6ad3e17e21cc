"""Goals with times, and trajectories, where walls are in the way: another way is planned, or it is said; nobody stands without a word."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import yaml
from closed_loop import fleet
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import distance_transform_edt
from test_planned_ways import gap, scenario

import swarm_control as sc
from swarm_control.core import targets
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map, SwarmState
from swarm_control.formation.drive import Path, ToPose
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.goal_orders import order_for
from swarm_control.runtime.terms import terms_of
from swarm_control.runtime.timed_ways import free_until
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.schema import Goal

PERIOD = 0.1


def flown(folder, model, goals, **more):
    made = scenario(folder, gap, model, **more)
    made["goals"] = goals
    (folder / "run.yaml").write_text(yaml.safe_dump(made))
    return sc.Simulation(folder / "run.yaml")


@pytest.mark.parametrize(("model", "off"), [("omni", 0.02), ("differential", 0.02), ("car", 0.1)])
def test_a_goal_behind_a_wall_is_reached_by_a_plan_and_those_beside_it_in_time(tmp_path, model, off):
    # cars cannot mend an error beside them on a timed way
    goals = [
        {"position": [-1.5, 0.3], "time": 8.0}, {"position": [1.5, -0.3], "time": 9.0}, {"position": [2.0, 0.0], "time": 8.0, "heading": 20}
    ]  # fmt: skip
    run = flown(tmp_path, model, goals)
    with pytest.warns(RuntimeWarning, match=r"goal \(1.5, -0.3\): its timed way leads into a wall at \(-.*; its time of 9 s is not kept"):
        run.run(until=lambda now: bool(now.done))
    assert run.done and run.metrics()["collisions"] == 0
    part = run.controller.formation(0).controllers[0].parts[0]
    assert part.structure.pose[:2] == pytest.approx([2.0, 0.0], abs=off) and not part.problem
    assert run.state.time < 90.0, "the goals beside it are passed at their times"


@pytest.mark.parametrize(("count", "goal"), [(12, (2.0, 0.0)), (12, (0.0, 0.0))])
def test_cars_that_cannot_follow_a_timed_way_go_there_when_they_can(tmp_path, count, goal):
    """A close column of cars cannot turn as one; in the open, too, it stood for ever."""
    body = {"radius": 0.1, "max_speed": 0.6, "max_acceleration": 1.5, "max_turn_rate": 4.0}
    made = {
        "duration": 70, "seed": 1, "goals": [{"position": list(goal), "time": 10}],
        "robots": [{"count": count, "model": "car", **body, "start": {"pattern": "grid", "spacing": 0.25}}],
        "control": {
            "period": 0.05, "separation_filter": {"enabled": True}, "formation": {"enabled": True, "shape": "column", "spacing": 0.3},
        },
    }  # fmt: skip
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(made))
    run = sc.Simulation(tmp_path / "run.yaml")
    with pytest.warns(RuntimeWarning, match=r"the formation cannot follow its timed way; the time is not kept"):
        run.run(until="arrival")
    assert run.done and run.metrics()["collisions"] == 0


def walls(*columns):
    """A map of 10 m × 10 m about the origin, 5 cm a cell, with walls 0.2 m thick from these x on (m), the whole way across or not."""
    occupied = np.zeros((200, 200), bool)
    occupied[0] = True
    for x, rows in columns:
        column = round((x + 5.0) / 0.05)
        occupied[rows, column : column + 4] = True
    return Map(Grid(occupied, (-5.0, -5.0), 0.05), (distance_transform_edt(~occupied) * 0.05).astype(np.float32))


ACROSS, FROM_THE_SOUTH = slice(None), slice(None, 130)


class Driven:
    """Four robots, 0.8 m apart, that do exactly as the controller of their formation says."""

    def __init__(self, goals=()):
        self.fleet, self.time = fleet(4, "omni"), 0.0
        self.pose = np.array([[0.0, 0.0, 0.0], [0.0, 0.8, 0.0], [0.8, 0.0, 0.0], [0.8, 0.8, 0.0]])
        self.controller = FormationController(self.fleet, list(goals), PERIOD)
        self.params = FormationParameters(enabled=True)

    def go(self, seconds, map):
        for _ in range(round(seconds / PERIOD)):
            state = SwarmState.of(self.time, self.pose, np.zeros((4, 3)))
            made = self.controller.step(state, np.full(4, self.time), self.params, map=map)
            self.pose = targets.predict(self.pose, made.command, np.full(4, PERIOD))
            self.time += PERIOD
        return self.controller.structures[0].pose


def test_a_wall_that_appears_on_a_timed_way_is_gone_around():
    run = Driven([Goal(position=(4.0, 0.4), time=20.0)])
    before = run.go(5.0, walls())
    assert 0.5 < before[0] < 3.0 and before[1] == pytest.approx(0.4, abs=0.01)
    with pytest.warns(RuntimeWarning, match=r"goal \(4, 0.4\): the formation cannot follow its timed way"):
        after = run.go(90.0, walls((2.0, FROM_THE_SOUTH)))
    assert after == pytest.approx([4.0, 0.4, 0.0], abs=0.03) and not run.controller.problem


def test_a_wall_all_across_a_timed_way_is_told():
    run = Driven([Goal(position=(4.0, 0.4), time=20.0)])
    with pytest.warns(RuntimeWarning, match=r"goal \(4, 0.4\): "):
        run.go(2.0, walls((2.0, ACROSS)))
    assert run.controller.problem.startswith("goal (4, 0.4): ")


def test_a_trajectory_through_a_wall_is_refused_where_it_meets_it_and_goes_on_when_the_wall_is_gone():
    run = Driven()
    run.go(1.0, walls())
    x = np.linspace(0.4, 3.4, 31)
    run.controller.follow(Itinerary(np.column_stack((x, np.full(31, 0.4), np.zeros(31))), np.linspace(0.0, 30.0, 31)))
    with pytest.warns(RuntimeWarning, match="formation: the trajectory leads into a wall at"):
        stood = run.go(5.0, walls((2.0, ACROSS)))
    assert stood == pytest.approx([0.4, 0.4, 0.0], abs=0.01)
    meets = float(run.controller.problem.split("(")[1].split(",")[0])
    assert meets == pytest.approx(2.0 - 0.4 - float(run.fleet.radius[0]), abs=0.15)
    assert run.go(50.0, walls()) == pytest.approx([3.4, 0.4, 0.0], abs=0.02) and not run.controller.problem


def test_a_map_that_comes_anew_does_not_begin_a_trajectory_before_its_start_is_reached():
    run = Driven()
    run.go(1.0, walls())
    y = np.linspace(-2.0, 2.0, 41)
    run.controller.follow(Itinerary(np.column_stack((np.full(41, 2.0), y, np.zeros(41))), np.linspace(0.0, 40.0, 41)))
    for _ in range(12):
        pose = run.go(1.0, walls())
    assert pose[1] < -0.4, "it is on its way to the trajectory's start"


@given(st.lists(st.floats(0.5, 5.0), min_size=1, max_size=6), st.floats(0.0, 20.0))
def test_a_row_of_timed_goals_is_gone_to_the_last_that_is_free(times, until):
    goals = [Goal(position=(float(k + 1), 0.0), time=time) for k, time in enumerate(times)]
    passes = np.cumsum(times)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        order, kept = order_for(np.zeros(3), goals, lambda path: until if path.times[-1] >= until else np.inf)
    free = passes[passes < until]
    assert kept == pytest.approx(list(free)) and len(told) == (len(free) == 0)
    assert order.end(1e9)[0] == pytest.approx(max(len(free), 1)) and isinstance(order, Path if len(free) else ToPose)


@pytest.mark.parametrize("far", [0.3, 1.1])
def test_a_way_is_free_until_the_outermost_robot_meets_the_wall(far):
    robots = fleet(2, "omni")
    structure = Structure(np.array([[0.0, 0.0], [far, 0.0]]), robots.names, np.zeros(3))
    path = Path(np.linspace(0.0, 10.0, 1001), np.column_stack((np.linspace(-4.0, 4.0, 1001), np.zeros((1001, 2)))))
    map, filter = walls((2.0, ACROSS)), SeparationFilter(enabled=True, margin=0.1)
    terms = terms_of(structure, robots, FormationParameters(), map, filter, PERIOD)
    x = path.at(free_until(path, structure, terms))[0]
    assert x == pytest.approx(2.0 - filter.room - float(robots.radius[0]) - far, abs=0.06)
    assert free_until(path, structure, replace(terms, map=walls())) == np.inf and free_until(path, structure, None) == np.inf
