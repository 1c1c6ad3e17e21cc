"""The motion model of bicycles: from wished velocities to speed and turn rate."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swarms import fleet, random_swarm, swarm

from swarm_control.core.geometry import norm, wrap
from swarm_control.core.motion import Motion, gains, response
from swarm_control.robots import bicycle
from swarm_control.robots.bicycle.parameters import BicycleMotion
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter

SEEDS = st.integers(0, 2**32)
PARAMS = Motion()
TURN_TIME = BicycleMotion().turn_time


def riders(n, **limits):
    return fleet(n, "bicycle", radius=0.8, **{"speed": 10.0, "acceleration": 2.0, "turn": 1.0} | limits)


def riding(n, speed=7.5, heading=0.0):
    heading = np.broadcast_to(np.asarray(heading, float), n)
    return swarm(np.zeros((n, 2)), speed * np.column_stack((np.cos(heading), np.sin(heading))), heading)


@given(SEEDS)
def test_commands_are_within_limits_and_never_backwards(seed):
    rng = np.random.default_rng(seed)
    state, robots, desired = random_swarm(rng, 20, 5.0), riders(20), rng.normal(0.0, 8.0, (20, 2))
    twist = bicycle.twist(desired, state.pose, robots, PARAMS, 0.05)
    assert (twist[:, 0] >= 0.0).all() and (twist[:, 0] <= 10.0).all() and not twist[:, 1].any()
    assert (np.abs(twist[:, 2]) <= 1.0).all() and (np.abs(twist[:, 2]) * twist[:, 0] <= 2.0 + 1e-9).all()


@given(SEEDS, st.floats(-3.0, 3.0))
def test_it_turns_towards_the_wished_direction_whichever_way_the_world_lies(seed, turned):
    rng = np.random.default_rng(seed)
    state, robots, desired = random_swarm(rng, 20, 5.0), riders(20, turn=100.0, acceleration=1e6), rng.normal(0.0, 3.0, (20, 2))
    twist = bicycle.twist(desired, state.pose, robots, PARAMS, 0.05)
    off = wrap(np.arctan2(desired[:, 1], desired[:, 0]) - state.pose[:, 2])
    assert np.allclose(twist[:, 2], off / TURN_TIME)
    assert np.allclose(twist[:, 0], np.clip(norm(desired) * np.cos(off), 0.0, 10.0))
    c, s = np.cos(turned), np.sin(turned)
    again = bicycle.twist(desired @ np.array([[c, s], [-s, c]]), state.pose + np.array((0.0, 0.0, turned)), robots, PARAMS, 0.05)
    assert np.allclose(again, twist, atol=1e-9)


@pytest.mark.parametrize("speed", [4.0, 7.5])
def test_a_request_to_the_side_becomes_the_turn_that_has_this_acceleration(speed):
    """ω·v = a, but for the tangent of the angle."""
    state, robots = riding(3, speed), riders(3)
    twist = command(state, np.array([(0.0, 0.2), (0.0, -0.4), (0.5, 0.0)]), robots, None, PARAMS, SeparationFilter(), 0.05)[0].twist
    assert np.allclose(twist[:, 2] * twist[:, 0], [0.2, -0.4, 0.0], rtol=0.01, atol=1e-12)
    assert np.allclose(twist[:, 0], [speed, speed, speed + 0.5 * TURN_TIME])


def test_what_a_rider_does_to_keep_the_balance_is_no_course():
    """Neither a sideways velocity of the point between the wheels nor a turn rate changes what is built on."""
    pose = np.array([(1.0, 2.0, 0.3)] * 2)
    ahead = 7.0 * np.array([np.cos(0.3), np.sin(0.3)])
    wobble = 0.2 * np.array([-np.sin(0.3), np.cos(0.3)])
    velocity = np.array([(*ahead, 0.0), (*(ahead + wobble), 0.5)])
    point, moving = bicycle.control_point(pose, velocity, PARAMS, 0.05)
    assert np.array_equal(point, pose[:, :2]) and np.allclose(moving, [ahead, ahead])


def test_the_law_of_the_group_is_at_rest_at_the_velocity_where_the_papers_right_side_vanishes():
    """k_p·e + k_v·(ẋ_g − ẋ) = 0 and a = 0 are the same velocity; only the ratio of the gains counts."""
    for own in (BicycleMotion(), BicycleMotion(position_gain=1.0), BicycleMotion(position_gain=8.0, velocity_gain=2.0, turn_time=2.0)):
        params = Motion(bicycle=own)
        position, velocity, horizon = bicycle.gains(params, 0.05)
        error, goal = np.array([0.7, -0.3]), np.array([7.5, 0.0])
        rest = goal + own.position_gain / own.velocity_gain * error
        assert np.allclose(position * error + velocity * (goal - rest), 0.0)
        assert velocity == pytest.approx(1.0 / own.turn_time) and horizon == own.horizon
        assert bicycle.response(params, 0.05) == own.turn_time


def test_a_fleet_knows_the_gains_and_the_response_of_its_bicycles():
    mixed = replace(fleet(2), model=("omni", "bicycle"))
    table = gains(mixed, PARAMS, 0.05)
    assert np.isnan(table[0, :2]).all() and table[1].tolist() == list(bicycle.gains(PARAMS, 0.05))
    assert response(mixed, PARAMS, 0.05).tolist() == [0.05, TURN_TIME]


def test_a_late_bicycle_comes_to_the_wished_course_without_swinging():
    """With an answer that lags by 0.5 s, as measured on the bicyclist, as a first-order lag."""
    state, robots, course = riding(1), riders(1), np.deg2rad(45.0)
    pose, rate, seen = state.pose.copy(), 0.0, []
    for _ in range(300):
        desired = 7.5 * np.array([(np.cos(course), np.sin(course))])
        twist = bicycle.twist(desired, pose, robots, PARAMS, 0.05)
        rate += 0.05 / 0.5 * (twist[0, 2] - rate)
        pose = bicycle.predict(pose, np.array([(twist[0, 0], 0.0, rate)]), 0.05)
        seen.append(pose[0, 2])
    assert max(seen) < 1.06 * course and seen[-1] == pytest.approx(course, abs=1e-3)
