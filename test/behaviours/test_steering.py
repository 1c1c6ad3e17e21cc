import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import map_coordinates
from swarms import around, fleet, mapped, room, see, swarm

from swarm_control.behaviours.steer_to_avoid import SteerToAvoid, steer_to_avoid
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map, SwarmState

DEGREE = np.pi / 180.0


def turn(map: Map, position, velocity=(1.0, 0.0), **params):
    """The turn (rad) from the course to the one that is wished; NaN where all velocity is to be lost."""
    return float(turns(swarm([position], [velocity]), map, **params)[0])


def turns(state: SwarmState, map: Map, **params) -> np.ndarray:
    """Turn (N,) of each robot."""
    velocity = state.velocity[:, :2]
    wished = velocity + steer_to_avoid(state, see(state), around(fleet(len(state)), map=map), SteerToAvoid(**params))
    angle = (np.arctan2(*wished.T[::-1]) - np.arctan2(*velocity.T[::-1]) + np.pi) % (2.0 * np.pi) - np.pi
    return np.where(wished.any(axis=1), np.where(np.abs(angle) < 1e-9, 0.0, angle), np.nan)


def request(map: Map, position, velocity, heading=0.0, **params):
    state = swarm([position], [velocity], heading)
    return steer_to_avoid(state, see(state), around(fleet(1), map=map), SteerToAvoid(**params))[0]


def test_a_free_way_is_not_left():
    map = mapped(room())
    assert turn(map, (0, 0)) == 0.0
    assert request(map, (0, 0), (0.6, 0.3)).tolist() == [0.0, 0.0]


def test_the_turn_before_a_wall_is_the_geometry_s():
    """A wall 0.7 m ahead, room for footprint and margin 0.1 m: a way of 1 m is free from arccos 0.6 = 53.1° on: six steps of 10°."""
    map = mapped(room((0.7, 1.0, -5.0, 5.0)))
    assert turn(map, (0, 0), look_ahead=1.0, step=10.0, margin=0.05) == pytest.approx(60 * DEGREE)


def test_left_is_tried_first_and_right_is_taken_where_it_is_nearer():
    step = {"look_ahead": 1.0, "step": 10.0}
    assert turn(mapped(room((0.5, 0.7, -0.3, 0.3))), (0, 0), **step) > 0.0
    left, right = (turn(mapped(room((0.5, 0.7, *span))), (0, 0), **step) for span in ((-1.5, 0.1), (-0.1, 1.5)))
    assert left > 0.0 and right == -left


def test_a_thin_wall_across_the_way_is_seen_though_the_end_is_free():
    map = mapped(room((0.5, 0.55, -0.2, 0.2)))
    assert turn(map, (0, 0), look_ahead=2.0) != 0.0


def test_the_way_must_stay_inside_the_map():
    map = mapped(room(frame=False))
    assert turn(map, (4.45, 0.0), look_ahead=1.0) == pytest.approx(60 * DEGREE)
    assert np.isnan(turn(mapped(room(frame=False, side=1.0)), (0.0, 0.0), look_ahead=1.0))


def test_where_there_is_no_way_the_velocity_is_to_be_lost():
    cell = mapped(room((-0.8, 0.8, 0.6, 0.8), (-0.8, 0.8, -0.8, -0.6), (0.6, 0.8, -0.8, 0.8), (-0.8, -0.6, -0.8, 0.8)))
    assert np.isnan(turn(cell, (0, 0), look_ahead=1.0))
    assert request(cell, (0, 0), (0.5, -0.25), look_ahead=1.0).tolist() == [-0.5, 0.25]


def test_the_wish_is_the_velocity_turned_at_the_same_speed():
    map = mapped(room((0.7, 1.0, -5.0, 5.0)))
    wish = request(map, (0, 0), (0.8, 0.0), look_ahead=1.0)
    assert wish == pytest.approx([0.8 * np.cos(60 * DEGREE) - 0.8, 0.8 * np.sin(60 * DEGREE)])


def test_a_robot_at_rest_looks_along_its_heading():
    map = mapped(room((0.7, 1.0, -5.0, 5.0)))
    slow = (0.0, 5e-4)
    assert request(map, (0, 0), slow, look_ahead=1.0) + slow == pytest.approx(5e-4 * np.array((0.5, np.sqrt(0.75))))
    assert request(map, (0, 0), slow, heading=np.pi, look_ahead=1.0).tolist() == [0.0, 0.0]


def test_a_robot_too_near_a_wall_may_leave_it_but_not_get_nearer():
    map = mapped(room((0.0, 0.3, -5.0, 5.0)))
    near = (-0.06, 0.0)
    assert turn(map, near, velocity=(-1, 0), look_ahead=1.0) == 0.0
    assert abs(turn(map, near, velocity=(1, 0), look_ahead=1.0)) >= 90 * DEGREE


def smallest_clearance(map: Map, position, course: float, length: float) -> float:
    """Least clearance on the way, finely sampled; −1 where it leaves the map."""
    along = np.linspace(0.0, length, 400)
    x, y = position[0] + along * np.cos(course), position[1] + along * np.sin(course)
    x0, x1, y0, y1 = map.grid.extent
    if not ((x >= x0) & (x < x1) & (y >= y0) & (y < y1)).all():
        return -1.0
    i, j = (y - y0) / map.grid.resolution - 0.5, (x - x0) / map.grid.resolution - 0.5
    return float(map_coordinates(map.clearance, (i, j), order=1, mode="nearest").min())


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from((5.0, 10.0, 25.0)))
def test_it_is_the_smallest_turn_whose_whole_way_is_free(seed, step):
    """To half a cell, the least step between two samples of the way."""
    rng = np.random.default_rng(seed)
    occupied = rng.random((60, 60)) < 0.01
    map = mapped(Grid(occupied, (0.0, 0.0), 0.1))
    position = rng.uniform(0.5, 5.5, (20, 2))
    velocity = rng.normal(size=(20, 2))
    found = turns(swarm(position, velocity), map, look_ahead=1.0, step=step, margin=0.1)
    for p, v, chosen in zip(position, velocity, found):
        needed = min(0.15, smallest_clearance(map, p, 0.0, 0.0) - 1e-3)
        for k in range(2 * int(180 / step) + 1):
            tried = (k + 1) // 2 * step * DEGREE * (1 if k % 2 else -1)
            least = smallest_clearance(map, p, np.arctan2(v[1], v[0]) + tried, 1.0)
            if tried == pytest.approx(chosen, abs=1e-9):
                assert least > needed - 0.05
                break
            assert least < needed + 1e-3
        else:
            assert np.isnan(chosen)
