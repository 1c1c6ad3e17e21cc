"""Occupancy: exact on the pixels of a bitmap, never less than the walls elsewhere."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shapely import Polygon, box

from swarm_control.errors import InputError
from swarm_control.world import World
from swarm_control.world.raster import rasterise

Read = Callable[[str], World]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arrays(bool, (20, 20)), st.sampled_from((0, 90, 180, 270)), st.tuples(st.floats(-9, 9), st.floats(-9, 9))
)
def test_upright_square_pixels_come_back_exactly(
    world: Read, picture: Callable[..., Path], walls: np.ndarray, turn: int, centre: tuple[float, float]
) -> None:
    walls[0] = walls[:, 0] = walls[-1] = walls[:, -1] = True
    picture(walls)
    found = world(
        f'model ( bitmap "map.png" size [1 1 1] boundary 1 pose [{centre[0]} {centre[1]} 0 {turn}] )'
    )
    grid = found.occupancy()
    assert grid.resolution == pytest.approx(0.05) and grid.occupied.shape == (22, 22)
    assert grid.origin == pytest.approx((centre[0] - 0.55, centre[1] - 0.55))
    np.testing.assert_array_equal(grid.occupied[1:-1, 1:-1], np.rot90(walls, turn // 90)[::-1])
    assert not grid.occupied[[0, -1]].any() and not grid.occupied[:, [0, -1]].any()
    finer = found.occupancy(0.025, margin=0).occupied
    np.testing.assert_array_equal(finer, np.kron(grid.occupied[1:-1, 1:-1], np.ones((2, 2))) > 0)


def test_margins_of_the_picture_are_cut_and_coarse_pixels_divided(
    world: Read, picture: Callable[..., Path]
) -> None:
    walls = np.zeros((9, 9), bool)
    walls[2:4, 5:9] = True
    picture(walls)
    grid = world('model ( bitmap "map.png" size [4 2 1] )').occupancy(margin=0)
    assert grid.resolution == pytest.approx(0.05) and grid.occupied.all() and grid.occupied.shape == (40, 80)


POINTS = st.tuples(st.floats(0.6, 7.4), st.floats(0.6, 7.4))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(POINTS, min_size=3, max_size=6), min_size=1, max_size=3))
def test_a_cell_is_occupied_where_a_wall_covers_area(outlines: list[list[tuple[float, float]]]) -> None:
    polygons = [polygon for polygon in map(Polygon, outlines) if polygon.is_valid and polygon.area > 0.05]
    rings = [np.array(polygon.exterior.coords)[:-1] for polygon in polygons]
    rings = [
        ring if polygon.exterior.is_ccw else ring[::-1] for ring, polygon in zip(rings, polygons, strict=True)
    ]
    occupied = rasterise(rings, (0.0, 0.0), 0.5, (16, 16))
    for i in range(16):
        for j in range(16):
            cell = box(j / 2, i / 2, (j + 1) / 2, (i + 1) / 2)
            assert occupied[i, j] or max((cell.intersection(p).area for p in polygons), default=0.0) < 1e-4
            assert not occupied[i, j] or any(cell.distance(p) < 1e-9 for p in polygons)


def test_cells_of_stage_without_a_bitmap(world: Read) -> None:
    grid = world("resolution 0.1 model ( size [1 0.25 1] )").occupancy()
    assert (
        grid.resolution == 0.1
        and grid.origin == pytest.approx((-0.6, -0.3))
        and grid.occupied.shape == (6, 12)
    )
    assert grid.occupied[1:-1, 1:-1].all() and grid.occupied.sum() == 40


def test_absurd_resolutions_are_refused(world: Read) -> None:
    found = world("model ( size [1000 1000 1] )")
    assert found.occupancy().occupied.size < 5e6
    for resolution in (0.0, -1.0, float("nan"), 1e-3):
        with pytest.raises(InputError, match=r"test\.world: resolution: expected"):
            found.occupancy(resolution)


def test_a_lab_turned_at_an_angle_is_fast(world: Read, picture: Callable[..., Path]) -> None:
    walls = np.random.default_rng(1).random((200, 200)) < 0.1
    picture(walls)
    found = world('resolution 0.01 model ( bitmap "map.png" size [10 10 1] pose [0 0 0 17] )')
    found.occupancy(0.05)
    start = time.process_time()
    grid = found.occupancy()
    assert time.process_time() - start < 1.0 and grid.resolution == 0.01
    assert grid.occupied.mean() * grid.occupied.size * 1e-4 == pytest.approx(
        10.0 * walls.mean() * 10.0, rel=0.5
    )
