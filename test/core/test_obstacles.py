"""Circles round what stands on a map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import room

from swarm_control.core.grid import Grid
from swarm_control.core.obstacles import FULL, round_obstacles


def disc(x: float, y: float, radius: float, resolution: float = 0.05) -> Grid:
    centre = (np.arange(200) + 0.5) * resolution - 5.0
    return Grid(np.hypot(centre - x, (centre - y)[:, None]) <= radius, (-5.0, -5.0), resolution)


def test_a_disc_is_found_where_it_is_and_as_large():
    for x, y, radius in ((0.0, 0.0, 2.0), (1.234, -2.2, 0.7)):
        (found,) = round_obstacles(disc(x, y, radius))
        assert found == pytest.approx((x, y, radius), abs=0.05)


def test_open_space_has_no_obstacles():
    assert round_obstacles(Grid(np.zeros((5, 5), bool), (0.0, 0.0), 0.1)).shape == (0, 3)


def test_a_square_has_the_circle_through_its_corners():
    (found,) = round_obstacles(room((1.0, 2.0, -1.0, 0.0), frame=False))
    assert found == pytest.approx((1.5, -0.5, np.sqrt(0.5)), abs=1e-9)


def test_what_touches_at_a_corner_is_one_obstacle():
    occupied = np.zeros((6, 6), bool)
    occupied[1, 1] = occupied[2, 2] = occupied[5, 0] = True
    found = round_obstacles(Grid(occupied, (0.0, 0.0), 1.0))
    assert sorted(map(tuple, found.round(6))) == [(0.5, 5.5, 0.707107), (2.0, 2.0, 1.414214)]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_every_occupied_cell_is_within_a_circle_and_every_circle_is_filled_enough(seed, density):
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((12, 15)) < density, (-3.0, 7.0), 0.5)
    circles = round_obstacles(grid)
    rows, columns = np.nonzero(grid.occupied)
    corners = np.stack([np.column_stack((columns + a, rows + b)) * 0.5 + (-3.0, 7.0) for a in (0, 1) for b in (0, 1)], axis=1)
    within = np.linalg.norm(corners[:, :, None] - circles[:, :2], axis=-1).max(axis=1, initial=0.0) <= circles[:, 2] + 1e-6
    assert within.any(axis=1).all()
    assert (within.sum(axis=0) * 0.25 >= FULL * np.pi * circles[:, 2] ** 2 - 1e-9).all()


def test_the_frame_of_a_room_does_not_enclose_the_room():
    circles = round_obstacles(room((-1.0, 1.0, -0.1, 0.1)))
    assert circles[:, 2].max() < 1.1
    inside = np.array([(2.0, 2.0), (0.0, -3.0), (-2.5, 0.5)])
    assert (np.linalg.norm(inside[:, None] - circles[:, :2], axis=-1) > circles[:, 2]).all()
