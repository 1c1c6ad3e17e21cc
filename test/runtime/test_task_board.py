"""Tasks of a simulated swarm: done, refused, called off, one in the place of another, and taken over by another director."""

from dataclasses import replace

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.core.geometry import norm
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import HELD
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.task import Task, TaskState
from swarm_control.runtime.task_board import KEPT, TaskBoard
from swarm_control.runtime.task_orders import TaskOrders
from swarm_control.runtime.task_watch import LINGERED, STANDS
from swarm_control.scenario.groups import squads
from swarm_control.scenario.tree import build

WEDGE, FLOCK = slice(0, 5), slice(5, None)


def done(sim, *tasks):
    sim.run(until=lambda sim: not any(sim.tasks[task].running for task in tasks))
    return [sim.tasks[task].state for task in tasks]


@pytest.fixture
def sim():
    return sc.Simulation("formation_beside_flock", duration=120).run(until=1.0)


def test_groups_go_where_they_are_sent_and_nowhere_else(sim):
    wedge = sim.ask("go", "wedge", goals=((0.0, 2.0, 90.0), (-2.0, 2.0, 0.0)))
    flock = sim.ask("go", "flock", goals=((0.0, -2.0, 0.0),))
    assert done(sim, wedge, flock) == ["succeeded", "succeeded"]
    assert sim.done
    structure = sim.controller.formation(0).structure
    np.testing.assert_allclose(structure.pose, [-2.0, 2.0, 0.0], atol=0.02)
    assert np.hypot(*(sim.state.position[FLOCK].mean(axis=0) - (0.0, -2.0))) < 0.6
    sim.run(until=sim.time + 3.0)  # the scenario's own goals, at x = 3, are behind them
    np.testing.assert_allclose(sim.controller.formation(0).structure.pose, [-2.0, 2.0, 0.0], atol=0.02)
    assert sim.metrics()["collisions"] == 0


def test_a_formation_takes_the_shape_that_is_asked_for(sim):
    assert done(sim, task := sim.ask("form", "wedge", settings={"shape": "line", "spacing": 0.5})) == ["succeeded"]
    assert sim.tasks[task].end > sim.tasks[task].start + 1.0
    names, points = sim.controller.formation(0).structure.names, sim.controller.formation(0).structure.points
    assert len(names) == 5 and np.ptp(points[:, 0]) < 1e-9 and np.ptp(points[:, 1]) == pytest.approx(2.0)
    known = sim.state.position[WEDGE] - sim.state.position[WEDGE].mean(axis=0)
    assert np.linalg.svd(known)[1][1] < 0.05  # they stand on a line


def test_who_is_called_off_holds_his_place(sim):
    task = sim.ask("go", "wedge", goals=((3.0, 2.0, 0.0),))
    sim.run(until=sim.time + 3.0)
    sim.cancel(task)
    before = sim.state.position[WEDGE].copy()
    assert done(sim, f"{task}/hold") == ["succeeded"] and sim.tasks[task].state == "cancelled"
    sim.run(until=sim.time + 5.0)
    assert np.abs(sim.state.position[WEDGE] - before).max() < 0.15  # the way to brake, and back
    assert np.abs(sim.state.velocity[WEDGE]).max() < 0.02


@pytest.mark.parametrize("model", ["omni", "differential", "car", "point_mass"])
def test_a_flock_that_holds_brakes_and_stands_whatever_its_behaviours_want(model):
    sim = sc.Simulation("flocks_cross", duration=60, set={f"robots.{k}.model": model for k in (0, 1)}).run(until=3.0)
    held, fleet = np.arange(8), sim.setup.fleet
    before, speed, began = sim.state.position[held].copy(), norm(sim.state.velocity[held, :2]), sim.time
    assert speed.min() > 0.1
    assert done(sim, sim.ask("hold", "red")) == ["succeeded"]
    brakes = speed**2 / (2.0 * fleet.max_acceleration[held]) + speed * sim.scenario.control.period
    assert sim.time - began < (speed / fleet.max_acceleration[held]).max() + 1.0
    assert (norm(sim.state.position[held] - before) < brakes + 0.01).all()
    stand = sim.state.position[held].copy()
    others = [k for k in range(len(fleet)) if k not in held]
    where = sim.state.position[others].copy()
    sim.run(until=sim.time + 10.0)
    assert norm(sim.state.position[held] - stand).max() < 0.01
    assert norm(sim.state.position[others] - where).min() > 0.5, "nobody else was told so"


