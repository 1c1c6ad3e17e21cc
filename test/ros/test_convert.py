"""Rows and arrays: what goes into messages comes out of them."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from nav_msgs.msg import OccupancyGrid

from swarm_control.core.grid import Grid
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Accumulated, SwarmState
from swarm_control.ros.messages import cdr, convert, maps

FINITE = st.floats(-100.0, 100.0)


@st.composite
def states(draw):
    n = draw(st.integers(1, 8))
    pose, velocity = draw(arrays(float, (n, 3), elements=FINITE)), draw(arrays(float, (n, 3), elements=FINITE))
    return SwarmState.of(1.5, pose, velocity, draw(arrays(bool, n)))


def through_bytes(rows):
    return cdr.read_cloud(cdr.CloudWriter("map", rows.dtype).write(1.5, rows))[1]


@given(states())
def test_swarm_state(state):
    rows = through_bytes(convert.state_rows(state, np.arange(len(state))))
    again = convert.state_of(1.5, rows, len(state))
    np.testing.assert_array_equal(again.valid, state.valid)
    np.testing.assert_array_equal(again.pose, state.pose)
    np.testing.assert_array_equal(again.velocity, state.velocity)
    assert rows["collisions"].tolist() == list(range(len(state))) and convert.collisions_of(rows) == sum(range(len(state)))
    assert convert.collisions_of(through_bytes(convert.state_rows(state, None))) is None
    missing = convert.state_of(1.5, rows[1:], len(state))
    assert not missing.valid[0] and (missing.valid[1:] == state.valid[1:]).all()


@given(states(), st.floats(0.5, 300.0), st.data())
def test_neighbours(state, radius, data):
    n = len(state)
    seen = perceive(state, Perception(radius=radius), np.random.default_rng(0))
    served = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))), np.int64)
    rows = through_bytes(convert.neighbour_rows(state, seen, served))
    assert (np.diff(rows["observer"]) >= 0).all()
    again, found = convert.neighbourhoods_of(1.5, rows, n)
    np.testing.assert_array_equal(again.valid, convert.mask(served, n) & state.valid)
    np.testing.assert_array_equal(again.pose[again.valid], state.pose[again.valid])
    for i in range(n):
        expected, got = slice(seen.start[i], seen.start[i + 1]), slice(found.start[i], found.start[i + 1])
        if i in served:
            np.testing.assert_array_equal(found.index[got], seen.index[expected])
            np.testing.assert_allclose(found.offset[got], seen.offset[expected], atol=1e-12)
            np.testing.assert_allclose(found.velocity[got], seen.velocity[expected], atol=1e-12)
            np.testing.assert_allclose(found.distance[got], seen.distance[expected], atol=1e-12)
        else:
            assert found.start[i] == found.start[i + 1]


def test_neighbours_in_any_order_and_of_unknown_robots_are_sorted_out():
    rows = np.zeros(4, convert.NEIGHBOURS)
    rows["observer"], rows["id"], rows["x"] = [1, 0, 1, 0], [0, 0, 1, 9], [5.0, 0.0, 1.0, 3.0]
    state, seen = convert.neighbourhoods_of(0.0, rows, 2)
    assert state.valid.all() and seen.start.tolist() == [0, 0, 1]
    assert seen.index.tolist() == [0] and seen.offset.tolist() == [[4.0, 0.0]]


@given(arrays(float, (2, 5, 2), elements=FINITE))
def test_acceleration_with_shares(share):
    robots = np.array([0, 2, 3])
    rows = through_bytes(convert.acceleration_rows(Accumulated(("seek", "separation"), share.sum(axis=0), share), robots))
    assert rows.dtype.names == ("id", "ax", "ay", "seek_x", "seek_y", "separation_x", "separation_y")
    who, acceleration = convert.acceleration_of(rows, 5)
    assert who.tolist() == robots.tolist()
    np.testing.assert_array_equal(acceleration, share.sum(axis=0)[robots])
    np.testing.assert_array_equal(rows["separation_y"], share[1, robots, 1])


@given(
    arrays(float, (4, 2), elements=st.one_of(FINITE, st.just(np.nan))),
    arrays(float, (3, 2), elements=FINITE), arrays(bool, 3), arrays(np.int64, 3, elements=st.integers(0, 9)),
    arrays(np.int64, 4, elements=st.integers(0, 2)), arrays(np.int64, 4, elements=st.integers(0, 2)),
)  # fmt: skip
def test_goals(goal, target, there, index, flock, lag):
    goal[np.isnan(goal).any(axis=1)] = np.nan
    target[~there] = np.nan
    lag[np.isnan(goal).any(axis=1)] = 0
    rows = through_bytes(convert.goal_rows(goal, lag, target, index, flock))
    again, lags, centre, numbers = convert.goals_of(rows, 4, 3)
    np.testing.assert_array_equal(lags, lag)
    np.testing.assert_array_equal(again, goal)
    np.testing.assert_array_equal(centre, target)
    np.testing.assert_array_equal(numbers, index)
    for row in rows[rows["id"] >= 0]:
        assert row["goal"] == index[flock[row["id"]]]
    fewer = convert.goals_of(rows, 2, 1)
    np.testing.assert_array_equal(fewer[0], goal[:2])
    np.testing.assert_array_equal(fewer[1], lag[:2])
    np.testing.assert_array_equal(fewer[2], target[:1])


@given(states())
def test_odometry_has_the_pose_in_the_world_and_the_twist_in_the_body(state):
    values = convert.odometry_values(state)
    pose, velocity = convert.motion_of(values)
    np.testing.assert_allclose(np.cos(pose[:, 2] - state.pose[:, 2]), 1.0, atol=1e-9)
    np.testing.assert_allclose(velocity, state.velocity, atol=1e-9)
    one = SwarmState.of(0.0, np.array([[0.0, 0.0, np.pi / 2]]), np.array([[0.0, 2.0, 0.5]]))
    np.testing.assert_allclose(convert.odometry_values(one)[0, 7:], [2.0, 0.0, 0.0, 0.0, 0.0, 0.5], atol=1e-12)


@given(arrays(bool, (3, 5)), FINITE, FINITE)
def test_map(occupied, x, y):
    grid = Grid(occupied, (x, y), 0.05)
    message = maps.grid_message(grid, OccupancyGrid())
    assert (message.info.width, message.info.height, set(message.data) <= {0, 100}) == (5, 3, True)
    assert maps.same_grid(maps.grid_of(message), grid)
    message.data[7] = -1
    assert maps.grid_of(message).occupied[1, 2], "what is unknown is no way"


def test_a_turned_or_empty_map_is_refused():
    message = maps.grid_message(Grid(np.zeros((2, 2), bool), (0.0, 0.0), 0.1), OccupancyGrid())
    message.info.origin.orientation.z = 0.7
    with pytest.raises(ValueError, match="turned"):
        maps.grid_of(message)
    with pytest.raises(ValueError, match="expected some cells"):
        maps.grid_of(OccupancyGrid())


def test_the_fallen_are_told_in_rows_and_lie_in_odometry():
    fallen = np.array([False, True, False])
    pose, velocity = np.array([[1.0, 2.0, 0.5], [3.0, 4.0, -2.0], [5.0, 6.0, 3.0]]), np.array([[1.0, 0.5, 0.1]] * 3)
    state = SwarmState.of(2.0, pose, velocity, fallen=fallen)
    again = convert.state_of(2.0, through_bytes(convert.state_rows(state, np.zeros(3, int))), 3)
    assert again.fallen.tolist() == fallen.tolist() and np.array_equal(again.pose, pose)
    values = convert.odometry_values(state)
    assert convert.fallen_of(values).tolist() == fallen.tolist()
    np.testing.assert_allclose(np.linalg.norm(values[:, 3:7], axis=1), 1.0)
    np.testing.assert_allclose(convert.motion_of(values)[0], pose, atol=1e-12)
    np.testing.assert_allclose(convert.motion_of(values)[1], velocity, atol=1e-12)
    seen = perceive(state, Perception(radius=100.0), np.random.default_rng(0))
    mine, _ = convert.neighbourhoods_of(2.0, through_bytes(convert.neighbour_rows(state, seen, np.arange(3))), 3)
    assert mine.fallen.tolist() == fallen.tolist()
    assert SwarmState.of(0.0, pose, velocity, fallen=np.zeros(3, bool)).fallen is None


def test_targets_survive_the_wire():
    target, twist = np.array([[1.0, 2.0], [np.nan, np.nan]]), np.arange(6.0).reshape(2, 3)
    raw = cdr.CloudWriter("map", convert.TARGETS).write(1.0, convert.target_rows(target, twist, np.array([1, 0]), np.arange(2)))
    robots, read = convert.twists_of(cdr.read_cloud(raw)[1], 2)
    assert robots.tolist() == [0, 1] and (read == twist).all()
