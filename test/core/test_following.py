"""What a field of directions leads to, where that is known: along a straight way, past a corner, and to a goal."""

import numpy as np
import pytest

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.following import point_ahead, straight, way_ahead
from swarm_control.core.grid import Grid


def floor(*walls):
    """A floor of 4 m × 4 m with cells of 5 cm around the origin, with these blocks (x, y from and to, m) as walls."""
    occupied = np.zeros((80, 80), bool)
    for x0, x1, y0, y1 in walls:
        (a, b), (c, d) = (np.round((np.array(side) + 2.0) / 0.05).astype(int) for side in ((y0, y1), (x0, x1)))
        occupied[a:b, c:d] = True
    return make_map(Grid(occupied, (-2.0, -2.0), 0.05))


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
def test_a_field_that_points_one_way_is_followed_straight_on_in_steps_of_a_cell(angle):
    map, ahead = floor(), np.array([np.cos(angle), np.sin(angle)])
    field, start = np.tile(ahead.astype(np.float32), (80, 80, 1)), np.array([0.3, -0.2])
    assert np.allclose(point_ahead(field, map, start, 0.52, 0.1), start + 11 * 0.05 * ahead, atol=1e-6)
    way = way_ahead(field, map.grid, start, np.array([50.0, 50.0]), 0.52)
    assert np.allclose(way, start + np.arange(11)[:, None] * 0.05 * ahead, atol=1e-6)


def test_a_way_ends_at_the_goal():
    map, goal, start = floor((-0.1, 0.1, -2.0, 0.5)), np.array([1.0, -1.0]), np.array([-1.0, -1.0])
    field, _ = guidance_field(map, tuple(goal), 0.15, 0.3)
    way = way_ahead(field, map.grid, start, goal, 10.0)
    assert (way[0] == start).all() and np.hypot(*(way[-1] - goal)) < 0.05 and len(way) < 200
    assert np.hypot(*(way[:-1] - goal).T).min() >= 0.05, "and no later"
    assert np.hypot(*np.diff(way, axis=0).T).max() <= 0.05 + 1e-6
    over = way[np.abs(way[:, 0]) < 0.1]
    assert len(over) and over[:, 1].min() > 0.5, "past the wall's end, not through it"


def test_the_point_ahead_is_the_last_that_can_be_gone_to_straight_on():
    map, start = floor((-0.1, 0.1, -2.0, 0.5)), np.array([-1.0, -1.0])
    field, _ = guidance_field(map, (1.0, -1.0), 0.15, 0.3)
    way, ahead = way_ahead(field, map.grid, start, np.array([1.0, -1.0]), 10.0), point_ahead(field, map, start, 3.0, 0.1)
    seen = [straight(map, start, place, np.inf, 0.1) for place in way]
    last = seen.index(False, 3) - 1
    assert np.allclose(ahead, way[last]) and 0.5 < np.hypot(*(ahead - start)) < 2.9


def test_straight_on_is_within_reach_with_room_or_where_one_stands():
    map, here = floor((-0.1, 0.1, -2.0, 0.5)), np.array([-0.5, 0.0])
    assert straight(map, here, np.array([-0.5, 1.5]), 1.5, 0.2) and not straight(map, here, np.array([-0.5, 1.5]), 1.49, 0.2)
    assert not straight(map, here, np.array([0.5, 0.0]), 9.0, 0.1), "through the wall"
    assert straight(map, here, np.array([0.5, 2.0]), 9.0, 0.1) and not straight(map, here, np.array([0.5, 1.2]), 9.0, 0.3), "past its end"
    assert straight(map, here, here, 0.0, 5.0), "there already"
    near = np.array([-0.2, 0.0])
    assert straight(map, near, np.array([-1.0, 0.0]), 9.0, 0.5), "who has less room to begin with may leave"
