"""Ways on a lattice for one robot after the other: steps to neighbours, nobody too near to another, whatever order it takes."""

import numpy as np
import pytest
from swarms import mapped, room

from swarm_control.core.geometry import norm
from swarm_control.formation.forming.among_walls import Walls, paths, shortest, steps
from swarm_control.formation.forming.lattice import neighbour
from swarm_control.formation.forming.legs import free
from swarm_control.formation.forming.prioritised import DIRECT, ENTER, LEAVE, STAY, _option, _stands
from swarm_control.formation.forming.straighten import lone_shortcuts

RADIUS = 0.12
DEAD_END = room((-5.0, 0.0, 0.2, 5.0), (-5.0, 0.0, -5.0, -0.2), side=4.0)
"""A corridor 0.4 m wide to the left, shut at its end, that opens to the right."""


def found(grid, start, goal, robot=None, sizes=None):
    """Steps of the robots, the longest way of each of which is searched first; and how long the ways are alone."""
    start, goal, n = np.array(start, float), np.array(goal, float), len(start)
    keep = np.full(n, RADIUS) if sizes is None else np.array(sizes)
    walls = Walls(mapped(grid), keep + 0.02)
    robot, pairs = np.arange(n) if robot is None else np.array(robot), np.zeros((n, n), bool)
    pairs[robot, np.arange(n)] = True
    ways = paths(walls, start, goal, pairs)
    end = np.empty_like(goal)
    end[robot] = goal
    return steps(walls, ways, start, end, robot, keep), end, ways


def check(way, start, end, keep, pitch):
    assert way[0] == pytest.approx(np.array(start)) and way[-1] == pytest.approx(end)
    assert (way[-1] != way[-2]).any(), "it ends with the last move"
    assert free(way, keep)
    far, between = norm(np.diff(way, axis=0)), (norm(way[:-1] - way[0]) > 0.0) & (norm(way[1:] - way[-1]) > 0.0)
    assert far[between].max() == pytest.approx(np.sqrt(2.0) * pitch) or far[between].max() == pytest.approx(pitch)


@pytest.mark.parametrize(("goal", "robot"), [([[1.0, 0.0], [-1.0, 0.1]], None), ([[-1.0, 0.1], [1.0, 0.0]], [1, 0])])
def test_two_robots_pass_each_other_in_the_open(goal, robot):
    start = [[-1.0, 0.0], [1.0, 0.05]]
    (way,), end, ways = found(room(side=4.0), start, goal, robot)
    check(way, start, end, np.full(2, RADIUS), ways.lattice.pitch)
    for i in range(2):
        gone = norm(np.diff(way[:, i], axis=0)).sum()
        assert gone <= 1.15 * norm(end[i] - np.array(start)[i]) + 2.0 * ways.lattice.pitch


def test_who_stands_in_the_way_makes_way_whatever_the_order():
    """Into a dead end, where the second has to come out before the first can go in: depth tells a wrong order first."""
    start, goal = [[1.0, 0.0], [-0.8, 0.0], [-0.3, 0.0]], [[-1.6, 0.0], [1.2, 0.8], [1.2, -0.8]]
    (way,), end, ways = found(DEAD_END, start, goal)
    check(way, start, end, np.full(3, RADIUS), ways.lattice.pitch)


def test_in_a_dead_end_the_order_of_robots_cannot_be_changed():
    start, goal = [[-1.5, 0.0], [-1.0, 0.0]], [[-1.0, 0.0], [-1.5, 0.0]]
    narrow = room((-5.0, 5.0, 0.2, 5.0), (-5.0, 5.0, -5.0, -0.2), side=4.0)
    made, _, _ = found(narrow, start, goal)
    assert made == []


def test_a_robot_that_is_where_it_is_to_be_stays_unless_it_is_in_the_way():
    start, goal = [[-1.0, 0.0], [1.0, 1.0]], [[0.5, 0.0], [1.0, 1.0]]
    (way,), end, ways = found(room(side=4.0), start, goal)
    check(way, start, end, np.full(2, RADIUS), ways.lattice.pitch)
    assert (way[:, 1] == np.array([1.0, 1.0])).all()