def test_one_robot_is_held_where_it_is_and_let_go_by_the_next_goal():
    sim = sc.Simulation("migrate_boxes", robots=1, duration=60).run(until=4.0)
    assert done(sim, sim.ask("hold")) == ["succeeded"]
    stands = sim.state.position[0].copy()
    sim.run(until=sim.time + 5.0)
    assert norm(sim.state.position[0] - stands) < 0.01
    sim.ask("go", goals=((stands[0] + 1.0, stands[1], 0.0),))
    sim.run(until=sim.time + 5.0)
    assert norm(sim.state.position[0] - stands) > 0.3


def test_where_velocities_are_noisy_a_flock_is_given_time_to_stand():
    noise = {"simulator.noise_velocity": 0.06, "robots.0.max_acceleration": 4.0}
    sim = sc.Simulation("migrate_boxes", robots=4, duration=60, set=noise).run(until=4.0)
    began = sim.time
    assert done(sim, sim.ask("hold")) == ["succeeded"] and LINGERED - 0.1 < sim.time - began < LINGERED + 3.0


def test_a_new_task_replaces_that_of_the_same_group_alone(sim):
    first, other = (sim.ask("go", group, goals=((0.0, y, 0.0),)) for group, y in (("wedge", 2.0), ("flock", -2.0)))
    second = sim.ask("go", "wedge", goals=((-2.0, 2.0, 0.0),))
    assert sim.tasks[first].state == "replaced" and sim.tasks[first].text == f"by {second}"
    assert done(sim, second, other) == ["succeeded", "succeeded"]


def test_a_goal_from_elsewhere_ends_that_flocks_way_alone(sim):
    wedge, flock = (sim.ask("go", group, goals=((0.0, y, 0.0),)) for group, y in (("wedge", 2.0), ("flock", -2.0)))
    sim.controller.board.moved(sim.controller.mission.nearest(0.0, -1.8), sim.time)
    assert (sim.tasks[wedge].state, sim.tasks[flock].state) == ("running", "replaced")


def test_a_formation_takes_another_shape_on_its_way(sim):
    way = sim.ask("go", "wedge", goals=((0.0, 2.0, 0.0),))
    shape = sim.ask("form", "wedge", settings={"shape": "line"})
    assert sim.tasks[way].running
    second = sim.ask("form", "wedge", settings={"shape": "column"})
    assert (sim.tasks[shape].state, sim.tasks[way].state) == ("replaced", "running")
    assert done(sim, way, second) == ["succeeded", "succeeded"]


def test_a_shape_that_is_called_off_ends_no_way(sim):
    way, shape = sim.ask("go", "wedge", goals=((0.0, 2.0, 0.0),)), sim.ask("form", "wedge", settings={"shape": "line"})
    sim.cancel(shape)
    assert (sim.tasks[shape].state, sim.tasks[way].state, len(sim.tasks)) == ("cancelled", "running", 2)


def test_a_phase_begins_when_it_is_asked_for():
    sim = sc.Simulation("migrate_boxes", set={"phases": [{"name": "slow", "start": 1000.0, "set": {"seek.weight": 0.25}}]})
    sim.step()
    assert done(sim, sim.ask("phase", phase="slow")) == ["succeeded"] and sim.get("seek.weight") == 0.25


REFUSED = {
    "unknown group": (("hold", "red"), "task.group: 'red' found, expected 'wedge', 'flock'"),
    "no group where there are several": (("hold",), "task.group: '' found"),
    "nowhere": (("go", "flock"), "task.goals: nothing found"),
    "no settings": (("form", "wedge"), "task.settings: nothing found"),
    "unknown phase": (("phase",), "task.phase: '' found, expected a scenario with phases"),
}


