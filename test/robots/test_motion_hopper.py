"""The motion model of one-legged robots: equation 14 in the shape that behaviours and the motion step have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swarms import fleet, random_swarm, rotated

from swarm_control.core.geometry import rotate
from swarm_control.core.motion import Motion
from swarm_control.robots import hopper
from swarm_control.robots.hopper.parameters import HopperMotion

TIMES = st.floats(0.05, 1.0)
VECTORS = st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0)).map(np.array)
SEEDS = st.integers(0, 2**32)


def params(**values):
    return Motion(hopper=HopperMotion(**values))


@given(TIMES, TIMES, VECTORS, VECTORS, VECTORS, VECTORS)
def test_gains_held_for_a_step_are_equation_14(stance, flight, way, own, others, goal):
    """Equations 9 to 11 and 14 as printed."""
    given_ = params(stance=stance, flight=flight)
    position, speed, ahead = hopper.gains(given_, 0.05)
    acceleration = position * (way + (others - own) * ahead) + speed * (goal - own)
    error = (way + others * (stance + flight)) - own * (stance + flight)
    printed = own + 0.5 * ((goal - own) + error / (0.5 * stance + flight))
    assert own + acceleration * hopper.response(given_, 0.05) == pytest.approx(printed, rel=1e-9, abs=1e-9)
    assert ahead == hopper.horizon(given_) == stance + flight


@given(TIMES, TIMES, VECTORS, VECTORS)
def test_twice_the_position_gain_brings_it_there_by_the_end_of_the_step(stance, flight, error, own):
    """Equations 12 and 13: a ramp of velocity in stance, then a constant one, without the wish for the group's velocity."""
    position, _, step = hopper.gains(params(stance=stance, flight=flight), 0.05)
    wished = own + 2.0 * position * error * step
    assert 0.5 * (own + wished) * stance + wished * flight == pytest.approx(own * step + error, rel=1e-9, abs=1e-9)


@given(SEEDS, st.floats(0.01, 0.2))
def test_the_command_is_the_wished_velocity_whatever_the_heading(seed, period):
    """But for the turn of half a period, at most a twelfth of a radian: the middle of it is right."""
    rng = np.random.default_rng(seed)
    state, desired = random_swarm(rng, 20, 5.0), rng.normal(0.0, 1.0, (20, 2))
    twist = hopper.twist(desired, state.pose, fleet(20), params(turn_gain=2.0), period)
    middle = state.pose[:, 2] + 0.5 * period * twist[:, 2]
    assert rotate(twist[:, :2], middle) == pytest.approx(desired, abs=1e-12)
    assert np.abs(twist[:, 2]).max() <= HopperMotion().turn_rate


@given(SEEDS, st.floats(-3.0, 3.0))
def test_turned_as_a_whole_robots_are_told_the_same(seed, angle):
    rng = np.random.default_rng(seed)
    state, desired = random_swarm(rng, 10, 5.0), rng.normal(0.0, 1.0, (10, 2))
    turned = state.pose + np.array([0.0, 0.0, angle])
    once = hopper.twist(desired, state.pose, fleet(10), params(), 0.05)
    again = hopper.twist(rotated(desired, angle), turned, fleet(10), params(), 0.05)
    assert once == pytest.approx(again, abs=1e-9)


def test_it_turns_to_its_course_and_no_faster_than_the_robot_may():
    pose, desired = np.array([(0.0, 0.0, 0.0)] * 3), np.array([(1.0, 0.2), (0.0, 1.0), (0.0, 0.0)])
    rate = hopper.twist(desired, pose, fleet(3), params(turn_gain=1.0, turn_rate=0.5), 0.05)[:, 2]
    assert rate == pytest.approx([np.arctan2(0.2, 1.0), 0.5, 0.0])
    assert hopper.twist(desired, pose, fleet(3, turn=0.1), params(), 0.05)[:, 2] == pytest.approx([0.1, 0.1, 0.0])
    assert not hopper.twist(desired, pose, fleet(3), params(turn_gain=0.0), 0.05)[:, 2].any()


def test_the_body_is_the_control_point():
    pose, velocity = np.array([(1.0, 2.0, 3.0)]), np.array([(0.5, -0.5, 2.0)])
    point, moving = hopper.control_point(pose, velocity, Motion(), 0.1)
    assert point.tolist() == [[1.0, 2.0]] and moving.tolist() == [[0.5, -0.5]]
