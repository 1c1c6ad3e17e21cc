"""Ways to many goals: straight where the floor is open; goals that see one another share a field, and only so many are kept."""

import numpy as np
import pytest
from swarms import mapped, room

from swarm_control.core import routes
from swarm_control.core.fields import lane_field
from swarm_control.core.geometry import norm, unit
from swarm_control.core.grid import read_vectors
from swarm_control.core.routes import COMFORT, LANE, Routes

RADIUS = 0.05
ROOM = room((-0.1, 0.1, -5.0, 1.0), side=4.0)
"""A wall that is open above: what is below on one side is not seen from the other."""

LEFT, RIGHT, NOWHERE = (-1.0, -1.0), (1.0, -1.0), (np.nan, np.nan)


def directions(ways, poses, goals, room=RADIUS):
    """What robots are told whose goals have been where they are for a while."""
    asked = np.asarray(poses, float), np.asarray(goals, float), np.full(len(poses), room)
    ways.direction(*asked)
    return ways.direction(*asked)


def by_field(map, pose, goal):
    field = lane_field(map, (float(goal[0]), float(goal[1])), RADIUS, COMFORT * RADIUS, LANE * RADIUS)
    return unit(read_vectors(field, map.grid, np.array([pose], float)))[0]


def test_the_way_is_straight_where_nothing_is_between_and_nobody_without_a_goal_has_one():
    poses = np.random.default_rng(0).uniform(-1.7, -0.4, (6, 3))
    goals = np.array([LEFT, LEFT, NOWHERE, (-1.4, -0.5), (-0.5, -1.5), (-1.6, 1.2)])
    found = directions(Routes(mapped(ROOM), RADIUS), poses, goals)
    going = np.arange(6) != 2
    assert found[going] == pytest.approx(unit(goals - poses[:, :2])[going])
    assert not found[2].any()


def test_who_sees_no_goal_is_led_to_the_middle_one_of_those_that_see_each_other():
    map, poses = mapped(ROOM), np.array([[-1.2, -1.0, 0.0], [-0.8, -0.6, 0.0], [-1.5, 0.1, 0.0], [1.1, -1.2, 0.0]])
    goals = np.array([(1.4, -1.4), (1.0, -1.0), (0.6, -0.5), LEFT])
    found = directions(Routes(map, RADIUS), poses, goals)
    for k, goal in enumerate(((1.0, -1.0),) * 3 + (LEFT,)):
        assert found[k] == pytest.approx(by_field(map, poses[k], goal))


def test_a_field_stays_as_long_as_the_goal_does_and_other_goals_get_others():
    map, ways, poses = mapped(ROOM), Routes(mapped(ROOM), RADIUS), np.array([[-1.2, -1.0, 0.0], [1.1, -1.2, 0.0]])
    for goals in ([RIGHT, LEFT], [RIGHT, NOWHERE], [NOWHERE, LEFT], [RIGHT, LEFT]):
        found = directions(ways, poses, goals)
        for k, goal in enumerate(goals):
            assert found[k] == pytest.approx([0.0, 0.0] if goal is NOWHERE else by_field(map, poses[k], goal))
    assert len(ways._fields) == 2


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_where_no_more_fields_are_kept_the_nearest_goals_leads(monkeypatch, side):
    monkeypatch.setattr(routes, "MOST", 2)
    walls = [(x - 0.05, x + 0.05, -5.0, 1.5) for x in (-1.0, 0.0, 1.0)]
    map, cells = mapped(room(*walls, side=4.0)), [(side * x, y) for x, y in ((-1.5, -1.3), (-0.5, -1.4), (0.5, -1.2), (1.5, -1.1))]
    poses = np.array([[0.5, -1.0, 0.0], [1.5, -0.8, 0.0], [-1.5, -1.2, 0.0], [-0.6, -1.0, 0.0]]) * (side, 1.0, 1.0)
    found = directions(Routes(map, RADIUS), poses, cells)
    for k, goal in enumerate((cells[0], cells[1], cells[1], cells[1])):
        assert found[k] == pytest.approx(by_field(map, poses[k], goal))


