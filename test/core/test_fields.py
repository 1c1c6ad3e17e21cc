import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import mapped, room

from swarm_control.core.fields import clearance_field, guidance_field, make_map, repulsion_field
from swarm_control.core.grid import Grid, read_vectors
from swarm_control.core.walldistance import WallDistance


def random_grid(seed: int, share: float = 0.05) -> Grid:
    rng = np.random.default_rng(seed)
    return Grid(rng.random(rng.integers(2, 40, 2)) < share, tuple(rng.uniform(-3, 3, 2)), float(rng.uniform(0.02, 0.5)))


def centres(grid: Grid) -> np.ndarray:
    i, j = np.indices(grid.occupied.shape)
    return np.array(grid.origin) + (np.stack((j, i), axis=-1).reshape(-1, 2) + 0.5) * grid.resolution


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_clearance_at_a_centre_is_never_too_large_and_hardly_too_small(seed):
    grid = random_grid(seed)
    if grid.occupied.any():
        exact = WallDistance(grid).distance(centres(grid)).reshape(grid.occupied.shape)
        short = (exact - clearance_field(grid)) / grid.resolution
        assert short.min() > -1e-4 and short.max() < 0.2072


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.floats(0.05, 2.0))
def test_repulsion_lies_between_nought_and_one_and_points_to_more_room(seed, radius):
    grid = random_grid(seed)
    clearance = clearance_field(grid)
    push = repulsion_field(clearance, grid.resolution, radius)
    strength = np.hypot(push[..., 0], push[..., 1])
    assert strength.min() >= 0.0 and strength.max() <= 1.0 + 1e-6
    assert not push[clearance >= radius].any()
    assert np.allclose(strength[strength > 0], (1.0 - clearance / radius)[strength > 0], atol=1e-5)
    slope = np.stack(np.gradient(clearance)[::-1], axis=-1)
    assert ((push * slope).sum(axis=-1) >= 0.0).all()


def test_repulsion_of_a_straight_wall_in_closed_form():
    grid = room((-5.0, -2.0, -5.0, 5.0), frame=False)
    push = repulsion_field(clearance_field(grid), grid.resolution, 1.0)
    x = centres(grid).reshape(*grid.occupied.shape, 2)[100, :, 0]
    inside = (x > -1.9) & (x < -1.1)
    assert np.allclose(push[100, inside, 0], 1.0 - (x[inside] + 2.0), atol=0.011)
    assert not push[100, :, 1].any()


@pytest.mark.parametrize("shape", [(1, 1), (3, 4)])
def test_on_a_map_without_any_room_ways_lead_to_its_first_cell_and_take_for_ever(shape):
    map = make_map(Grid(np.ones(shape, bool), (0.0, 0.0), 0.1))
    field, time = guidance_field(map, (0.25, 0.25), 0.02, 0.3)
    assert time[0, 0] == 0.0 and (time.ravel()[1:] == np.inf).all() and np.isfinite(field).all()
    at = np.array([(0.1 * j + 0.05, 0.1 * i + 0.05) for i, j in np.ndindex(shape)][1:]).reshape(-1, 2)
    assert ((field.reshape(-1, 2)[1:] * (0.05 - at)).sum(axis=1) > 0.0).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1)])
def test_maps_of_a_single_row_or_column_work(shape):
    map = make_map(Grid(np.zeros(shape, bool), (0.0, 0.0), 0.1))
    field, time = guidance_field(map, (0.65, 0.05), 0.0, 0.0)
    assert np.isfinite(field).all() and np.isfinite(time).all()


def test_travel_time_in_an_empty_room_is_the_distance():
    map = mapped(room(frame=False, side=6.0))
    _, time = guidance_field(map, (0.025, 0.025), 0.0, 0.0)
    distance = np.hypot(*(centres(map.grid) - 0.025).T).reshape(time.shape)
    assert np.abs(time - distance).max() < 0.1 and (time >= distance - 1e-4).all()


def serpentine(walls: int) -> Grid:
    """A room with walls that leave a gap at alternate ends."""
    at = np.linspace(-4.0, 4.0, walls)
    return room(*((x, x + 0.1, -5.0, 4.0) if k % 2 else (x, x + 0.1, -4.0, 5.0) for k, x in enumerate(at)))


