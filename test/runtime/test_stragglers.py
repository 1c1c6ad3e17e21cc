"""Stragglers and cars that back off: who gets nowhere is led past walls and parked robots, and nobody else is."""

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.following import point_ahead
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import ALONE, LED, Fleet, SwarmState
from swarm_control.runtime.back_off import BackOff
from swarm_control.runtime.headway import PATIENCE, Headway, queueing
from swarm_control.runtime.making_way import with_robots
from swarm_control.runtime.stragglers import Stragglers
from swarm_control.runtime.taking_turns import LONGEST, MOST, TakingTurns, turns

GOAL = np.array([2.0, 0.0])


NOBODY, EVERYBODY = np.zeros(2, bool), np.ones(2, bool)


def pocket():
    """A room of 6 m with a wall like a cup, open to the left, between the origin and the goal."""
    occupied = np.zeros((120, 120), bool)
    occupied[[0, -1], :] = occupied[:, [0, -1]] = True
    occupied[40:80, 80:83] = occupied[40:43, 55:83] = occupied[77:80, 55:83] = True
    return Grid(occupied, (-3.0, -3.0), 0.05)


def at(time, *places):
    pose = np.column_stack((np.array(places, float), np.zeros(len(places))))
    return SwarmState.of(time, pose, np.zeros((len(places), 3)))


def test_who_gets_no_nearer_lags_until_it_rests():
    progress = Headway(2, 0.0, 0.1)
    for k in range(150):
        time = 0.1 * k
        lags = progress.lags(time, np.array([5.0, 5.0 - 0.05 * time]), NOBODY, EVERYBODY)
        assert lags.tolist() == [LED * (time > PATIENCE) + (ALONE - LED) * (time > 2.0 * PATIENCE), 0]
    assert progress.lags(15.0, np.array([2.0, 4.0]), NOBODY, EVERYBODY)[0] == ALONE, "it goes on alone"
    assert progress.lags(15.1, np.array([0.1, 4.0]), ~EVERYBODY, EVERYBODY)[0] == ALONE
    assert progress.lags(15.2, np.array([0.1, 4.0]), np.array([True, False]), EVERYBODY)[0] == 0


def test_who_waits_in_a_queue_that_moves_does_not_lag():
    """Ten in a row before a door: the first gets on, the others wait behind it; five more wait elsewhere, and one is on its way to them."""
    row = np.column_stack((0.15 * np.arange(10), np.zeros(10)))
    place = np.vstack((row, row[:5] + np.array([0.0, 3.0]), [[1.0, 3.05]]))
    to = np.array([-9.0, 0.0]) - place * (1.0, 0.0)
    waited, all_go = np.full(16, 8.0), np.ones(16, bool)
    waited[[0, 15]] = 0.5
    assert np.flatnonzero(queueing(waited, place, to, all_go, 0.1)).tolist() == list(range(1, 10))
    assert not queueing(np.full(16, 8.0), place, to, all_go, 0.1).any(), "nobody gets on"
    oncoming = np.where(np.arange(16)[:, None] == 0, -to, to)
    assert not queueing(waited, place, oncoming, all_go, 0.1).any(), "who gets on comes the other way"
    assert not queueing(waited, place + np.where(np.arange(16)[:, None] == 0, -0.5, 0.0), to, all_go, 0.1).any(), "it has gone"
    there = np.arange(16) != 0
    assert not queueing(waited, place, to, there, 0.1).any(), "it is there, and in the way"


def test_who_is_excused_is_not_late_and_is_late_as_soon_as_it_is_not():
    progress, way, first = Headway(2, 0.0, 0.1), np.array([5.0, 5.0]), np.array([True, False])
    for k in range(121):
        lags = progress.lags(0.1 * k, way, NOBODY, EVERYBODY, lambda waited: first)
        assert lags[0] == 0 and bool(lags[1] > 0) is bool(0.1 * k > PATIENCE)
    assert progress.lags(12.1, way, NOBODY, EVERYBODY, lambda waited: ~first)[0] == ALONE
    assert progress.lags(12.2, way, NOBODY, EVERYBODY, lambda waited: first)[0] == ALONE, "who has been late is led until it rests"


