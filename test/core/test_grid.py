import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import map_coordinates
from swarms import mapped, room

from swarm_control.core.fields import clearance_field
from swarm_control.core.grid import Grid, read_scalar, read_vectors, sure_room, wall_distance, way_length


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32))
def test_reading_is_bilinear_between_centres_and_the_nearest_beyond(seed):
    rng = np.random.default_rng(seed)
    field = rng.normal(size=(*rng.integers(1, 9, 2), 2)).astype(np.float32)
    grid = Grid(np.zeros(field.shape[:2], bool), (-1.0, 2.0), 0.25)
    position = rng.uniform(-3.0, 5.0, (40, 2))
    i, j = (position[:, 1] - 2.0) / 0.25 - 0.5, (position[:, 0] + 1.0) / 0.25 - 0.5
    expected = np.stack([map_coordinates(field[..., k].astype(float), (i, j), order=1, mode="nearest") for k in (0, 1)], axis=-1)
    assert np.allclose(read_vectors(field, grid, position), expected, atol=1e-6)
    assert read_scalar(field[..., 0], -1.0, 2.0, 0.25, *position[0]) == pytest.approx(expected[0, 0], abs=1e-6)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32))
def test_walls_are_as_far_as_the_nearest_square(seed):
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((12, 9)) < rng.uniform(0.02, 0.3), (-1.0, 2.0), 0.1)
    row, column = np.nonzero(grid.occupied)
    centre = np.column_stack((-1.0 + 0.1 * (column + 0.5), 2.0 + 0.1 * (row + 0.5)))
    clearance, where = clearance_field(grid), (*grid.origin, grid.resolution)
    for x, y in rng.uniform((-1.5, 1.5), (0.5, 3.7), (30, 2)):
        beyond = np.maximum(np.abs(centre - (x, y)) - 0.05, 0.0)
        exact = np.hypot(*beyond.T).min(initial=1e6)
        assert wall_distance(grid.occupied, *where, x, y, 0.35) == pytest.approx(min(exact, 0.35), abs=1e-9)
        cell = np.clip(np.floor((np.array([x, y]) - (-1.0, 2.0)) / 0.1), 0, np.array(grid.occupied.shape[::-1]) - 1)
        away = float(np.hypot(*((x, y) - (np.array([-1.0, 2.0]) + 0.1 * (cell + 0.5)))))
        assert exact - 2.0 * away - 0.1 * np.sqrt(0.5) - 1e-6 <= sure_room(clearance, *where, x, y) <= exact + 1e-6


def test_the_extent_is_that_of_the_cells():
    assert Grid(np.zeros((4, 8), bool), (-1.0, 3.0), 0.5).extent == (-1.0, 3.0, 3.0, 5.0)


def way(map, start, direction, room_needed, length):
    field = (map.clearance, *map.grid.origin, map.grid.resolution)
    return way_length(*field, *start, *direction, read_scalar(*field, *start), room_needed, length)


def test_a_way_ends_where_the_room_does():
    map = mapped(room((1.0, 1.5, -5.0, 5.0)))
    assert way(map, (0.0, 0.0), (1.0, 0.0), 0.2, 3.0) == pytest.approx(0.8, abs=0.05)
    assert way(map, (0.0, 0.0), (0.0, 1.0), 0.2, 3.0) == 3.0
    assert way(map, (0.0, 0.0), (-1.0, 0.0), 0.2, 10.0) == pytest.approx(4.75, abs=0.05)


def test_a_way_out_of_the_map_ends_at_its_edge():
    map = mapped(room(frame=False, side=4.0))
    assert way(map, (1.0, 0.0), (1.0, 0.0), 0.1, 0.9) == 0.9
    assert way(map, (1.0, 0.0), (1.0, 0.0), 0.1, 3.0) == pytest.approx(1.0)
    assert way(map, (1.0, 0.5), (-0.6, -0.8), 0.1, 30.0) == pytest.approx(2.5 / 0.8)


def test_from_outside_the_map_every_way_is_open():
    map = mapped(room((-1.0, 1.0, -1.0, 1.0), frame=False, side=4.0))
    assert way(map, (3.0, 1.5), (1.0, 0.0), 0.1, 3.0) == 3.0
    assert way(map, (3.0, 1.5), (-1.0, 0.0), 0.1, 6.0) == 6.0
    assert way(map, (3.0, 0.0), (-1.0, 0.0), 0.1, 6.0) == pytest.approx(1.9, abs=0.05)
