import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import swarm_control.robots  # noqa: F401
from swarm_control.core.fields import make_map
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.routing.arrangement import chain
from swarm_control.formation.routing.islands import islands
from swarm_control.formation.routing.path_search import cell, exact_map
from swarm_control.formation.routing.proof import pair_needs, tightest
from swarm_control.formation.routing.route import plan_opening, plan_route
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import place
from swarm_control.formation.timetable import Timetable, UnreachableError

ROOM, RESOLUTION = 0.05, 0.05
START, GOAL = np.array([-2.5, -2.0, 0.3]), np.array([2.4, 1.8, -0.4])


def fleet(count, model, radius=0.12):
    one = np.ones(count)
    turn = 4.0 if model == "car" else 6.0
    return Fleet(tuple(f"r{k}" for k in range(count)), (model,) * count, radius * one, one, 2.0 * one, turn * one, 0.2 * one)


def world(*boxes, free=(), width=8.0, height=8.0):
    """A framed room around the origin with boxes (x0, x1, y0, y1) in m, and ``free`` ones taken out of them."""
    occupied = np.zeros((round(height / RESOLUTION), round(width / RESOLUTION)), bool)
    occupied[:2] = occupied[-2:] = occupied[:, :2] = occupied[:, -2:] = True
    for value, some in ((True, boxes), (False, free)):
        for x0, x1, y0, y1 in some:
            rows, columns = (slice(*(max(round((a + 4) / RESOLUTION), 0) for a in ends)) for ends in ((y0, y1), (x0, x1)))
            occupied[rows, columns] = value
    return make_map(Grid(occupied, (-4.0, -4.0), RESOLUTION))


def clutter(rng, boxes, reach):
    """A room with boxes of up to a metre, their middles at most ``reach`` (m) from the origin along both axes."""
    x, y = rng.uniform(-reach, reach, (2, boxes))
    side = rng.uniform(0.05, 0.5, (2, boxes))
    return world(*np.column_stack((x - side[0], x + side[0], y - side[1], y + side[1])))


def wall_with_gap(width, thickness=0.4):
    return world((0.0, thickness, -4, 4), free=[(0.0, thickness, -width / 2, width / 2)])


WORLDS = {
    "open": world(),
    "gap": wall_with_gap(0.5),
    "slalom": world((-1.3, -1.1, -4, 2.2), (0.0, 0.2, -2.2, 4), (1.2, 1.3, -4, 0.6)),
    "corridor": world((-4, 4, -4, 4), free=[(-3.9, -1, -3.9, -0.7), (-2.2, -1.5, -1, 2.5), (-2.2, 0.7, 1.9, 2.6), (0.0, 3.9, 0.2, 3.9)]),
    "doors": world((-1.4, -1.3, -4, 4), (1.0, 1.1, -4, 4), free=[(-1.4, -1.3, -2.9, -2.3), (1.0, 1.1, 1.3, 1.8)]),
}
SIZES = {"line": 6, "wedge": 7, "circle": 9, "grid": 16}


def plan(points, model, map, pose=START, goal=GOAL, drive=None, by=plan_route):
    return by(points, pose, goal, fleet(len(points), model), map, room=ROOM, drive=drive or Drive())


def dense(schedule):
    clock = np.linspace(0.0, schedule.duration, max(int(schedule.duration / 0.02), 2))
    return np.array([schedule.at(t) for t in clock])


def wall_gap(places, grid):
    """Least distance from places (..., 2) to an occupied square, by looking at all of them."""
    rows, columns = np.nonzero(grid.occupied)
    middle = np.array(grid.origin) + grid.resolution * (np.column_stack((columns, rows)) + 0.5)
    from scipy.spatial import cKDTree

    flat, best = places.reshape(-1, 2), np.inf
    for some, near in zip(flat, cKDTree(middle).query(flat, 12)[1]):
        best = min(best, norm(np.maximum(np.abs(middle[near] - some) - grid.resolution / 2, 0.0)).min())
    return best


def check(route, points, model, map, goal=GOAL):
    robots, schedule = fleet(len(points), model), route.schedule
    places = dense(schedule)
    assert np.abs(schedule.place[-1] - place(points, goal)).max() < 1e-6
    assert wall_gap(places[::3], map.grid) >= 0.12 + ROOM - 1.1e-3
    apart = norm(places[:, :, None] - places[:, None])[:, ~np.eye(len(points), dtype=bool)]
    assert apart.min(initial=9.0) >= 0.24 + ROOM - 1.1e-3
    assert np.diff(schedule.time).max(initial=0.0) <= 0.05 * 1.4
    if len(schedule.time) > 2:
        velocity = np.diff(schedule.place, axis=0) / np.diff(schedule.time)[:, None, None]
        change = np.diff(velocity, axis=0) / np.diff(schedule.time)[1:, None, None]
        drive = Drive()
        assert norm(velocity).max() <= drive.speed_share * 1.0 + 0.01
        assert norm(change).max() <= drive.acceleration_share * 2.0 * 1.02
        assert norm(velocity[[0, -1]]).max() <= 0.15
    if model == "car":
        assert sharpest(schedule) <= 1.25 * robots.max_turn_rate[0] / robots.max_speed[0]


