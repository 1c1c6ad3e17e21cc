import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formation_rearrange import DRIVE, RADIUS, check_apart, check_ends, check_limits, dense, mixed

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance
from swarm_control.formation.forming.rearrange import rearrange
from swarm_control.formation.timetable import UnreachableError

CELL, ROOM = 0.05, 0.04


def rooms(door):
    """Two rooms of 4 m by 5 m with a ``door`` (m) between them, at x = 0."""
    occupied = np.zeros((100, 160), bool)
    occupied[:2] = occupied[-2:] = True
    occupied[:, :2] = occupied[:, -2:] = occupied[:, 78:82] = True
    half = round(0.5 * door / CELL)
    occupied[50 - half : 50 + half, 78:82] = False
    return make_map(Grid(occupied, (-4.0, -2.5), CELL))


def boxes(rng):
    """A walled floor of 10 m by 8 m with boxes on it."""
    occupied = np.zeros((160, 200), bool)
    occupied[:2] = occupied[-2:] = True
    occupied[:, :2] = occupied[:, -2:] = True
    for _ in range(12):
        y, x = rng.integers(10, 140), rng.integers(10, 180)
        occupied[y : y + rng.integers(4, 14), x : x + rng.integers(4, 14)] = True
    return make_map(Grid(occupied, (-5.0, -4.0), CELL))


def places(map, rng, count, apart, need, side=None):
    """Random places in the largest free part of the map, or in one room."""
    from scipy import ndimage

    parts, _ = ndimage.label(map.clearance >= need)
    rows, columns = np.nonzero(parts == np.argmax(np.bincount(parts[parts > 0])) if side is None else parts > 0)
    cells = np.column_stack((columns + 0.5, rows + 0.5)) * CELL + map.grid.origin
    if side is not None:
        cells = cells[(side * cells[:, 0] > 0.4) & (np.abs(cells[:, 1]) < 2.0)]
    chosen = np.empty((0, 2))
    for cell in rng.permutation(cells):
        if len(chosen) < count and (norm(chosen - cell) >= apart).all():
            chosen = np.vstack((chosen, cell))
    assert len(chosen) == count
    return chosen


def check_walls(schedule, map, radius):
    place = dense(schedule, 3)
    far = WallDistance(map.grid).distance(place.reshape(-1, 2), 1.0).reshape(place.shape[:2])
    assert (far >= np.minimum(radius + ROOM, far[0]) - 1e-6).all()


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 10), st.sampled_from(("omni", "differential")))
def test_ways_lead_round_boxes(seed, count, model):
    rng = np.random.default_rng(seed)
    map, fleet = boxes(rng), mixed(np.full(count, RADIUS), [model] * count)
    start = np.column_stack((places(map, rng, count, 0.32, 0.17), rng.uniform(-3, 3, count)))
    goal = places(map, rng, count, 0.40, 0.20)
    made = rearrange(start, goal, fleet, map, room=ROOM, drive=DRIVE)
    check_ends(made, start, goal)
    check_apart(made.schedule, fleet.radius, ROOM)
    check_limits(made.schedule, fleet, DRIVE)
    check_walls(made.schedule, map, fleet.radius)


def test_many_go_through_a_door():
    rng = np.random.default_rng(0)
    map, fleet = rooms(0.5), mixed(np.full(8, RADIUS), ["omni", "differential"] * 4)
    start = np.column_stack((places(map, rng, 8, 0.40, 0.25, -1), rng.uniform(-3, 3, 8)))
    made = rearrange(start, places(map, rng, 8, 0.40, 0.25, 1), fleet, map, room=ROOM, drive=DRIVE)
    check_apart(made.schedule, fleet.radius, ROOM)
    check_walls(made.schedule, map, fleet.radius)


def test_two_change_rooms():
    start = np.array([[-2.0, 0.1, 0.0], [2.0, -0.2, 1.0]])
    fleet, map = mixed(np.full(2, RADIUS), ["omni"] * 2), rooms(0.5)
    made = rearrange(start, start[:, :2], fleet, map, room=ROOM, drive=DRIVE, robot=np.array([1, 0]))
    check_ends(made, start, start[:, :2])
    check_apart(made.schedule, fleet.radius, ROOM)
    check_walls(made.schedule, map, fleet.radius)


def test_robots_go_the_shorter_way_round_the_wall():
    # straight, robot 1 is nearer to the point, but the door is far from it
    start, goal = np.array([[-0.6, 0.0, 0.0], [-0.4, 2.0, 0.0]]), np.array([[0.4, 2.0], [-0.5, 1.0]])
    made = rearrange(start, goal, mixed(np.full(2, RADIUS), ["omni"] * 2), rooms(0.6), room=ROOM, drive=DRIVE)
    assert list(made.robot) == [0, 1]


def test_points_in_walls_are_named():
    start, goal = np.array([[-2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), np.array([[-2.0, 1.0], [-0.2, 1.0]])
    with pytest.raises(UnreachableError, match=r"point 1 of the structure is 0\.1 m from a wall, 0\.19 m wanted"):
        rearrange(start, goal, mixed(np.full(2, RADIUS), ["omni"] * 2), rooms(0.6), room=ROOM, drive=DRIVE)


def test_points_behind_walls_are_named():
    start, goal = np.array([[-2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), np.array([[-2.0, 1.0], [2.0, 1.0]])
    for door in (0.0, 0.3):
        with pytest.raises(UnreachableError, match=r"no way leads to point 1 of the structure between walls 0\.38 m apart"):
            rearrange(start, goal, mixed(np.full(2, RADIUS), ["omni"] * 2), rooms(door), room=ROOM, drive=DRIVE)


def test_who_stands_near_a_wall_may_leave_it():
    start, goal = np.array([[-0.26, 1.0, 0.0]]), np.array([[2.0, 1.0]])
    map, fleet = rooms(0.6), mixed(np.full(1, RADIUS), ["omni"])
    made = rearrange(start, goal, fleet, map, room=ROOM, drive=DRIVE)
    check_ends(made, start, goal)
    check_walls(made.schedule, map, fleet.radius)