def test_the_time_of_who_is_not_heard_stands_still():
    """Where one in forty looks finds odometry too old, no robot would ever lag if each such look set its time back."""
    progress, way = Headway(2, 0.0, 0.1), np.array([5.0, 5.0])
    for k in range(1, 200):
        lags = progress.lags(0.1 * k, way, NOBODY, np.array([k % 10 != 0, k < 60]))
        assert lags[1] == LED * (PATIENCE < 0.1 * k < 6.0 - 1e-9)
        assert lags[0] == 0 if k % 10 == 0 else lags[0] >= LED * (0.9 * 0.1 * k > PATIENCE + 0.3)
    assert lags[0] == ALONE and progress.waited[0] == pytest.approx(0.9 * 19.9, abs=0.3) and progress.waited[1] == 0.0
    progress.lags(98.9, way, NOBODY, NOBODY)
    assert progress.lags(99.0, way, NOBODY, EVERYBODY)[1] == LED, "it goes on where it was"


def test_a_subgoal_lies_as_far_ahead_as_was_said():
    grid = Grid(np.zeros((40, 40), bool), (-1.0, -1.0), 0.05)
    ahead = np.tile(np.array([1.0, 0.0], np.float32), (40, 40, 1))
    for distance in (0.2, 0.52):
        x, y = point_ahead(ahead, make_map(grid), np.array([-0.5, 0.0]), distance, 0.1)
        assert distance <= x + 0.5 <= distance + 0.05 + 1e-9 and y == 0.0


def test_a_subgoal_is_seen_past_the_end_of_a_wall_with_room_for_the_robot():
    """The way goes round the end of a wall from below; what is seen of it keeps the room, or as much of it as there is."""
    occupied = np.zeros((80, 80), bool)
    occupied[38:42, :40] = True  # ends at (0, 0)
    map, start, room = make_map(Grid(occupied, (-2.0, -2.0), 0.05)), np.array([-0.5, -0.4]), 0.2
    field, _ = guidance_field(map, (-1.0, 1.0), 0.2, 0.3)
    x, y = point_ahead(field, map, start, 2.0, room)
    line = start + np.linspace(0.0, 1.0, 100)[:, None] * (np.array([x, y]) - start)
    corner = np.hypot(np.maximum(line[:, 0], 0.0), np.maximum(np.abs(line[:, 1]) - 0.1, 0.0))
    assert corner.min() > room - 0.02 and 0.05 < x < 0.5 and y > -0.3, "it leads round the end, not into it"


def everywhere(points):
    return np.ones(len(points), bool)


def follow(stragglers, lead, place, seconds):
    """Go where the straggler is led, 0.5 m/s; the way that it takes."""
    way = [np.array(place, float)]
    for k in range(round(10 * seconds)):
        goal = np.full((1, 2), np.nan)
        lead(at(0.1 * k, way[-1]), goal)
        step = goal[0] - way[-1] if np.isfinite(goal).all() else np.zeros(2)
        way.append(way[-1] + step * min(0.05 / max(np.hypot(*step), 1e-9), 1.0))
    return np.array(way)


@pytest.mark.parametrize("width", [0.1, 0.2, 0.3])
def test_out_of_a_cup_round_its_walls(width):
    """However wide the robot is, and so however far ahead it looks: its goal is behind a wall, and near."""
    stragglers, grid = Stragglers(FreeGround(pocket()), width), pocket()
    nobody = np.zeros(1, bool)
    lead = lambda state, goal: stragglers.lead(state, GOAL, nobody, GOAL[None], goal, 0.5, 0.5, everywhere)  # noqa: E731
    way = follow(None, lead, (0.5, 0.0), 30.0)
    cells = ((way + 3.0) / 0.05).astype(int)
    assert np.hypot(*(way[-1] - GOAL)) < 0.1 and not grid.occupied[cells[:, 1], cells[:, 0]].any()
    assert (way[: round(10 * PATIENCE)] == way[0]).all(), "nobody is led before its time"


def test_to_a_place_of_its_own_past_robots_that_have_arrived():
    grid = Grid(np.pad(np.zeros((58, 58), bool), 1, constant_values=True), (-1.5, -1.5), 0.05)
    row = [(0.4, y) for y in np.arange(-1.4, 1.0, 0.15)]
    places, arrived = np.array([GOAL / 2.0, *row]), np.array([False, *[True] * len(row)])
    stragglers, place, way = Stragglers(FreeGround(grid), 0.1), np.array([0.0, 0.0]), []
    for k in range(200):
        goal = np.array(places)
        stragglers.lead_each(at(0.1 * k, place, *row), places, arrived, goal)
        if 0.1 * k > PATIENCE + 0.1:
            step = goal[0] - place
            place = place + step * min(0.05 / max(np.hypot(*step), 1e-9), 1.0)
        way.append(place)
        assert (goal[1:] == row).all()
    assert np.hypot(*(place - places[0])) < 0.1
    passing = [y for x, y in way if 0.35 < x < 0.45]
    assert passing and min(passing) > 0.85, "round the end of the row, not through gaps that are too narrow"