POCKET = room((-2.0, 2.0, -2.0, -1.5), (1.5, 2.0, -2.0, 2.0), (-2.0, 2.0, 1.5, 2.0))


@pytest.mark.parametrize("grid", [serpentine(2), serpentine(6), POCKET], ids=["two walls", "six walls", "pocket"])
def test_who_follows_the_guidance_reaches_the_goal_from_everywhere(grid):
    map, goal, step = mapped(grid), np.array([4.5, 4.2]), 0.02
    field, time = guidance_field(map, tuple(goal), 0.1, 0.4)
    open_cells = map.clearance.ravel() > 0.1
    position = centres(grid)[open_cells][::7]
    start_time = time.ravel()[open_cells][::7]
    walls = WallDistance(grid)
    for _ in range(int(start_time.max() / step) + 200):
        way = read_vectors(field, grid, position)
        far = np.hypot(*(position - goal).T) > 0.05
        position = position + step * way / np.maximum(np.hypot(*way.T), 1e-9)[:, None] * far[:, None]
        assert walls.distance(position, 0.1).min() > 0.04
    assert np.hypot(*(position - goal).T).max() < 0.1


def narrow(seed: int) -> Grid:
    """A room of 8 m with thin walls where chance puts them, and ways between them as narrow as chance leaves."""
    rng = np.random.default_rng(seed)
    middle = 0.05 * (np.arange(160) + 0.5) - 4.0
    x, y = np.meshgrid(middle, middle)
    occupied = np.maximum(np.abs(x), np.abs(y)) > 3.9
    for _ in range(18):
        turn, length = rng.uniform(0.0, np.pi), rng.uniform(0.5, 2.5)
        dx, dy = x - rng.uniform(-4.0, 4.0), y - rng.uniform(-4.0, 4.0)
        along, across = np.cos(turn) * dx + np.sin(turn) * dy, np.cos(turn) * dy - np.sin(turn) * dx
        occupied |= (np.abs(along) < length) & (np.abs(across) < 0.05)
    return Grid(occupied, (-4.0, -4.0), 0.05)


@pytest.mark.parametrize("margin", [0.05, 0.058, 0.1, 0.2])
@pytest.mark.parametrize("seed", range(8))
def test_no_way_ends_before_the_goal_where_it_is_but_a_cell_wide(seed, margin):
    map, step = mapped(narrow(seed)), 0.02
    field, time = guidance_field(map, (2.0, 2.5), margin, 2.0 * margin)
    goal = centres(map.grid)[np.argmin(time)]
    position = centres(map.grid)[np.isfinite(time.ravel())][::5]
    for _ in range(int(2.0 * time[np.isfinite(time)].max() / step) + 200):
        way = read_vectors(field, map.grid, position)
        far = np.hypot(*(position - goal).T) > 0.05
        position = position + step * way / np.maximum(np.hypot(*way.T), 1e-9)[:, None] * far[:, None]
    assert np.hypot(*(position - goal).T).max() < 0.1


def test_unreachable_places_have_no_time_and_closed_cells_lead_out():
    map = mapped(room((-1.0, 1.0, 1.0, 1.2), (-1.0, 1.0, -1.2, -1.0), (1.0, 1.2, -1.2, 1.2), (-1.2, -1.0, -1.2, 1.2)))
    field, time = guidance_field(map, (3.0, 3.0), 0.1, 0.4)
    assert np.isinf(time[100, 100]) and np.isfinite(time[20, 20])
    assert read_vectors(field, map.grid, np.array([[-4.98, 0.0]]))[0, 0] > 0.5


def test_a_goal_in_a_wall_is_served_at_the_nearest_free_place():
    map = mapped(room((2.0, 3.0, -1.0, 1.0)))
    _, time = guidance_field(map, (2.2, 0.0), 0.1, 0.4)
    i, j = np.unravel_index(np.argmin(time), time.shape)
    x, y = np.array(map.grid.origin) + (np.array([j, i]) + 0.5) * map.grid.resolution
    assert (x, y) == (pytest.approx(1.85, abs=0.05), pytest.approx(0.0, abs=0.05))


def test_a_map_without_walls_is_all_clear():
    map = mapped(room(frame=False))
    assert (map.clearance > 1e5).all()
    assert not repulsion_field(map.clearance, map.grid.resolution, 0.5).any()