def sharpest(schedule):
    """Greatest curvature of the robots' ways, over 8 cm, 1/m."""
    most = 0.0
    for way in schedule.place.transpose(1, 0, 2):
        gone = np.concatenate(([0.0], np.cumsum(norm(np.diff(way, axis=0)))))
        even = np.column_stack([np.interp(np.arange(0.0, gone[-1], 0.08), gone, way[:, k]) for k in range(2)])
        turn = np.unwrap(np.arctan2(*np.diff(even, axis=0).T[::-1]))
        most = max(most, np.abs(np.diff(turn)).max(initial=0.0) / 0.08)
    return most


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
@pytest.mark.parametrize("name", list(WORLDS))
@pytest.mark.parametrize("kind", list(SIZES))
def test_formations_get_through(kind, name, model):
    points = shape(kind, SIZES[kind], 0.4)
    check(plan(points, model, WORLDS[name]), points, model, WORLDS[name])


@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(list(SIZES)), st.sampled_from(["omni", "differential"]))
@settings(max_examples=15, deadline=None)
def test_clutter_that_chance_has_made(seed, count, kind, model):
    rng = np.random.default_rng(seed)
    map = clutter(rng, 9, 1.6)
    points, goal = shape(kind, count, 0.35), np.array([2.7, 2.7, rng.uniform(-3, 3)])
    try:
        route = plan(points, model, map, START, goal)
    except UnreachableError as refusal:
        parts, _ = ndimage.label(exact_map(map).clearance > 0.12 + ROOM + 0.03)
        start, end = parts[cell(map, START[:2])], {parts[cell(map, some)] for some in place(points, goal)}
        assert "at the goal" in str(refusal) or {start} != end or start == 0, refusal
        return
    check(route, points, model, map, goal)


def test_a_free_way_is_rigid_and_begins_where_the_structure_is():
    points = shape("wedge", 5, 0.5)
    route = plan(points, "omni", world())
    assert route.bent == 0.0
    assert np.abs(route.schedule.place[0] - place(points, START)).max() < 1e-9


def test_a_formation_is_narrowed_for_a_gap_and_no_more_than_that():
    points = shape("grid", 9, 0.55)
    wide, narrow = (plan(points, "omni", wall_with_gap(width)).bent for width in (2.0, 0.5))
    assert 0.0 < wide < narrow


def test_one_robot_takes_a_gap_of_its_width():
    check(plan(np.zeros((1, 2)), "differential", wall_with_gap(0.4)), np.zeros((1, 2)), "differential", wall_with_gap(0.4))


def test_the_same_question_has_the_same_answer():
    points = shape("circle", 7, 0.4)
    one, other = (plan(points, "omni", WORLDS["doors"]).schedule for _ in range(2))
    assert np.array_equal(one.time, other.time) and np.array_equal(one.place, other.place)


def test_planning_is_quick():
    points = shape("grid", 20, 0.4)
    plan(points, "omni", WORLDS["gap"])
    begin = time.perf_counter()
    plan(points, "omni", WORLDS["doors"])
    assert time.perf_counter() - begin < 5.0  # 0.2 s on an idle machine


def test_slow_orders_are_obeyed():
    points = shape("wedge", 3, 0.5)
    schedule = plan(points, "omni", WORLDS["gap"], drive=Drive(max_speed=0.2)).schedule
    assert norm(np.diff(schedule.place, axis=0) / np.diff(schedule.time)[:, None, None]).max() <= 0.2 + 2e-3


REFUSED = {
    "in a wall": (world((2.2, 2.8, 1.5, 2.2)), "lies in a wall"),
    "near a wall": (world((2.5, 2.8, 1.5, 2.2)), "from a wall, it needs 0.17 m"),
    "closed room": (world((0.0, 0.4, -4, 4)), "walls close it off"),
    "narrow passage": (wall_with_gap(0.2), "the widest is 0.2"),
}


@pytest.mark.parametrize("why", list(REFUSED))
def test_refusals_say_why(why):
    map, words = REFUSED[why]
    with pytest.raises(UnreachableError, match=words):
        plan(np.zeros((1, 2)) if "wall" in why else shape("line", 3, 0.4), "omni", map)


@pytest.mark.parametrize("model", ["omni", "differential"])
@pytest.mark.parametrize("middle", [0.0, 0.2])
def test_a_line_opens_for_a_pillar_and_closes_behind_it(model, middle):
    points, map = shape("line", 6, 0.5), world((-0.3, 0.3, middle - 0.4, middle + 0.4))
    pose, goal = np.array([-2.7, 0.0, 0.0]), np.array([2.7, 0.0, 0.0])
    route, round_it = (plan(points, model, map, pose, goal, by=one) for one in (plan_opening, plan_route))
    check(route, points, model, map, goal)
    assert route.schedule.duration < 0.8 * round_it.schedule.duration
    beside = dense(route.schedule)[:, :, 1][np.abs(dense(route.schedule)[:, :, 0]) < 0.3]
    assert (beside > middle + 0.4).any() and (beside < middle - 0.4).any()
    beside = dense(round_it.schedule)[:, :, 1][np.abs(dense(round_it.schedule)[:, :, 0]) < 0.3]
    assert (beside > middle + 0.4).all() or (beside < middle - 0.4).all()