def test_a_car_before_a_wall_goes_the_other_way_for_a_while():
    ones = np.ones(2)
    fleet = Fleet(("car", "other"), ("car", "differential"), 0.1 * ones, ones, 2.0 * ones, 2.0 * ones, 0.2 * ones)
    for sign in (1.0, -1.0):
        back_off, seen = BackOff(2), []
        for k in range(60):
            acceleration = np.array([[sign, 0.3], [sign, 0.3]])
            given = back_off(at(0.05 * k, (0, 0), (1, 1)), acceleration, fleet)
            assert (given[1] == acceleration[1]).all(), "who turns in place need not"
            seen.append(given[0, 0] * sign)
            assert given[0, 1] == 0.3
        assert (np.array(seen[:20]) == 1.0).all() and min(seen) < 0.0 and seen[-1] == 1.0, "then it tries again"


@pytest.mark.parametrize(("wish", "backs"), [(0.02, True), (0.005, False)])
def test_a_car_in_formation_backs_off_if_it_wants_to_go_faster_than_a_share_of_its_own_top_speed(wish, backs):
    one = np.ones(1)
    fleet = Fleet(("car",), ("car",), 0.1 * one, 0.5 * one, 2.0 * one, 2.0 * one, 0.2 * one)
    back_off = BackOff(1)
    told = [back_off.turned(at(0.05 * k, (0, 0)), np.array([[wish, 0.0, 0.4]]), fleet)[1][0] for k in range(40)]
    assert any(told) == backs


def test_robots_are_walls_in_the_cells_whose_middles_they_reach():
    made = with_robots(Grid(np.zeros((6, 5), bool), (-1.0, 2.0), 0.1), np.array([[-0.75, 2.35]]), 0.06)
    assert np.argwhere(made.occupied).tolist() == [[3, 2]]
    assert with_robots(made, np.zeros((0, 2)), 0.06) is made


@pytest.mark.parametrize(("name", "model", "robots"), [
    ("migrate_boxes", "omni", 40), ("migrate_boxes", "car", 3), ("migrate_mixed", "differential", 30), ("multi_goal", "car", 10),
    ("traffic_doorway", "differential", 40), ("traffic_doorway", "omni", 30), ("traffic_corridor", "car", 30),
])  # fmt: skip
def test_everybody_arrives(name, model, robots):
    run = sc.Simulation(name, robots=robots, seed=17, set={"robots.0.model": model}).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0 and run["collisions"] == 0


@pytest.mark.parametrize(("name", "model", "robots", "radius"), [
    ("migrate_boxes", "omni", 10, 0.175), ("migrate_mixed", "differential", 10, 0.25), ("migrate_boxes", "car", 5, 0.1),
])  # fmt: skip
def test_everybody_arrives_however_wide(name, model, robots, radius):
    wide = {"robots.0.model": model, "robots.0.radius": radius, "robots.0.wheel_base": 1.6 * radius}
    run = sc.Simulation(name, robots=robots, seed=17, set=wide).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0 and run["collisions"] == 0


@pytest.mark.parametrize("cohesion", [0.25, 0.5])
def test_robots_that_are_drawn_to_either_side_of_a_disc_do_not_hold_each_other(cohesion):
    start = {"pattern": "poses", "poses": [[-2.0, 0.8, 0.0], [-2.0, -0.8, 0.0]]}
    goal = {"position": [3.5, 0.0], "arrival_room": 0.75, "fraction": 1.0}
    changes = {"world": "circle.world", "cohesion.weight": cohesion, "goals": [goal], "robots.0.start": start}
    run = sc.Simulation("maze_hard", robots=2, seed=1, set=changes)
    assert run.run(until="arrival").time < 40.0
    assert run.metrics()["arrived_fraction"] == 1.0


@pytest.mark.parametrize(("robots", "model", "seed"), [(3, "omni", 2), (4, "omni", 2), (2, "differential", 41)])
def test_a_few_robots_gather_at_the_goal_though_some_lag(robots, model, seed):
    run = sc.Simulation("migrate_boxes", robots=robots, seed=seed, set={"robots.0.model": model}).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0


