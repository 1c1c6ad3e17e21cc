import numpy as np
import pytest
from closed_loop import fleet
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core.geometry import wrap
from swarm_control.formation.drive import Drive, Field, Path, ToPose, Velocity, remaining, turning
from swarm_control.formation.limits import limit, speeds
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import compose, place

POINTS = shape("circle", 3, 0.6)
POSE = np.array([1.0, -2.0, 0.8])
poses = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3)).map(np.array)


def test_to_pose_turns_the_short_way():
    wish = ToPose(np.array([0.0, 0.0, -3.0])).aim(POINTS, np.array([0.0, 0.0, 3.0]), 0.0, 0.3)
    assert wish[2] == pytest.approx(3.0 + (2 * np.pi - 6.0))


def test_path_is_where_its_clock_says():
    path = Path(np.array([0.0, 2.0, 4.0]), np.array([[0.0, 0, 0], [1, 0, 1], [1, 2, 7]]))
    assert path.aim(POINTS, np.zeros(3), 0.7, 0.3) == pytest.approx([0.5, 0.0, 0.5])
    assert path.end(3.9) is None and path.end(4.0) == pytest.approx([1, 2, 7])
    assert wrap(path.aim(POINTS, np.array([0, 0, 4.0]), 3.0, 0.0)[2] - 4.0) == pytest.approx(0.0, abs=1e-12)


@given(poses, st.floats(-2, 2))
def test_velocity_is_a_screw_in_the_structures_axes(pose, rate):
    twist = np.array([0.3, -0.1, rate])
    whole = Velocity(twist).aim(POINTS, pose, 0.0, 0.5)
    half = Velocity(twist).aim(POINTS, pose, 0.0, 0.25)
    again = Velocity(twist).aim(POINTS, half, 0.25, 0.25)
    assert np.abs(whole - again).max() < 1e-9  # the same motion, in two parts


def test_velocity_of_the_world_is_straight():
    wish = Velocity(np.array([0.3, -0.1, 0.4]), world=True).aim(POINTS, POSE, 0.0, 0.5)
    assert wish - POSE == pytest.approx([0.15, -0.05, 0.2])


@given(poses, st.floats(-2, 2))
def test_turning_about_a_pivot_keeps_the_distance(pose, rate):
    pivot = np.array([2.0, 1.0])
    wish = Velocity(np.array([0.0, 0.0, rate]), pivot=pivot).aim(POINTS, pose, 0.0, 0.5)
    assert np.hypot(*(wish[:2] - pivot)) == pytest.approx(np.hypot(*(pose[:2] - pivot)), abs=1e-9)
    assert wish[2] - pose[2] == pytest.approx(0.5 * rate)


def test_heading_is_held_while_moving():
    wish = Velocity(np.array([0.3, 0.0, 0.1]), world=True, heading=0.8).aim(POINTS, POSE + np.array([0, 0, 0.05]), 2.0, 0.5)
    assert wish[2] == pytest.approx(0.8 + 0.1 * 2.5)


def test_even_field_pushes_and_does_not_turn():
    order = Field(lambda p: np.tile([0.0, 2.0], (len(p), 1)), 0.1)
    assert order.aim(POINTS, POSE, 0.0, 0.5) - POSE == pytest.approx([0.0, 0.1, 0.0])


def test_whirl_turns_and_does_not_push():
    middle = place(POINTS, POSE).mean(axis=0)
    order = Field(lambda p: np.column_stack((-(p - middle)[:, 1], (p - middle)[:, 0])), 0.1)
    assert order.aim(POINTS, POSE, 0.0, 0.5) - POSE == pytest.approx([0.0, 0.0, 0.05])


def test_turning_path_is_rigid():
    pivot = np.array([3.0, 0.0])
    path = turning(POSE, pivot, 2.0, 10.0)
    assert path.at(0.0) == pytest.approx(POSE)
    assert path.at(10.0)[2] == pytest.approx(POSE[2] + 2.0)
    assert np.hypot(*(path.poses[:, :2] - pivot).T) == pytest.approx(np.hypot(*(POSE[:2] - pivot)))


def test_speeds_of_a_turning_differential_drive_count_its_wheels():
    f = fleet(3)
    radius = np.hypot(*POINTS[0])
    assert speeds(POINTS, POSE, np.array([0.0, 0.0, 0.5]), f) == pytest.approx(0.5 * (radius + 0.125))


@given(poses, poses, st.sampled_from(["last", "naive"]))
def test_limits_are_kept(pose, wish, kind):
    f, params = fleet(3), Drive(max_turn_rate=0.3)
    last = None if kind == "naive" else np.array([0.02, 0.0, 0.01])
    aim = limit(POINTS, pose, wish, last, f, None, 0.1, 0.3, params)
    twist = (aim - pose) / 0.3
    if last is None:
        assert (speeds(POINTS, pose, twist, f) <= 0.85 * f.max_speed + 1e-9).all() and abs(twist[2]) <= 0.3 + 1e-9
    else:
        assert (speeds(POINTS, pose, twist - last, f) <= 0.5 * f.max_acceleration * 0.1 + 1e-9).all()


def test_braking_leaves_room_to_stop():
    f, params, horizon = fleet(3), Drive(), 0.3
    end, pose, last = np.array([1.0, 0.0, 0.0]), np.zeros(3), np.zeros(3)
    fastest = 0.0
    for _ in range(300):
        wish = limit(POINTS, pose, end, last, f, end, 0.1, horizon, params)
        velocity = (wish - pose) / horizon
        assert np.hypot(*(velocity - last)[:2]) <= 0.5 * 0.6 * 0.1 + 1e-9
        last, pose = velocity, pose + 0.1 * velocity
        fastest = max(fastest, velocity[0])
        assert pose[0] <= 1.0 + 1e-6
    assert fastest == pytest.approx(0.85 * 0.3, rel=1e-6)
    assert remaining(POINTS, pose, end) < 1e-3


def test_remaining_is_the_worst_point():
    assert remaining(POINTS, POSE, compose(POSE, np.array([0.3, 0.4, 0.0]))) == pytest.approx(0.5)
