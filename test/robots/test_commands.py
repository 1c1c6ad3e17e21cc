from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import fleet, random_swarm, swarm

from swarm_control.core.geometry import norm, rotate
from swarm_control.core.motion import Motion
from swarm_control.core.state import SwarmState
from swarm_control.robots import car, differential, omni, point_mass
from swarm_control.safety.bounds import UNBOUND, Safety
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter

SEEDS = st.integers(0, 2**32)
ROBOTS = st.sampled_from(("omni", "differential", "point_mass", "car"))


def give(state, acceleration, robots, period=0.1, safety=UNBOUND, **params):
    commands, _ = command(state, np.array(acceleration, float), robots, None, Motion(**params), SeparationFilter(), period, safety)
    return commands.twist


@settings(deadline=None)
@given(SEEDS, st.floats(0.001, 0.2), st.floats(0.0, 20.0))
def test_an_omni_robot_moves_in_the_desired_direction_however_it_turns(seed, period, gain):
    """Turning by 2h shortens its way by sin(h)/h: the chord of an arc."""
    rng = np.random.default_rng(seed)
    state, desired = random_swarm(rng, 20, 5.0), rng.normal(0.0, 0.5, (20, 2))
    twist = omni.twist(desired, state.pose, fleet(20), Motion(heading_gain=gain), period)
    moved = omni.predict(state.pose, twist, period)[:, :2] - state.position
    assert np.allclose(moved, desired * period * np.sinc(0.5 * twist[:, 2:] * period / np.pi), atol=1e-12)
    assert np.allclose(norm(twist[:, :2]), norm(desired)) and np.abs(twist[:, 2]).max() <= min(6.0, np.pi / period)


@pytest.mark.parametrize("heading", [-2.5, 0.4, 1.5, 3.1])
def test_an_omni_robot_keeps_its_course_while_it_turns_to_it(heading):
    """From tick to tick: odometry has the velocity that the body carries at the period's end."""
    pose, velocity = np.array([(0.0, 0.0, heading)]), np.array([(0.6, 0.0, 0.0)])
    for _ in range(60):
        twist = give(SwarmState.of(0.0, pose, velocity), np.zeros((1, 2)), fleet(1), heading_gain=4.0)
        pose = omni.predict(pose, twist, 0.1)
        velocity = np.column_stack((rotate(twist[:, :2], pose[:, 2]), twist[:, 2]))
    assert abs(pose[0, 1]) < 1e-9 and abs(pose[0, 2]) < 1e-6
    assert pose[0, 0] > 3.4


def test_an_omni_robot_turns_to_its_course_the_short_way_and_stays_when_at_rest():
    state = swarm([(0, 0)] * 4, heading=[0.0, 3.0, 1.0, 1.0])
    desired = np.array([(0.0, 0.5), (-0.5, -0.1), (0.001, 0.0), (0.0, 0.0)])
    rate = omni.twist(desired, state.pose, fleet(4), Motion(heading_gain=2.0), 0.05)[:, 2]
    assert rate == pytest.approx([np.pi, 2.0 * (np.arctan2(-0.1, -0.5) + 2 * np.pi - 3.0), 0.0, 0.0])


@settings(deadline=None)
@given(SEEDS)
def test_a_differential_drive_moves_its_control_point_as_desired(seed):
    """Exactly at the instant (v·e + ω × L), and over a period T but for an error that falls with T²."""
    rng = np.random.default_rng(seed)
    state, desired, params = random_swarm(rng, 20, 5.0), rng.normal(0.0, 0.01, (20, 2)), Motion(look_ahead=0.1)
    twist = differential.twist(desired, state.pose, fleet(20), params, 0.1)
    body = np.column_stack((twist[:, 0], 0.1 * twist[:, 2]))
    assert np.allclose(rotate(body, state.pose[:, 2]), desired, atol=1e-12)
    assert not twist[:, 1].any()
    errors = []
    for period in (0.1, 0.05):
        after = differential.predict(state.pose, twist, period)
        before, then = (differential.control_point(pose, np.zeros((20, 3)), params, period)[0] for pose in (state.pose, after))
        errors.append(norm(then - before - desired * period).max())
    assert errors[0] < 2e-4 and errors[1] < 0.27 * errors[0]


@settings(deadline=None)
@given(SEEDS, st.floats(0.0, 50.0))
def test_wheels_and_turn_rates_keep_their_limits_and_the_direction(seed, size):
    rng = np.random.default_rng(seed)
    state, desired, robots = random_swarm(rng, 20, 5.0), size * rng.normal(size=(20, 2)), fleet(20)
    params = Motion(look_ahead=0.05)
    twist = differential.twist(desired, state.pose, robots, params, 0.1)
    wheels = differential.wheel_speeds(twist[:, 0], twist[:, 2], robots.wheel_base)
    assert np.abs(wheels).max() <= 1.0 + 1e-12 and np.abs(twist[:, 2]).max() <= 6.0 + 1e-12
    point = rotate(np.column_stack((twist[:, 0], 0.05 * twist[:, 2])), state.pose[:, 2])
    assert np.allclose(point[:, 0] * desired[:, 1], point[:, 1] * desired[:, 0], atol=1e-9 * (1 + size))
    assert ((point * desired).sum(axis=1) >= 0.0).all()


def test_the_control_point_ahead_of_the_axle_has_the_velocity_of_a_rigid_body():
    pose, velocity = np.array([(1.0, 2.0, 0.5 * np.pi)]), np.array([(0.0, 0.3, 2.0)])
    point, moving = differential.control_point(pose, velocity, Motion(look_ahead=0.1), 0.0)
    assert point == pytest.approx(np.array([(1.0, 2.1)])) and moving == pytest.approx(np.array([(-0.2, 0.3)]))