def test_those_that_go_the_same_way_have_their_turns_and_who_comes_towards_them_gives_way():
    """A row that goes right, one that comes left on the same line, and one that comes left far off."""
    right = np.column_stack((np.linspace(0.0, 4.0, MOST + 2), np.zeros(MOST + 2)))
    left = np.column_stack((np.linspace(0.05, 4.05, MOST + 2), np.full(MOST + 2, 0.1)))
    position = np.vstack((right, left, [[2.0, 9.0]]))
    places = np.vstack((right + np.array([5.0, 0.0]), left - (6.0, 0.0), [[-4.0, 9.0]]))
    places[2] = position[2] + (1.0, 0.0)  # the foremost
    had = np.zeros(len(position), np.int64)
    turn, aside = turns(np.arange(len(position)), [], had, position, places, 0.3)
    nearest = np.argsort(np.abs(right[:, 0] - right[2, 0]), kind="stable")[:MOST]
    assert turn == nearest.tolist()
    close = [MOST + 2 + k for k in range(MOST + 2) if np.hypot(*(left[k] - right[turn]).T).min() < 0.3]
    assert aside == close and len(close) >= MOST
    few = np.array([2, MOST + 4])
    assert turns(few, [], had, position, places, 0.3) == ([2, MOST + 4], []), "few have their turns all together"
    assert turns(few, [MOST + 4], had, position, places, 0.3)[0] == [MOST + 4, 2], "who has been led goes on being so"
    assert turns(np.arange(MOST), [*range(MOST)], had, position, places, 0.3) == ([*range(MOST)], [])
    had[[2, 3]] = 1
    turn, _ = turns(np.arange(len(position)), [], had, position, places, 0.3)
    far = norm(places - position) + 99.0 * had
    assert not {2, 3} & set(turn) and turn[0] == far.argmin(), "who has had a turn comes later"


def test_who_is_led_in_vain_has_had_its_turn_and_who_gets_on_keeps_it():
    """More than twice as many robots in a row as are led; those that are led first are held, but for one."""
    robots = np.arange(2 * MOST + 2)
    position = np.column_stack((0.2 * robots, np.zeros(len(robots))))
    places, waited, taking = position + np.array([5.0, 0.0]), np.full(len(robots), 100.0), TakingTurns(len(robots))
    taking.look(0.0, robots, waited, position, places, 0.3)
    first = taking.led
    waited[first[0]] = 1.0
    taking.look(LONGEST, robots, waited, position, places, 0.3)
    assert taking.led == first
    taking.look(LONGEST + 0.1, robots, waited, position, places, 0.3)
    assert taking.led[0] == first[0] and len(taking.led) == MOST and not set(first[1:]) & set(taking.led)


def test_in_open_space_and_without_a_goal_nobody_is_led_to_places():
    stragglers, goal = Stragglers(FreeGround(pocket()), 0.1), np.full((1, 2), np.nan)
    nowhere, nobody = np.full(2, np.nan), np.zeros(1, bool)
    assert stragglers.lead(at(0.0, (0.5, 0.0)), nowhere, nobody, GOAL[None], goal, 0.5, 0.5, everywhere).tolist() == [0]
    nobody = Stragglers(FreeGround(None), 0.1).lead_each(at(0.0, (0.5, 0.0)), GOAL[None], np.zeros(1, bool), goal)
    assert nobody.tolist() == [0] and np.isnan(goal).all()


def test_who_gives_way_goes_back_from_where_it_is_to_go(monkeypatch):
    """As far as robots are led ahead, or as it is to its place."""
    monkeypatch.setattr("swarm_control.runtime.taking_turns.turns", lambda lagging, *_: ([], lagging.tolist()))
    stragglers, goal = Stragglers(FreeGround(pocket()), 0.1), np.zeros((2, 2))
    places = np.array([[2.5, 0.0], [0.5, 0.3]])
    for time in (0.0, 2.1 * PATIENCE):
        led = stragglers.lead_each(at(time, (0.5, 0.0), (0.5, 0.0)), places, np.zeros(2, bool), goal)
    assert led.tolist() == [ALONE, ALONE] and goal == pytest.approx(np.array([[0.5 - 0.8, 0.0], [0.5, -0.3]]))


@pytest.mark.parametrize("heard", [True, False])
def test_who_is_not_heard_moves_up_in_no_queue(heard):
    """Rows of who is not heard are zeros: a place just ahead of those who wait, at which nobody gets on."""
    free, goal = Grid(np.zeros((200, 200), bool), (-5.0, -5.0), 0.05), np.zeros((3, 2))
    stragglers, places = Stragglers(FreeGround(free), 0.1), np.array([[-3.0, 0.0], [-3.0, 0.3], [-3.0, -0.3]])
    for k in range(80):
        pose = np.array([[0.2, 0.0, 0.0], [0.3, 0.1, 0.0], [0.0, 0.0, 0.0]]) - [0.02 * k * heard, 0.0, 0.0]
        state = SwarmState.of(0.1 * k, pose, np.zeros((3, 3)), np.array([True, True, heard]))
        lags = stragglers.lead_each(state, places, np.zeros(3, bool), goal)
    assert (lags[:2] > 0).tolist() == [not heard] * 2
