import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, box

from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance, way_distance


def random_grid(seed: int) -> tuple[Grid, np.random.Generator]:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 25, 2)
    occupied = rng.random((rows, columns)) < rng.choice([0.01, 0.05, 0.3])
    origin = tuple(rng.uniform(-3.0, 3.0, 2))
    return Grid(occupied, origin, float(rng.uniform(0.02, 0.6))), rng


def brute_force(grid: Grid, position: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(grid.occupied)
    low = np.array(grid.origin) + np.stack((columns, rows), axis=-1) * grid.resolution
    beyond = np.maximum(np.maximum(low[None] - position[:, None], position[:, None] - low[None] - grid.resolution), 0.0)
    return np.hypot(*np.moveaxis(beyond, 2, 0)).min(axis=1, initial=np.inf)


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_distance_is_exact_everywhere_also_outside_the_map(seed):
    grid, rng = random_grid(seed)
    x_low, x_high, y_low, y_high = grid.extent
    position = rng.uniform([x_low - 2.0, y_low - 2.0], [x_high + 2.0, y_high + 2.0], (200, 2))
    expected = brute_force(grid, position)
    assert np.allclose(WallDistance(grid).distance(position), expected, rtol=0.0, atol=1e-12)
    cap = float(rng.uniform(0.0, 2.0))
    assert np.allclose(WallDistance(grid).distance(position, cap), np.minimum(expected, cap), rtol=0.0, atol=1e-12)


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_distance_of_a_way_agrees_with_geometry(seed):
    grid, rng = random_grid(seed)
    x_low, x_high, y_low, y_high = grid.extent
    table = WallDistance(grid).table
    corners = [np.array([[j, i], [j + 1, i + 1]]) * grid.resolution + grid.origin for i, j in zip(*np.nonzero(grid.occupied))]
    squares = [box(*corner.ravel()) for corner in corners]
    for _ in range(10):
        x, y = rng.uniform([x_low - 1.0, y_low - 1.0], [x_high + 1.0, y_high + 1.0])
        dx, dy = rng.normal(0.0, rng.choice([0.01, 0.3, 3.0]), 2) * rng.integers(0, 2, 2)
        way = LineString([(x, y), (x + dx, y + dy)])
        expected = min([way.distance(square) for square in squares] + [1.5])
        assert way_distance(table, x, y, dx, dy, 1.5) == pytest.approx(expected, abs=1e-9)


def test_distances_to_one_square_in_closed_form():
    occupied = np.zeros((9, 9), bool)
    occupied[4, 4] = True
    walls = WallDistance(Grid(occupied, (0.0, 0.0), 0.1))
    position = np.array([[0.45, 0.45], [0.6, 0.45], [0.45, 0.2], [0.8, 0.9], [0.1, 0.0], [2.5, 0.45]])
    assert walls.distance(position) == pytest.approx([0.0, 0.1, 0.2, 0.5, 0.5, 2.0], abs=1e-12)


def test_without_walls_everything_is_infinitely_far():
    walls = WallDistance(Grid(np.zeros((4, 5), bool), (0.0, 0.0), 0.1))
    assert not walls.walls
    assert np.isinf(walls.distance(np.array([[0.1, 0.1], [9.0, -9.0]]))).all()
    assert walls.distance(np.zeros((0, 2))).shape == (0,)


def test_walls_beyond_the_reach_of_the_coarse_field_are_found():
    occupied = np.zeros((2, 700), bool)
    occupied[0, 0] = True
    walls = WallDistance(Grid(occupied, (0.0, 0.0), 0.1))
    assert walls.distance(np.array([[69.95, 0.05]])) == pytest.approx([69.85])