@pytest.mark.parametrize(("y", "kept", "straight"), [(1.5, 0.05, True), (1.5, 0.6, False), (1.2, 0.05, False), (2.0, 0.6, True)])
def test_the_way_is_straight_where_it_leaves_room_to_walls_and_nothing_narrows_it(y, kept, straight):
    map, pose = mapped(room((-0.1, 0.1, -5.0, 1.0), side=8.0)), np.array([[-1.0, y, 0.0]])
    way = directions(Routes(map, RADIUS), pose, [(1.0, y)], kept)
    assert bool(abs(way[0, 1]) < 1e-9) is straight


@pytest.mark.parametrize("half", [0.15, 0.3])
def test_through_a_door_all_keep_right(half):
    door = mapped(room((-0.1, 0.1, -9.0, -half), (-0.1, 0.1, half, 9.0), side=4.0, resolution=0.02))
    ways = Routes(door, RADIUS)
    for side in (1.0, -1.0):
        pose = np.array([[-1.2 * side, y, 0.0] for y in (-0.8, -0.3, 0.0, 0.3, 0.8)])
        goal, through = np.array([[1.2 * side, 0.1]] * 5), np.full(5, np.nan)
        for _ in range(500):
            pose[:, :2] += 0.01 * ways.direction(pose, goal, np.full(5, RADIUS))
            through = np.where(np.abs(pose[:, 0]) < 0.01, pose[:, 1], through)
        assert norm(pose[:, :2] - goal).max() < 0.02, "and they come to their goals"
        assert (side * through).max() < 0.3 * half and (side * through).mean() < 0.0, "y is to the left of who goes to +x"
        assert np.abs(through).max() < half - 0.9 * RADIUS


def test_to_a_goal_that_moves_the_way_is_straight_wherever_there_is_room():
    map, pose = mapped(room((-0.1, 0.1, -5.0, 1.0), side=8.0)), np.array([[-1.0, 1.2, 0.0]])
    ways, kept = Routes(map, RADIUS), np.array([RADIUS])
    for k in range(5):
        goal = np.array([[1.0, 1.2 + 0.01 * k]])
        assert ways.direction(pose, goal, kept) == pytest.approx(unit(goal - pose[:, :2]))
    assert ways.direction(pose, goal, kept)[0] == pytest.approx(by_field(map, pose[0], goal[0]))
    assert len(ways._fields) == 1


def test_nobody_is_led_away_from_a_goal_that_it_could_go_straight_to():
    """Two goals see each other over the end of a wall; the field of one leads the other's robot through a narrow place, and back."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        walls = [(x, x + rng.uniform(0.1, 1.0), y, y + rng.uniform(0.1, 1.0)) for x, y in rng.uniform(-1.8, 1.2, (6, 2))]
        map = mapped(room(*walls, side=4.0))
        poses, goals = rng.uniform(-1.8, 1.8, (12, 3)), rng.uniform(-1.8, 1.8, (12, 2))
        ways = Routes(map, RADIUS)
        found, free = directions(ways, poses, goals), ways._open(poses[:, :2], goals, np.full(12, RADIUS), 0.0)
        assert ((found * (goals - poses[:, :2])).sum(axis=1)[free] > 0.0).all()


def test_in_the_open_nobody_keeps_right_of_anything():
    map = mapped(room(side=8.0))
    poses = np.random.default_rng(1).uniform(-2.0, 2.0, (8, 3))
    field = lane_field(map, (0.5, 0.2), RADIUS, COMFORT * RADIUS, LANE * RADIUS)
    found = unit(read_vectors(field, map.grid, poses))
    assert (found * unit(np.array([0.5, 0.2]) - poses[:, :2])).sum(axis=1).min() > np.cos(np.deg2rad(8.0))


def test_a_goal_in_a_wall_is_gone_to_as_near_as_may_be():
    map, pose = mapped(ROOM), np.array([[-1.0, -1.0, 0.0]])
    found = directions(Routes(map, RADIUS), pose, [(0.08, -1.0)])
    assert found[0] == pytest.approx(by_field(map, pose[0], (0.08, -1.0))) or found[0] == pytest.approx([1.0, 0.0])
