"""Gains of kinds: the point mass's law integrated exactly, and how long a request is acted on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from swarms import fleet, random_swarm, swarm

from swarm_control.core.geometry import rotate
from swarm_control.core.motion import Motion, drive, gains, response
from swarm_control.core.state import Society, Way
from swarm_control.robots import ROBOTS, point_mass
from swarm_control.robots.point_mass import PointMass
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter

SEEDS = st.integers(0, 2**32)


def law(params: PointMass, error: float, speed: float, others: float, group: float, period: float) -> float:
    """Speed after ``period`` of a mass under ``m·ẍ = k_p e + k_v(ẋ_g − ẋ)``, ė = ẋ_a − ẋ, by a general solver."""

    def rates(t, y):
        e, v = y
        return others - v, (params.position_gain * e + params.velocity_gain * (group - v)) / params.mass

    return float(solve_ivp(rates, (0.0, period), (error, speed), "DOP853", rtol=1e-13, atol=1e-13).y[1, -1])


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.sampled_from((0.01, 0.05, 0.5)), st.sampled_from((0.0, 30.0, 776.8, 2000.0)))
def test_a_point_mass_has_the_law_s_velocity_at_the_period_s_end(seed, period, damping):
    """Overdamped as in the paper (2000), critically damped (776.8), underdamped and without damping."""
    own = PointMass(velocity_gain=damping)
    position, velocity, horizon = point_mass.gains(Motion(point_mass=own), period)
    error, speed, others, group = np.random.default_rng(seed).normal(0.0, 2.0, 4)
    gained = period * (position * (error + (others - speed) * horizon) + velocity * (group - speed))
    assert speed + gained == pytest.approx(law(own, error, speed, others, group, period), abs=1e-9)


def test_the_period_s_limit_is_the_law_itself():
    position, velocity, horizon = point_mass.gains(Motion(), 1e-6)
    assert (position, velocity, horizon) == pytest.approx((6000 / 25.14, 2000 / 25.14, 0.5e-6), rel=1e-3)


@pytest.mark.parametrize("period", [0.01, 0.05, 0.2, 0.5])
def test_a_point_mass_comes_to_its_place_at_any_period_where_a_held_force_swings_up(period):
    position, velocity, horizon = point_mass.gains(Motion(), period)
    error, speed, held = 1.0, 0.0, (1.0, 0.0)
    for _ in range(round(5.0 / period) + 20):
        speed += period * (position * (error - speed * horizon) - velocity * speed)
        error -= speed * period
        push = (6000.0 * held[0] - 2000.0 * held[1]) / 25.14
        held = held[0] - period * held[1] - 0.5 * period**2 * push, held[1] + period * push
    assert abs(error) < 1e-3 and abs(speed) < 1e-3
    assert np.hypot(*held) < 1e-2 if period < 0.02 else np.hypot(*held) > 1e6


def test_each_robot_has_the_gains_of_its_kind():
    robots = fleet(4)
    table = gains(robots, Motion(), 0.1)
    assert np.isnan(table[:, :2]).all() and (table[:, 2] == 0.1).all()
    mixed = type(robots)(robots.names, ("omni", "point_mass", "differential", "point_mass"), *vars_of(robots))
    table = gains(mixed, Motion(), 0.1)
    assert np.isnan(table[[0, 2], :2]).all()
    assert np.array_equal(table[[1, 3]], [point_mass.gains(Motion(), 0.1)] * 2)
    assert response(mixed, Motion(), 0.1).tolist() == [0.1] * 4


def vars_of(robots):
    return [getattr(robots, name) for name in ("radius", "max_speed", "max_acceleration", "max_turn_rate", "wheel_base")]


def answer_late(patch):
    """Omnidirectional robots act on a request for 0.4 s."""
    patch.setitem(ROBOTS._items, "omni", replace(ROBOTS["omni"], response=lambda params, period: 0.4))


def test_a_request_is_acted_on_for_as_long_as_the_kind_takes(monkeypatch):
    """One kind of a mixed fleet answers in 0.4 s: it alone gains 0.4 s of the acceleration, up to its bounds."""
    answer_late(monkeypatch)
    robots = fleet(4, speed=2.0)
    robots = type(robots)(robots.names, ("omni", "omni", "point_mass", "omni"), *vars_of(robots))
    state = swarm([(k, 0) for k in range(4)], velocity=[(0.5, 0.0)] * 4)
    wanted = np.array([(1.0, -1.0), (40.0, 0.0), (1.0, -1.0), (0.0, 3.9)])
    commands, _ = command(state, wanted, robots, None, Motion(heading_gain=0.0), SeparationFilter(), 0.1)
    expected = [(0.9, -0.4), (2.0, 0.0), (0.6, -0.1), (0.5, 1.56)]
    assert commands.twist[:, :2] == pytest.approx(np.array(expected))


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.sampled_from(("velocity", "step")))
def test_modes_that_set_the_velocity_reach_it_in_that_time(seed, mode):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        answer_late(patch)
        robots, state, wanted = fleet(6, acceleration=1000.0, speed=50.0), random_swarm(rng, 6, 5.0), rng.normal(size=(6, 2))
        params = Motion(mode=mode, mobility=0.3, step_speed=0.7, heading_gain=0.0)
        commands, _ = command(state, drive(state, wanted, robots, params, 0.1, None), robots, None, params, SeparationFilter(), 0.1)
    size = 0.3 if mode == "velocity" else 0.7 / np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(rotate(commands.twist[:, :2], state.pose[:, 2]), size * wanted, atol=1e-9)


def test_a_leading_robot_of_a_slow_kind_goes_its_way(monkeypatch):
    answer_late(monkeypatch)
    robots, params, way = fleet(1, speed=5.0, acceleration=100.0), Motion(heading_gain=0.0), Way(
        np.array([0]), np.zeros((1, 2)), np.array([0.0, 10.0]), np.array([(0.0, 0.0), (10.0, 0.0)])
    )  # fmt: skip
    society = Society((frozenset({""}),), np.zeros(1, int), np.empty((0, 2)), np.empty(0, int), np.ones(1, bool), (way,))
    state = swarm([(0.0, 0.0)], velocity=[(0.3, 0.0)])
    commands, _ = command(
        state, drive(state, np.zeros((1, 2)), robots, params, 0.1, society), robots, None, params, SeparationFilter(), 0.1
    )
    assert commands.twist[0] == pytest.approx((1.0, 0.0, 0.0))