@pytest.mark.parametrize(("asked", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused_with_the_reason(sim, asked, reason):
    goals = [list(director.goals) for director in sim.controller.mission.directors]
    with pytest.raises(sc.InputError, match=reason):
        sim.ask(*asked)
    assert [director.goals for director in sim.controller.mission.directors] == goals


def test_places_beyond_any_world_are_refused(sim):
    for place in ((1e300, 0.0, 0.0), (0.0, -2e6, 0.0), (0.0, 0.0, 1e7)):
        with pytest.raises(sc.InputError, match="expected numbers within 1e"):
            sim.ask("go", "flock", goals=(place,))


def test_settings_that_there_are_not_change_nothing(sim):
    before = sim.controller.controls
    with pytest.raises(sc.InputError, match="shade"):
        sim.ask("form", "wedge", settings={"shape": "line", "shade": 1})
    assert sim.controller.controls is before


def test_goals_in_walls_and_off_the_map_and_forming_without_formations_are_refused():
    sim = sc.Simulation("migrate_boxes", robots=3)
    sim.step()
    wall = np.argwhere(sim.setup.grid.occupied)[0][::-1] * sim.setup.grid.resolution + np.array(sim.setup.grid.origin)
    for place in ((*wall, 0.0), (1e5, 0.0, 0.0)):
        with pytest.raises(sc.InputError, match="expected a place on the map with"):
            sim.ask("go", goals=(place,))
    with pytest.raises(sc.InputError, match=r"expected formation\.enabled"):
        sim.ask("form", settings={"shape": "line"})


def test_robots_that_heed_no_goals_are_sent_nowhere():
    sim = sc.Simulation("flock_frame")
    sim.step()
    expected = r"expected one of arrival\.weight, guidance\.weight, human_like\.weight, reciprocal_avoidance\.weight, seek\.weight above 0"
    for kind in ("go", "hold"):
        with pytest.raises(sc.InputError, match=expected):
            sim.ask(kind, goals=((0.0, 0.0, 0.0),))
    sim.set({"seek.weight": 1.0})
    task = sim.ask("hold")
    assert sim.tasks[task].running


def test_robots_that_cannot_stand_are_not_held():
    sim = sc.Simulation("herd_bicycles", duration=30, set={"seek.weight": 1.0}).run(until=0.5)
    with pytest.raises(sc.InputError, match=r"task.kind: hold for bicycle found, expected robots that can stand still"):
        sim.ask("hold")


def test_robots_that_brake_slowly_are_not_said_to_stand():
    robots = [{"count": 2, "max_acceleration": 0.02}]
    data = {"duration": 90.0, "robots": robots, "goals": [{"position": [50.0, 0.0]}], "control": {"arrival": {"weight": 1.0}}}
    sim = sc.Simulation(build(sc.Scenario, data, "test")).run(until=40.0)
    assert norm(sim.state.velocity[:, :2]).max() > 0.7
    task = sim.ask("hold")
    sim.run(until=lambda sim: not sim.tasks[task].running)
    assert sim.tasks[task].state == "succeeded" and norm(sim.state.velocity[:, :2]).max() <= STANDS + 0.01


def test_a_held_flock_has_reached_no_goal_and_another_director_lets_it_go_where_a_goal_was_set():
    sim = sc.Simulation("migrate_boxes", robots=3, duration=60).run(until=4.0)
    assert done(sim, sim.ask("hold")) == ["succeeded"] and not sim.done and sim.metrics()["arrived_fraction"] == 0.0
    director = sim.controller.mission.directors[0]
    assert director.goals[director.index].arrival_radius == sim.scenario.goals[0].arrival_radius
    mission = Mission(sim.scenario, sim.setup.society, squads(sim.scenario.groups, sim.setup.society))
    board = TaskBoard(sim.scenario, mission, FreeGround(None), lambda changes: None)
    for held in (True, False):
        mission.resume(*sim.controller.mission.progress(), board.resume(sim.controller.board.states))
        orders = mission.update(sim.state, sim.controller.controls)
        assert (orders.lag == HELD).all() == held
        sim.controller.board.moved(0, sim.time)
        sim.controller.mission.move_goal(30.0, 0.0)
    assert mission.directors[0].target.tolist() == [30.0, 0.0] and not mission.directors[0].goals[-1].each


def test_a_flock_is_the_same_by_its_name_and_without_one():
    groups = {"red": {"goals": [{"position": [50.0, 0.0]}]}}
    data = {"robots": [{"count": 2, "group": "red"}], "groups": groups, "control": {"arrival": {"weight": 1.0}}}
    sim = sc.Simulation(build(sc.Scenario, data, "test")).run(until=1.0)
    first, second = sim.ask("hold", "red"), sim.ask("go", goals=((5.0, 0.0, 0.0),))
    assert sim.tasks[first].state == "replaced" and sim.tasks[second].running


def test_a_formation_on_a_trajectory_leaves_it_for_where_it_is_sent():
    sim = sc.Simulation("formation_trajectory").run(until=3.0)
    place = (*(sim.controller.formation(0).structure.pose[:2] + np.array([0.3, -0.2])), 20.0)
    assert done(sim, sim.ask("go", goals=(place,))) == ["succeeded"] and sim.time < 15.0
    np.testing.assert_allclose(sim.controller.formation(0).structure.pose, [*place[:2], np.deg2rad(20.0)], atol=0.02)


def test_the_same_task_asked_again_is_not_begun_again(sim):
    board, news = sim.controller.board, sim.controller.news(sim.state)
    task = Task("a", "go", "flock", ((0.0, -2.0, 0.0),))
    assert board.ask(task, news) is board.ask(task, news) and len(board.states) == 1


def test_another_director_goes_on_with_the_tasks(sim):
    task = sim.ask("go", "flock", goals=((0.0, -2.0, 0.0), (-1.0, -2.0, 0.0)))
    sim.run(until=lambda sim: sim.controller.mission.directors[1].index > 0)
    mission = Mission(sim.scenario, sim.setup.society, squads(sim.scenario.groups, sim.setup.society))
    board = TaskBoard(sim.scenario, mission, FreeGround(None), lambda changes: None)
    mission.resume(*sim.controller.mission.progress(), board.resume(sim.controller.board.states))
    assert [one.sent for one in mission.directors] == [one.sent for one in sim.controller.mission.directors]
    assert mission.directors[1].target.tolist() == [-1.0, -2.0] and board.states[-1].task.id == task


def test_a_formation_that_has_arrived_and_is_moved_on_is_no_longer_there(sim):
    director = sim.controller.mission.directors[0]
    director.go_to([sc.Goal(position=(1.0, 1.0)), sc.Goal(position=(2.0, 1.0))], 5, sim.time)
    wedge = sim.state.take(np.arange(5))
    seen = [(director.follow(wedge, reached, 1).done, director.sent[0]) for reached in (0, 1, 1, 0, 1)]
    assert seen == [(False, 5), (False, 6), (True, 6), (False, 6), (True, 6)]


def test_more_tasks_than_are_remembered_leave_known_where_flocks_were_sent_and_what_is_running(sim):
    assert done(sim, sim.ask("go", "flock", goals=((0.0, -2.0, 0.0),))) == ["succeeded"]
    running = sim.ask("go", "wedge", goals=((0.0, 2.0, 0.0), (-2.0, 2.0, 0.0)))
    for _ in range(2 * KEPT):
        with pytest.raises(sc.InputError):
            sim.ask("phase", phase="nothing")
    assert sim.tasks[running].running and len(sim.tasks) == KEPT + 2
    again = sim.ask("go", "flock", goals=((-1.0, -2.0, 0.0),))
    assert sim.tasks[again].number > sim.tasks[running].number > 1
    assert done(sim, again, running) == ["succeeded", "succeeded"]
    assert np.hypot(*(sim.state.position[FLOCK].mean(axis=0) - (-1.0, -2.0))) < 0.6


def test_a_flock_that_goes_by_guidance_holds_too():
    sim = sc.Simulation("migrate_boxes", duration=60, set={"seek.weight": 0.0, "arrival.weight": 0.0, "guidance.weight": 1.0})
    sim.run(until=5.0)
    there = sim.state.position.copy()
    sim.ask("hold")
    sim.run(until=20.0)
    assert np.hypot(*(sim.state.position - there).T).max() < 0.4


def test_formations_that_cannot_be_are_refused_and_the_next_one_is_taken(sim):
    for settings, reason in (
        ({"members": ["nobody"]}, "'nobody' found"), ({"shape": "points"}, "0 points found for 5 robots"), ({"split": [9]}, "[9] found"),
        ({"leader": "robot_99"}, "'robot_99' found"), ({"trajectory": "/nope.csv"}, "trajectory found"), ({"enabled": False}, "enabled"),
        ({"drive.max_speed": 0.0}, "drive.max_speed"), ({}, "nothing found"), ([1], "expected an object"),
    ):  # fmt: skip
        with pytest.raises(sc.InputError, match=reason.replace("[", r"\[")):
            sim.ask("form", "wedge", settings=settings)
    assert done(sim, sim.ask("form", "wedge", settings={"shape": "line", "spacing": 0.5})) == ["succeeded"]


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("dance", {}), ("go", {"goals": ((np.nan, 0.0, 0.0),)}), ("go", {"goals": ((0.0, 0.0, np.inf),)}), ("go", {"goals": (0.0, 1.0)}),
        ("go", {"goals": (("a", "b", "c"),)}), ("go", {"goal": (1.0, 1.0)}), ("go", {"goals": object()}), ("go", {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("group", ["wedge", "flock"])
def test_what_is_no_task_is_refused_in_one_line(sim, group, kind, what):
    with pytest.raises(sc.InputError) as error:
        sim.ask(kind, group, **what)
    assert "\n" not in str(error.value) and not any(task.running for task in sim.tasks.values())


def test_places_may_be_arrays_and_need_no_heading(sim):
    task = sim.ask("go", "flock", goals=np.array([[0.0, -2.0]]))
    assert sim.tasks[task].task.goals == ((0.0, -2.0, 0.0),)


def test_a_place_in_a_closed_room_is_refused():
    sim = sc.Simulation("migrate_boxes", duration=20).run(until=1.0)
    grid = sim.setup.grid
    occupied = grid.occupied.copy()
    x, y = 3.05, 3.0  # nothing is within 1.7 m of it
    column, row = ((np.array([x, y]) - grid.origin) / grid.resolution).astype(int)
    wide = round(0.8 / grid.resolution)
    box = np.s_[row - wide : row + wide + 1, column - wide : column + wide + 1]
    occupied[box] = True
    inner = round(0.6 / grid.resolution)
    occupied[row - inner : row + inner + 1, column - inner : column + inner + 1] = False
    ground = FreeGround(replace(grid, occupied=occupied))
    orders = TaskOrders(sim.scenario, sim.controller.mission, ground)
    news = sim.controller.news(sim.state)
    with pytest.raises(sc.InputError, match="a place to which a free way leads"):
        orders.check(Task("a", "go", "", ((x, y, 0.0),)), news)
    TaskOrders(sim.scenario, sim.controller.mission, FreeGround(grid)).check(Task("a", "go", "", ((x, y, 0.0),)), news)


@pytest.mark.study
def test_moving_and_noisy_formations_take_a_shape(sim):
    moving = sc.Simulation("formation_rotate", duration=200).run(until=2.0)
    assert done(moving, moving.ask("form", settings={"spacing": 0.5})) == ["succeeded"]
    noisy = sc.Simulation("formation_beside_flock", duration=60, set={"simulator.noise_position": 0.01, "simulator.delay": 0.1})
    noisy.run(until=2.0)
    assert done(noisy, noisy.ask("form", "wedge", settings={"shape": "line", "spacing": 0.5})) == ["succeeded"]
    assert noisy.time > 20.0, "it was never at rest"


def test_a_formation_that_is_switched_off_fails_its_tasks(sim):
    form, go = sim.ask("form", "wedge", settings={"shape": "line"}), sim.ask("go", "wedge", goals=((3.0, 2.0, 0.0),))
    sim.set({"groups.wedge.formation.enabled": False})
    sim.run(until=sim.time + 1.0)
    assert [sim.tasks[task].state for task in (form, go)] == ["failed", "failed"]
    assert "switched off" in sim.tasks[form].text and "without a behaviour that goes to goals" in sim.tasks[go].text


def test_a_task_says_that_the_swarm_is_stopped_as_long_as_it_is(sim):
    task = sim.ask("go", "flock", goals=((0.0, -2.0, 0.0),))
    board, news = sim.controller.board, sim.controller.news(sim.state)
    for stopped, text in ((True, "the swarm is stopped"), (False, "")):
        board.update(news, stopped)
        assert sim.tasks[task].running and sim.tasks[task].text == text


def test_a_task_whose_robots_get_nowhere_says_so():
    sim = sc.Simulation("formation_translate", duration=200).run(until=2.0)
    task = sim.ask("form", settings={"shape": "line"})  # without the separation filter R3s block each other's way
    sim.run(until=20.0)
    assert sim.tasks[task].running and sim.tasks[task].text == ""
    sim.run(until=60.0)
    assert sim.tasks[task].running and sim.tasks[task].text == "its robots have got nowhere for 30 s"


def test_a_director_that_takes_over_sends_flocks_where_they_were_sent_and_nowhere_else(sim):
    def told(kind, state="succeeded", **more):
        return TaskState(Task(kind + state, kind, **{"group": "flock", **more}), state, number=3)

    places = ((0.0, -2.0, 0.0),)
    said = [told("go", goals=places), told("go", "refused", goals=((9.0, 9.0, 0.0),)), told("form"), told("phase", group="", phase="x")]
    mission = Mission(sim.scenario, sim.setup.society, squads(sim.scenario.groups, sim.setup.society))
    board = TaskBoard(sim.scenario, mission, FreeGround(None), lambda changes: None)
    sent = board.resume(said)
    assert list(sent) == ["flock"] and board.states == said
    number, goals, held = sent["flock"]
    assert number == 3 and [goal.position for goal in goals] == [(0.0, -2.0)] and not held
    assert board.resume([told("hold", goals=places)])["flock"][2]
    assert board.resume(said[1:]) == {}
