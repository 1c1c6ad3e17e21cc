"""By how much a course with times is slowed: closed forms of a robot on a circle."""

import numpy as np
import pytest
from closed_loop import fleet

from swarm_control.core.geometry import norm
from swarm_control.formation.drive import Drive
from swarm_control.formation.itinerary import Itinerary, _as_fast_as_it_goes, through

RADIUS, RATE = 0.8, 3.0
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 801)


def circled(model, points, rate=RATE):
    """The factor by which a circle at ``rate`` (rad/s) is slowed, and the robots' fleet; accelerations are no limit."""
    robots = fleet(len(points), model, acceleration=1e6)
    poses = np.column_stack((RADIUS * np.cos(CIRCLE), RADIUS * np.sin(CIRCLE), np.zeros_like(CIRCLE)))
    _, slower = Itinerary(poses, CIRCLE / rate).path(np.array(points), robots, Drive(max_speed=1e6))
    return slower, robots


@pytest.mark.parametrize("model", ["omni", "differential"])
def test_a_robot_on_a_circle_is_slowed_until_its_faster_wheel_can(model):
    slower, robots = circled(model, [[0.0, 0.0]])
    wheel = RATE * (RADIUS + (0.5 * robots.wheel_base[0] if model == "differential" else 0.0))
    assert slower == pytest.approx(wheel / (Drive().speed_share * robots.max_speed[0]), rel=2e-3) and slower > 1.0


def test_a_robot_that_hardly_moves_need_not_turn_its_wheels_for_it():
    """The structure turns on the spot; the point of one robot is a hair from its middle, and what it turns with it is no course."""
    robots = fleet(2, acceleration=1e6)
    poses = np.column_stack((np.zeros((801, 2)), CIRCLE))
    drive, near = Drive(max_speed=1e6), np.array([[0.8, 0.0], [1e-4, 0.0]])
    _, slower = Itinerary(poses, CIRCLE / RATE).path(near, robots, drive)
    assert slower == pytest.approx(RATE * (0.8 + 0.5 * robots.wheel_base[0]) / (drive.speed_share * robots.max_speed[0]), rel=2e-3)


def test_a_course_is_slowed_by_the_root_of_what_its_hardest_change_of_velocity_is_too_much():
    """At times that are uneven: from 1 to −3 m/s between the middles of two halves of a second."""
    robots = fleet(1, "omni", acceleration=0.05)
    poses = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.5, 0.0, 0.0], [1.0, 0.0, 0.0]])
    drive = Drive(max_speed=1e6, speed_share=1.0)
    most, hardest = drive.acceleration_share * robots.max_acceleration[0], 4.0 / 0.5
    _, slower = Itinerary(poses, np.array([0.0, 2.0, 2.5, 3.0])).path(np.zeros((1, 2)), robots, drive)
    assert slower == pytest.approx(np.sqrt(hardest / most)) and slower > 3.0 / robots.max_speed[0]


@pytest.mark.parametrize("acceleration", [0.6, 2.5])
def test_a_course_without_times_is_gone_round_a_circle_with_half_of_the_acceleration(acceleration):
    """v² = a/2·R once it has begun: the other half is for speeding up and slowing down."""
    robots, drive, radius = fleet(1, "omni", acceleration=acceleration), Drive(max_speed=1e6, speed_share=1.0), 0.05
    poses = np.column_stack((radius * np.cos(3.0 * CIRCLE), radius * np.sin(3.0 * CIRCLE), np.zeros_like(CIRCLE)))
    path, _ = Itinerary(poses, None).path(np.zeros((1, 2)), robots, drive)
    speed = norm(np.diff(path.poses[:, :2], axis=0)) / np.diff(path.times)
    most = 0.5 * drive.acceleration_share * robots.max_acceleration[0]
    assert speed[len(speed) // 2] == pytest.approx(np.sqrt(most * radius), rel=0.03) and speed.max() < robots.max_speed[0]


def test_what_all_can_follow_keeps_its_times():
    slower, _ = circled("differential", [[0.0, 0.0], [0.3, 0.1]], rate=0.01)
    assert slower == 1.0


def test_a_spline_is_at_its_poses_at_their_times_and_at_rest_at_its_ends():
    time, poses = np.array([5.0, 6.0, 8.5]), np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.5], [3.0, 1.0, -0.5]])
    found = through(time, poses)
    for at, pose in zip(time - 5.0, poses):
        assert found.poses[np.abs(found.times - at).argmin()] == pytest.approx(pose, abs=0.03)
    ends = np.diff(found.poses, axis=0)[[0, -1]] / np.diff(found.times)[[0, -1], None]
    assert found.times[0] == 0.0 and found.times[-1] == 3.5 and norm(ends[:, :2]).max() < 0.1


def test_a_course_is_gone_as_fast_as_bends_speeds_and_the_rest_of_the_acceleration_allow():
    for seed in range(40):
        rng, top, most = np.random.default_rng(seed), 0.9, 0.7
        step = rng.uniform(0.02, 0.1, (int(rng.integers(3, 9)), 2)) * rng.choice((0.3, 1.0), (1, 2))
        poses = np.column_stack((np.vstack((np.zeros(2), np.cumsum(step, axis=0))), np.zeros(len(step) + 1)))
        far, bend = norm(step), np.append(0.0, norm(np.diff(step, axis=0)))
        square = np.minimum((top / far) ** 2, 0.5 * most / np.maximum(bend, 1e-9))
        gain = most / far
        square[[0, -1]] = np.minimum(square[[0, -1]], gain[[0, -1]])
        for _ in step:
            square[1:] = np.minimum(square[1:], square[:-1] + gain[1:])
            square[:-1] = np.minimum(square[:-1], square[1:] + gain[:-1])
        path = _as_fast_as_it_goes(poses, np.zeros((1, 2)), fleet(1, "omni"), np.array([top]), np.array([most]))
        assert np.diff(path.times) == pytest.approx(1.0 / np.sqrt(square))


@pytest.mark.parametrize("most", [0.4, 2.0])
def test_a_straight_course_begins_and_ends_at_rest_with_the_acceleration_that_there_is(most):
    poses = np.column_stack((np.linspace(0.0, 2.0, 101), np.zeros((101, 2))))
    path = _as_fast_as_it_goes(poses, np.zeros((1, 2)), fleet(1, "omni"), np.array([0.9]), np.array([most]))
    speed = 0.02 / np.diff(path.times)
    assert speed[[0, -1]] ** 2 == pytest.approx(min(0.02 * most, 0.9**2))
    assert np.abs(np.diff(speed**2)).max() <= most * 0.02 * (1.0 + 1e-9), "half of it a step's length further on"
    assert speed.max() == pytest.approx(min(0.9, np.sqrt(most)), rel=0.02) and speed == pytest.approx(speed[::-1])
