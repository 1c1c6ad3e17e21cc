"""What is asked of a formation and cannot be is refused in a sentence: parts, files, places, and ways through which not all get."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from swarms import fleet, mapped, room
from test_formation_rearrange import mixed

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.errors import InputError
from swarm_control.formation.design import designs
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming import rearrange as forming
from swarm_control.formation.forming.among_walls import open_floor
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.routing import route
from swarm_control.formation.routing.proof import Shortfall
from swarm_control.formation.routing.route import _failed, plan_route
from swarm_control.formation.routing.task import RouteTask
from swarm_control.formation.timetable import UnreachableError
from swarm_control.formation.trajectory_files import read_trajectory

NAMES = tuple("abcde")
START = np.column_stack((0.5 * np.arange(5.0), np.zeros(5), np.zeros(5)))


@pytest.mark.parametrize(("split", "said"), [
    ((2.0, 2.5), "[2, 2.5] found, expected whole numbers of robots"),
    ((2.0, 2.0), "[2, 2] found, expected parts of 5 robots in all"),
    ((4.0, 3.0), "[4, 3] found, expected parts of 5 robots in all"),
])  # fmt: skip
def test_parts_are_whole_numbers_of_all_robots(split, said):
    with pytest.raises(InputError, match=f"^{re.escape(f'x.split: {said}')}$"):
        designs(FormationParameters(split=split, shape="circle"), NAMES, "x")


def test_each_part_has_its_robots_and_their_points():
    params = FormationParameters(split=(2.0, 3.0), shape="points", points=tuple(map(float, range(10))))
    first, last = designs(params, NAMES, "x")
    assert (first.names, last.names) == (("a", "b"), ("c", "d", "e"))
    assert first.points.tolist() == [[0, 1], [2, 3]] and last.points.tolist() == [[4, 5], [6, 7], [8, 9]]
    assert [len(one.points) for one in designs(FormationParameters(split=(2.0, 3.0), shape="circle"), NAMES, "x")] == [2, 3]
    assert [one.points for one in designs(FormationParameters(shape="start"), NAMES, "x")] == [None]


@pytest.mark.parametrize(("name", "text", "said"), [
    ("a.csv", None, "cannot be read"), ("a.csv", b"\xff\xfe\xfa", "cannot be read"),
    ("a.csv", b"time,x,y,yaw\n0,0,0,0\n", "one pose found, expected at least two"),
    ("a.svg", b"<!DOCTYPE svg><svg/>", "a document type found, expected an SVG file without"),
    ("a.svg", b"<svg><!ENTITY a 'b'></svg>", "a document type found"),
    ("a.svg", b'<svg><g transform="scale(2)"><path d="M 0 0 L 9 9"/></g></svg>', "an attribute transform found, expected coordinates"),
    ("a.svg", b'<svg><path d="M 0 0 L 9 9"/><path d="M 0 0 L 9 9"/></svg>', "2 paths found, expected one <path>"),
])  # fmt: skip
def test_files_that_are_no_trajectories_are_refused(tmp_path, name, text, said):
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(InputError, match=re.escape(said)) as error:
        read_trajectory(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(("start", "goal", "count", "said"), [
    (START, START[:4, :2], 5, "4 points and 5 poses for 5 robots"), (START[:4], START[:4, :2], 5, "4 points and 4 poses for 5 robots"),
    (START, START[:, :2] * np.nan, 5, "every robot needs a finite pose"),
    (START + np.inf, START[:, :2], 5, "every robot needs a finite pose"),
])  # fmt: skip
def test_each_robot_needs_a_pose_and_a_point(start, goal, count, said):
    with pytest.raises(ValueError, match=said):
        forming.rearrange(start, goal, fleet(count), room=0.05, drive=Drive())


def test_a_point_that_only_a_robot_elsewhere_could_take_is_named():
    """Two robots are shut in with one point, two points are outside with one robot."""
    map = mapped(room((-0.1, 0.1, -5.0, 5.0), side=4.0))
    start = np.array([[-1.0, -0.5, 0.0], [-1.0, 0.5, 0.0], [1.0, 0.0, 0.0]])
    goal = np.array([[-1.5, 0.0], [1.0, -1.0], [1.0, 1.0]])
    with pytest.raises(UnreachableError, match=r"^no robot that is free gets to point [12] of the structure: walls are between them$"):
        forming.rearrange(start, goal, mixed(np.full(3, 0.15), ["omni"] * 3), map, room=0.04, drive=Drive())


def test_on_open_floor_robots_find_ways_one_after_the_other_as_well(monkeypatch):
    monkeypatch.setattr(forming, "_in_the_open", lambda problem, goal, given: iter(()))
    robots, start = fleet(4, radius=0.15), np.column_stack((np.array([[0, 0], [0.4, 0], [0, 0.4], [0.4, 0.4]]), np.zeros(4)))
    made = forming.rearrange(start, start[::-1, :2].copy(), robots, room=0.04, drive=Drive(), robot=np.arange(4))
    places = made.schedule.sampled(np.linspace(0.0, made.schedule.duration, 2000))
    apart = norm(places[:, :, None] - places[:, None]) + 9.0 * np.eye(4)
    assert apart.min() >= 0.34 - 1e-6 and places[-1] == pytest.approx(start[::-1, :2], abs=1e-6)


def test_open_floor_has_room_to_go_round_all():
    points, keep = np.array([[-3.0, 1.0], [2.0, 4.0]]), np.array([0.1, 0.2, 0.15, 0.12])
    floor = open_floor(keep, points)
    around, (x0, x1, y0, y1) = 2.0 * 0.2 * (2.0 + 2.0), floor.map.grid.extent
    assert not floor.map.grid.occupied.any() and floor.need is keep and floor.map.grid.resolution == 0.1
    assert (x0, y0) == pytest.approx((-3.0 - around, 1.0 - around)) and x1 - 0.1 <= 2.0 + around <= x1 + 1e-9
    assert y1 - 0.1 <= 4.0 + around <= y1 + 1e-9


def task(model="omni"):
    return RouteTask(np.array([[0.3, 0.0], [-0.3, 0.0]]), np.zeros(3), np.ones(3), fleet(2, model, turn=2.5), mapped(room()), 0.05, Drive())


@pytest.mark.parametrize(("places", "free"), [
    ([(1.0, 1.0), (1.0, 1.16)], True), ([(1.0, 1.0), (1.0, 1.14)], False), ([(-1.0, -1.0), (-1.14, -1.0)], False),
    ([(1.0, 1.0), (-1.0, -1.0)], True), ([(1.0, 1.0), (-4.84, 0.0)], True), ([(1.0, 1.0), (-4.86, 0.0)], False),
])  # fmt: skip
def test_places_are_free_where_each_robot_has_its_room(places, free):
    """Robots of 5 cm that keep 5 cm more, in a room of 10 m with walls of a cell, 5 cm; and the same thirty times as large."""
    assert task().free(np.array(places)) == free
    one, grid = task(), room()
    large = replace(
        one, fleet=replace(one.fleet, radius=30.0 * one.fleet.radius), map=make_map(Grid(grid.occupied, (-150.0, -150.0), 1.5)), room=1.5
    )  # fmt: skip
    assert large.free(30.0 * np.array(places)) == free


@pytest.mark.parametrize(("model", "bands"), [("omni", ((0.12, 0.3),)), ("car", ((0.12, 1.0), (0.44, 1.0), (0.44, 1.6)))])
def test_smooth_ways_of_cars_are_as_wide_and_stiff_as_cars_turn(model, bands):
    """Cars that turn in a radius of 0.4 m."""
    assert np.array(task(model).bands(0.3)) == pytest.approx(np.array(bands))


def test_what_no_way_is_found_for_is_said():
    assert _failed(task("car"), None) == "all ways that were found bend tighter than cars turn, which need a radius of 0.40 m"
    assert _failed(task(), None) == "one robot gets through, but near the start there are no free places for 2 robots"
    start, at = "one robot gets through, but no order of all was found: ", np.array([1.25, -0.5])
    said = f"{start}robot_1 comes too near to a wall at (1.25, -0.50), 0.031 m are lacking"
    assert _failed(task(), Shortfall(-0.031, (1, 1), at)) == said
    said = f"{start}robot_0 and robot_1 come too near to each other at (1.25, -0.50), 0.12 m are lacking"
    assert _failed(task(), Shortfall(-0.12, (0, 1), at)) == said


def test_a_door_that_is_too_narrow_is_named_with_what_is_needed():
    """A door 0.5 m wide."""
    map = mapped(room((-0.1, 0.1, 0.25, 5.0), (-0.1, 0.1, -5.0, -0.25), side=4.0))
    robot = replace(fleet(1), radius=np.array([0.29]))
    with pytest.raises(UnreachableError) as error:
        plan_route(np.zeros((1, 2)), np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), robot, map, room=0.02, drive=Drive())
    start = "no way from (-1.00, 0.00) to (1.00, 0.00) is wide enough for one robot: the widest is 0.50 m wide at "
    assert str(error.value).startswith(start)
    assert str(error.value).endswith("0.62 m are needed, 0.04 m of it for room beside a robot of 0.58 m")


@pytest.mark.parametrize(("wide", "found", "needed", "beside", "lost"), [
    (0.07, "0.14", "0.20", "0.10", False), (0.099, "0.198", "0.200", "0.100", False), (0.0999, "0.1998", "0.2000", "0.1000", False),
    (0.1, "0.20000", "0.20000", "0.10000", True), (0.125, "0.25", "0.20", "0.10", True),
])  # fmt: skip
def test_widths_that_differ_are_told_with_as_many_digits_as_it_takes(monkeypatch, wide, found, needed, beside, lost):
    monkeypatch.setattr(route, "widest", lambda map, begin, end: (wide, np.array([1.0, 2.0])))
    said = f"the widest is {found} m wide at (1.00, 2.00), {needed} m are needed, {beside} m of it for room beside a robot of 0.1 m"
    told = route._closed(task(), np.array([1.0, 1.0]))
    assert f" is wide enough for one robot: {said}" in told
    assert told.endswith("m, up to so much is lost") == lost and told.endswith(said) != lost


def test_a_place_at_the_goal_that_is_walled_off_from_the_others_is_named():
    map = mapped(room((0.9, 1.1, -5.0, 5.0), side=4.0))
    points = np.array([[0.5, 0.0], [-0.2, 0.3], [-0.2, -0.3]])
    with pytest.raises(UnreachableError, match=r"leads from the others' places to robot_0's at the goal, \(1\.40, 0\.00\)$"):
        plan_route(points, np.array([-1.0, 0.0, 0.0]), np.array([0.9, 0.0, 0.0]), fleet(3), map, room=0.02, drive=Drive())


def test_a_place_at_the_goal_that_is_off_the_map_is_named():
    """A room of 4 m, with a wall between the start and the goal, so that there is no straight way."""
    map = mapped(room((0.4, 0.6, -1.0, 1.0), side=4.0))
    points = np.array([[1.2, 0.0], [-0.2, 0.3], [-0.2, -0.3]])
    with pytest.raises(UnreachableError, match=r"^robot_0's place at the goal, \(2\.40, 0\.00\), is off the map$"):
        plan_route(points, np.array([-1.0, 0.0, 0.0]), np.array([1.2, 0.0, 0.0]), fleet(3), map, room=0.02, drive=Drive())


def test_drawings_need_a_library(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    path.write_text('<svg>\n<path d="M 0 0 L 9 9"/></svg>')
    monkeypatch.setitem(sys.modules, "svg.path", None)
    with pytest.raises(InputError, match=r"a\.svg: line 2: d: svg\.path is not installed, expected it for drawings: pip install"):
        read_trajectory(path)