@given(SEEDS, st.floats(0.01, 0.2), st.floats(-3.0, 3.0), st.floats(-1.0, 1.0))
def test_the_control_point_moves_as_was_wished_a_period_ago(seed, period, turn, speed):
    """A robot that has obeyed a twist for a period, and wants no acceleration, goes on with the velocity that it was given."""
    params = Motion(look_ahead=0.1)
    pose = np.random.default_rng(seed).uniform(-3.0, 3.0, (1, 3))
    twist = np.array([[speed, 0.0, turn]])
    heading = pose[0, 2]
    wished = np.array([speed * np.cos(heading) - 0.1 * turn * np.sin(heading), speed * np.sin(heading) + 0.1 * turn * np.cos(heading)])
    later = differential.predict(pose, twist, period)
    velocity = np.column_stack((rotate(twist[:, :2], later[:, 2]), twist[:, 2]))
    assert differential.control_point(later, velocity, params, period)[1][0] == pytest.approx(wished, abs=1e-9)


def test_a_point_mass_is_told_its_velocity_in_its_own_frame_and_never_to_turn():
    state = swarm([(0, 0)], heading=0.5 * np.pi)
    assert point_mass.twist(np.array([(0.0, 0.4)]), state.pose, fleet(1), Motion(), 0.1) == pytest.approx(np.array([(0.4, 0.0, 0.0)]))


@pytest.mark.parametrize(("model", "turned"), [(omni, 0.7), (point_mass, 0.0)])
@pytest.mark.parametrize("top", [0.5, 1.0, 2.0])
def test_who_glides_is_slowed_down_to_its_top_speed_and_no_more(model, turned, top):
    """A point mass does not turn."""
    for size, made in ((0.5 * top, 0.5 * top), (top, top), (10.0 * top, top)):
        assert model.limit(0.6 * size, -0.8 * size, 0.7, top, 2.0, 0.1) == pytest.approx((0.6 * made, -0.8 * made, turned))


def test_an_acceleration_becomes_a_velocity_by_v_u_plus_a_t():
    state = swarm([(0, 0), (1, 0)], velocity=[(0.2, 0.1), (0, 0)])
    twist = give(state, [(1.0, -2.0), (0.0, 3.0)], fleet(2), heading_gain=0.0)
    assert twist == pytest.approx(np.array([(0.3, -0.1, 0.0), (0.0, 0.3, 0.0)]))


@settings(deadline=None)
@given(SEEDS, ROBOTS, st.sampled_from((0.0, 0.3, 1.0, 100.0)))
def test_limits_come_last(seed, model, cap):
    rng = np.random.default_rng(seed)
    robots = replace(fleet(30, model), max_speed=rng.uniform(0.1, 2.0, 30), max_acceleration=rng.uniform(0.1, 9.0, 30))
    state = random_swarm(rng, 30, 5.0)
    acceleration = rng.normal(size=(30, 2)) * 10.0 ** rng.integers(-2, 300, (30, 1))
    twist = give(state, acceleration, robots, safety=Safety(speed_cap=cap), heading_gain=4.0)
    top = np.minimum(robots.max_speed, cap or np.inf)
    assert np.isfinite(twist).all()
    wheels = 0.5 * robots.wheel_base * np.abs(twist[:, 2]) if model == "differential" else 0.0
    assert (norm(twist[:, :2]) + wheels <= top * (1 + 1e-12)).all()
    assert (np.abs(twist[:, 2]) <= robots.max_turn_rate * (1 + 1e-12)).all()
    if model == "omni":
        slow = norm(state.velocity[:, :2]) <= top
        body = rotate(twist[:, :2], state.pose[:, 2] + 0.05 * twist[:, 2])
        assert (norm(body - state.velocity[:, :2])[slow] <= 0.1 * robots.max_acceleration[slow] * (1 + 1e-9)).all()


def test_a_wish_that_is_not_finite_counts_as_none():
    state = swarm([(0, 0)] * 3, velocity=[(0.5, 0.0)] * 3)
    twist = give(state, [(np.nan, 1.0), (np.inf, 0.0), (0.0, 1.0)], fleet(3), heading_gain=0.0)
    assert twist == pytest.approx(np.array([(0.5, 0.0, 0.0), (0.5, 0.0, 0.0), (0.5, 0.1, 0.0)]))


def test_each_robot_of_a_mixed_fleet_is_moved_by_its_own_model():
    rng = np.random.default_rng(4)
    state, wish = random_swarm(rng, 6, 3.0), rng.normal(size=(6, 2))
    kinds = ("omni", "differential", "point_mass", "differential", "omni", "point_mass")
    mixed = give(state, wish, replace(fleet(6), model=kinds))
    for kind in set(kinds):
        rows = np.array(kinds) == kind
        assert np.array_equal(mixed[rows], give(state, wish, fleet(6, kind))[rows])


@pytest.mark.parametrize("ahead", [0.01, -0.01])
def test_a_slow_car_creeps_the_way_that_it_would_go_to_what_is_beside_it(ahead):
    robots, state = fleet(1, model="car"), swarm([[0.0, 0.0]])
    made = car.twist(np.array([[ahead, 0.3]]), state.pose, robots, Motion(), 0.05)
    assert np.sign(made[0, 0]) == np.sign(ahead) and abs(made[0, 0]) > 5.0 * abs(ahead)
