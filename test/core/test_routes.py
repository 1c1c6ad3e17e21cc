"""Ways to many goals: goals that see one another share a field, and there are no more fields than are kept."""

import numpy as np
import pytest
from swarms import mapped, room

from swarm_control.core import routes
from swarm_control.core.fields import guidance_field
from swarm_control.core.grid import read_vectors
from swarm_control.core.routes import Routes

ROOM = room((-0.1, 0.1, -5.0, 1.0), side=4.0)
"""A wall that is open above: what is below on one side is not seen from the other."""

LEFT, RIGHT, NOWHERE = (-1.0, -1.0), (1.0, -1.0), (np.nan, np.nan)


def expected(map, poses, goal):
    return read_vectors(guidance_field(map, goal, 0.1, 0.3)[0], map.grid, poses)


def test_each_goes_to_the_first_goal_of_those_that_see_its_own_and_nobody_without_a_goal():
    map = mapped(ROOM)
    poses = np.random.default_rng(0).uniform(-1.8, 1.8, (6, 3))
    goals = np.array([LEFT, RIGHT, (-1.4, 0.5), (1.5, -1.5), NOWHERE, (0.7, 0.2)])
    found = Routes(map, 0.1).direction(poses, goals)
    for k, goal in enumerate((LEFT, RIGHT, LEFT, RIGHT, None, RIGHT)):
        assert found[k] == pytest.approx(expected(map, poses[k : k + 1], goal)[0] if goal else [0.0, 0.0])
    assert not found[4].any()


def test_other_goals_are_led_to_by_fields_of_their_own():
    map, poses = mapped(ROOM), np.array([[-1.2, 1.4, 0.0], [1.1, 1.2, 0.0]])
    ways = Routes(map, 0.1)
    for goals in ([LEFT, LEFT], [RIGHT, LEFT], [LEFT, RIGHT], [RIGHT, NOWHERE]):
        found = ways.direction(poses, np.array(goals))
        for k, goal in enumerate(goals):
            assert found[k] == pytest.approx(expected(map, poses[k : k + 1], goal)[0] if goal is not NOWHERE else [0.0, 0.0])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_where_no_more_fields_are_kept_the_nearest_goals_leads(monkeypatch, side):
    monkeypatch.setattr(routes, "MOST", 2)
    walls = [(x - 0.05, x + 0.05, -5.0, 5.0) for x in (-1.0, 0.0, 1.0)]
    map, cells = mapped(room(*walls, side=4.0)), [(side * x, y) for x, y in ((-1.5, 0.3), (-0.5, -0.4), (0.5, 0.2), (1.5, 0.1))]
    poses = np.array([[-1.4, -1.0, 0.0], [-0.6, 0.8, 0.0], [-0.4, 1.2, 0.0], [-0.6, -1.0, 0.0]]) * (side, 1.0, 1.0)
    found = Routes(map, 0.1).direction(poses, np.array(cells))
    for k, goal in enumerate((cells[0], cells[1], cells[1], cells[1])):
        assert found[k] == pytest.approx(expected(map, poses[k : k + 1], goal)[0])


def test_a_goal_in_a_wall_has_a_field_of_its_own():
    map, goal = mapped(ROOM), np.array([[0.0, -1.0]])
    pose = np.array([[-1.0, -1.0, 0.0]])
    assert Routes(map, 0.1).direction(pose, goal) == pytest.approx(expected(map, pose, (0.0, -1.0)))