@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(list(SIZES)), st.sampled_from(["omni", "differential", "car"]))
@settings(max_examples=15, deadline=None)
def test_a_formation_that_opens_keeps_its_room_and_limits(seed, count, kind, model):
    rng = np.random.default_rng(seed)
    map = clutter(rng, 4, 1.5)
    points, goal = shape(kind, count, 0.5), np.array([2.4, 1.5, rng.uniform(-3, 3)])
    try:
        route = plan(points, model, map, START, goal, by=plan_opening)
    except UnreachableError:
        return
    check(route, points, model, map, goal)
    with pytest.raises(UnreachableError, match="nothing to open for"):
        plan(points, model, map, START, goal, by=partial(plan_opening, within=0.5 * route.schedule.duration))


def test_that_each_robot_goes_to_the_end_of_the_way_by_itself_is_no_opening():
    """Where the column of a hundred is longer than the way a search for levels may begin at the way's end."""
    points, map = shape("grid", 100, 0.2), world((-0.5, 0.5, -0.5, 0.5))
    pose, goal, robots = np.array([-2.5, -0.6, 0.0]), np.array([2.5, 0.6, 0.0]), fleet(100, "differential", 0.05)
    with pytest.raises(UnreachableError, match="nothing to open for"):
        plan_opening(points, pose, goal, robots, map, room=0.02, drive=Drive())


def test_islands_reach_no_edge_and_are_no_larger_than_asked():
    map = world((-1.0, -0.5, 0.0, 0.5), (1.0, 1.2, -4.0, 0.0), (2.0, 3.0, 1.0, 3.0))
    some, every = islands(map, 1.0), islands(map, 3.0)
    assert islands(map, 0.5) is None
    assert some.widest == pytest.approx(0.5 * 2**0.5) and every.widest == pytest.approx(5**0.5)
    assert (some.without.grid.occupied == world((1.0, 1.2, -4.0, 0.0), (2.0, 3.0, 1.0, 3.0)).grid.occupied).all()
    assert (every.without.grid.occupied == world((1.0, 1.2, -4.0, 0.0)).grid.occupied).all()


def test_points_too_near_to_each_other_are_named():
    with pytest.raises(UnreachableError, match=r"r0 and r1 are 0.20 m apart in the formation, they need 0.29 m"):
        plan(np.array([[0.0, 0.0], [0.0, 0.2]]), "omni", world())


@given(st.integers(1, 15), st.sampled_from(list(SIZES)), st.floats(0.3, 1.0), st.floats(-3.0, 3.0))
@settings(max_examples=40, deadline=None)
def test_robots_stay_apart_from_the_formation_to_the_column(count, kind, spacing, turn):
    points = place(shape(kind, count, spacing), np.array([0.3, -0.4, turn]))
    pair = pair_needs(fleet(count, "omni"), ROOM)
    made = chain(points, pair, 1.1 * pair, 0.05)
    assert np.abs(made.points[0] - points).max() < 1e-9 and np.abs(made.points[-1][:, 1]).max() < 1e-9
    apart = norm(points[:, None] - points)
    for levels in (made.points, 0.5 * (made.points[1:] + made.points[:-1])):
        kept = norm(levels[:, :, None] - levels[:, None]) - np.minimum(pair, apart)
        assert kept.min(initial=0.0) > -0.01
    assert norm(np.diff(made.points, axis=0)).max(initial=0.0) <= 0.05 + 1e-9
    assert made.points[-1][:, 0].mean() == pytest.approx(points[:, 0].mean()), "it is drawn out about its middle"
    assert np.ptp(made.points[-1][:, 0]) == pytest.approx(1.1 * 0.29 * (count - 1))


def test_the_proof_sees_what_lies_between_samples():
    crossing = Timetable(np.array([0.0, 1.0]), np.array([[[-1.0, 0.0], [0.0, -1.0]], [[1.0, 0.0], [0.0, 1.0]]]))
    short = tightest(crossing.place, fleet(2, "omni"), world(), ROOM)
    assert short.robots == (1, 0) and short.spare == pytest.approx(-0.29)
    still = tightest(np.array([[[0.0, 0.0], [0.0, 0.3]]]), fleet(2, "omni"), world(), ROOM)
    assert still.robots == (1, 0) and still.spare == pytest.approx(0.01)
    through = np.array([[[-1.0, 0.02]], [[1.0, 0.02]]])
    assert tightest(through, fleet(1, "omni"), world((0.0, 0.1, -0.4, 0.4)), ROOM).spare == pytest.approx(-0.17)