def test_the_nearest_robots_take_the_points():
    length = np.array([[1.0, 3.0, np.inf], [2.0, 1.0, 4.0], [np.inf, 2.0, 1.5]])
    assert shortest(length).tolist() == [0, 1, 2]
    assert shortest(np.array([[1.0, np.inf], [1.1, 5.0]])).tolist() == [0, 1]
    assert shortest(np.array([[np.inf, 1.0], [3.0, 0.1]])).tolist() == [1, 0], "what cannot be is not chosen"
    assert shortest(np.array([[0.9, np.inf], [0.1, 0.2]])).tolist() == [0, 1], "nor where all ways are short"


def test_a_place_is_taken_where_any_one_stands_near():
    standing, want = np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([0.5, 0.2])
    places = [(0.4, 0.0), (0.6, 0.0), (2.9, 0.0), (2.7, 0.0)]
    assert [_stands(*place, standing, want) for place in places] == [True, False, True, False]
    assert not _stands(0.0, 0.0, standing[:0], want[:0])


def test_from_a_node_a_robot_waits_goes_to_a_neighbour_or_leaves_and_from_its_begin_it_enters():
    _, _, ways = found(room(side=4.0), [[-1.0, 0.0]], [[1.0, 0.0]])
    lattice, need = ways.lattice, RADIUS
    shape, last, entries = (lattice.rows, lattice.columns, lattice.pitch, need, True), np.zeros(len(lattice.places), bool), np.arange(5, 17)
    last[7], nodes = True, len(last)
    for node in (7, nodes // 2, nodes - 3):
        told = [_option(k, node, entries, last, lattice.sides, shape) for k in range(15)]
        near = [neighbour(node, k, lattice.sides, lattice.rows, lattice.columns, need) for k in range(8)]
        assert told == [(node, STAY), *((near[k], k + 1) for k in range(8)), (nodes + 1 if last[node] else -1, LEAVE), *[(-1, STAY)] * 5]
    begun = [_option(k, nodes, entries, last, lattice.sides, shape) for k in range(15)]
    assert begun == [(nodes, STAY), *((int(entry), ENTER) for entry in entries), (nodes + 1, DIRECT), (-1, DIRECT)]
    assert [_option(k, nodes + 1, entries, last, lattice.sides, shape) for k in range(3)] == [(nodes + 1, STAY), (-1, STAY), (-1, STAY)]


@pytest.mark.parametrize("walls", [[], [(-0.1, 0.1, -5.0, 0.5)]])
def test_lone_shortcuts_are_straight_where_walls_and_others_let_them(walls):
    corner = [(-1.0, 0.0), (-1.0, 0.4), (-1.0, 0.9), (0.0, 0.9), (1.0, 0.9), (1.0, 0.4), (1.0, 0.0)]
    other = [(0.0, 1.6)] * 3 + [(0.0, 1.3)] * 4
    way, keep = np.stack((np.array(corner), np.array(other)), axis=1), np.full(2, RADIUS)
    ground = Walls(mapped(room(*walls, side=4.0)), keep + 0.02)
    short = lone_shortcuts(way, ground, keep)
    assert short[[0, -1]] == pytest.approx(way[[0, -1]]) and ground.clear(short) and free(short, keep)
    length = norm(np.diff(short, axis=0)).sum(axis=0)
    assert length[0] == pytest.approx(2.0) if not walls else 2.0 * np.hypot(0.9, 0.5) < length[0] < 3.6


def test_what_robots_have_to_spare_at_walls_is_known_up_to_twice_their_need():
    ground = Walls(mapped(room(side=4.0)), np.array([0.2, 0.1]))
    spare = ground.spare(np.array([[[1.5, 0.0], [0.0, 0.0]], [[0.0, 1.7], [0.0, -1.6]]]))
    edge = 2.0 - float(ground.map.grid.resolution)  # the outer cells are walls
    expected = [[edge - 1.5 - 0.2, 0.6 - 0.1], [edge - 1.7 - 0.2, edge - 1.6 - 0.1]]
    assert spare == pytest.approx(np.array(expected), abs=0.06)
