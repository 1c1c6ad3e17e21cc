"""Encoder counts to poses: closed forms, bounds, and counts that cannot be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wires import CHASSIS, WHEELS

from swarm_control.hardware.odometry import DRIFT, Chassis, RobotClock, WheelOdometry
from swarm_control.hardware.protocol import Encoders, wrap_ticks
from swarm_control.scenario.hardware import Wheels

FINE = Chassis(0.05, 0.25, 10_000_000, 0.3, 0.6, 2.4)
"""Encoders so fine that their ticks do not show."""


def reading(k, left, right, boot=1, time=None):
    return Encoders(k % 65536, boot, (20 * k if time is None else time) % 2**32, wrap_ticks(left), wrap_ticks(right), 0, -1)


def drive(odometry, left, right, steps, start=(0, 0), first=0):
    """Turn the wheels by ``left`` and ``right`` ticks altogether, evenly in ``steps``."""
    for k in range(steps + 1):
        assert odometry.count(reading(first + k, start[0] + round(left * k / steps), start[1] + round(right * k / steps)))


@given(st.floats(-0.28, 0.28), st.floats(-0.28, 0.28), st.floats(-3.0, 3.0), st.sampled_from([1, 7, 50]))
def test_the_pose_follows_the_exact_arc(left, right, yaw, steps):
    """However finely it is read out, and from wherever it starts."""
    odometry = WheelOdometry(FINE, WHEELS, np.array([1.0, 2.0, yaw]))
    ticks = round(left / FINE.tick), round(right / FINE.tick)
    for k in range(steps + 1):
        assert odometry.count(reading(k, ticks[0] * k // steps, ticks[1] * k // steps, time=1000 * k // steps))
    turn, way = (right - left) / 0.25, 0.5 * (left + right)
    if abs(turn) < 1e-6:
        ahead, aside = way, 0.0
    else:
        ahead, aside = way / turn * math.sin(turn), way / turn * (1.0 - math.cos(turn))
    c, s = math.cos(yaw), math.sin(yaw)
    assert odometry.pose[:2] == pytest.approx([1.0 + c * ahead - s * aside, 2.0 + s * ahead + c * aside], abs=1e-6)
    assert math.remainder(odometry.pose[2] - yaw - turn, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-5)
    if steps == 1:
        assert odometry.twist == pytest.approx([way, turn], abs=1e-5)


def test_a_full_circle_closes():
    odometry = WheelOdometry(FINE, WHEELS, np.zeros(3))
    inner, outer = (2.0 * math.pi * (1.0 + side * 0.125) / FINE.tick for side in (-1, 1))
    drive(odometry, inner, outer, 2000)
    assert odometry.pose == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_where_the_counters_stand_or_wrap_does_not_matter(left, right):
    plain, wrapped = (WheelOdometry(CHASSIS, WHEELS, np.zeros(3)) for _ in range(2))
    drive(plain, 500, 700, 10)
    drive(wrapped, 500, 700, 10, start=(left, right))
    assert (plain.pose == wrapped.pose).all()


def test_the_robots_time_wraps():
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    assert odometry.count(reading(0, 0, 0, time=2**32 - 10)) and odometry.count(reading(1, 20, 20, time=10))
    assert odometry.twist[0] == pytest.approx(20 * CHASSIS.tick / 0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.floats(0.05, 0.29), st.floats(-0.29, 0.29))
def test_ticks_cost_less_than_their_length(steps, left, right):
    """The counters round down: each wheel's way is never a tick off, and nothing adds up but the heading's effect on the way."""
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    rates = np.array([left, right]) / CHASSIS.tick * 0.02
    for k in range(steps + 1):
        assert odometry.count(reading(k, *map(math.floor, rates * k)))
    exact = WheelOdometry(FINE, WHEELS, np.zeros(3))
    fine = np.array([left, right]) / FINE.tick * 0.02
    drive(exact, *(fine * steps), max(steps, 1))
    tick, way = CHASSIS.tick, (abs(left) + abs(right)) / 2 * 0.02 * steps
    turned = 2.0 * tick / CHASSIS.wheel_base
    assert abs(math.remainder(odometry.pose[2] - exact.pose[2], 2 * math.pi)) <= turned + 1e-4
    assert math.hypot(*(odometry.pose - exact.pose)[:2]) <= 2 * tick + way * (turned + 1e-4) + 1e-6


def test_a_jump_is_not_believed_and_the_next_reading_makes_up_for_it():
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    drive(odometry, 100, 100, 5)
    before = odometry.pose
    assert not odometry.count(reading(6, 100_000, 120))
    assert odometry.rejected == 1 and (odometry.pose == before).all()
    assert odometry.count(reading(7, 140, 140))
    assert odometry.pose[0] == pytest.approx(140 * CHASSIS.tick)


@pytest.mark.parametrize("time", [0, 100, 2**31 + 101])
def test_time_that_stands_or_goes_back_is_not_believed(time):
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    drive(odometry, 100, 100, 5)
    assert not odometry.count(reading(6, 110, 110, time=time))


def test_the_limit_of_belief_is_the_top_speed_times_jump():
    most = math.floor(WHEELS.jump * CHASSIS.max_speed * 0.02 / CHASSIS.tick + 2.0)
    for extra, believed in ((0, True), (1, False)):
        odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
        odometry.count(reading(0, 0, 0))
        assert odometry.count(reading(1, most + extra, 0)) is believed


def test_counters_that_have_really_changed_are_believed_in_the_end():
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    drive(odometry, 100, 100, 5)
    before = odometry.pose
    heard = [odometry.count(reading(6 + k, 50_000 + k, 50_000 + k)) for k in range(WHEELS.rejections + 1)]
    assert heard == [False] * WHEELS.rejections + [True] and odometry.rebased == 1
    assert odometry.pose[0] == pytest.approx(before[0] + CHASSIS.tick), "only what was counted since"


def test_a_restarted_robot_keeps_its_pose():
    odometry = WheelOdometry(CHASSIS, WHEELS, np.array([1.0, 2.0, 0.5]))
    drive(odometry, 300, 320, 5)
    before = odometry.pose
    assert odometry.count(reading(0, 0, 0, boot=2)) and odometry.rebased == 1 and odometry.rejected == 0
    assert (odometry.pose == before).all() and (odometry.twist == 0.0).all()
    assert odometry.count(reading(1, 10, 10, boot=2))
    assert math.hypot(*(odometry.pose - before)[:2]) == pytest.approx(10 * CHASSIS.tick)


def test_covariance_of_a_straight_way_has_its_closed_form():
    """Way s, error k per metre of each wheel, base b: var(x) = k·s/2, var(θ) = 2k·s/b², var(y) = 2k·s³/3b², cov(y, θ) = k·s²/b²."""
    wheels = Wheels(error_distance=1e-4, error_turn=0.0)
    odometry = WheelOdometry(FINE, wheels, np.zeros(3))
    start, k, b, s = odometry.covariance, 1e-4, 0.25, 2.0
    drive(odometry, s / FINE.tick, s / FINE.tick, 400)
    grown = odometry.covariance - start
    assert grown[0, 0] == pytest.approx(k * s / 2) and grown[2, 2] == pytest.approx(2 * k * s / b**2)
    assert grown[1, 1] == pytest.approx(2 * k * s**3 / (3 * b**2), rel=1e-4) and grown[1, 2] == pytest.approx(k * s**2 / b**2, rel=1e-4)


def test_covariance_of_turning_on_the_spot():
    wheels = Wheels(error_distance=0.0, error_turn=1e-3)
    odometry = WheelOdometry(FINE, wheels, np.zeros(3))
    turn = 3.0
    drive(odometry, -turn * 0.125 / FINE.tick, turn * 0.125 / FINE.tick, 100)
    assert odometry.covariance[2, 2] == pytest.approx(1e-3 * turn, rel=1e-5)


@given(st.lists(st.tuples(st.integers(-60, 60), st.integers(-60, 60)), min_size=1, max_size=30))
def test_covariance_stays_one_and_never_shrinks(ways):
    odometry = WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    odometry.count(reading(0, 0, 0))
    left = right = 0
    for k, (a, b) in enumerate(ways, 1):
        before = odometry.covariance[2, 2]
        left, right = left + a, right + b
        assert odometry.count(reading(k, left, right))
        assert odometry.covariance[2, 2] >= before
        assert odometry.covariance == pytest.approx(odometry.covariance.T, abs=1e-18)
        assert np.linalg.eigvalsh(odometry.covariance)[0] > 0.0


def test_covariance_is_what_drives_with_such_errors_scatter_by():
    """Four hundred drives along one curve, their wheels' ways spoilt as ``error_distance`` says."""
    rng, k, steps = np.random.default_rng(5), 1e-4, 40
    wheels = Wheels(error_distance=k, error_turn=0.0)
    way = np.array([0.018, 0.02])
    ends = []
    for _ in range(400):
        odometry, at = WheelOdometry(FINE, wheels, np.zeros(3)), np.zeros(2)
        odometry.count(reading(0, 0, 0, time=0))
        for n in range(1, steps + 1):
            at = at + way + rng.normal(0.0, np.sqrt(k * way))
            odometry.count(reading(n, *(round(value / FINE.tick) for value in at), time=200 * n))
        ends.append(odometry.pose)
    nominal = WheelOdometry(FINE, wheels, np.zeros(3))
    for n in range(steps + 1):
        nominal.count(reading(n, *(round(value / FINE.tick) for value in way * n), time=200 * n))
    found = np.cov(np.array(ends).T)
    spread = np.sqrt(np.diag(found))
    assert np.sqrt(np.diag(nominal.covariance)) == pytest.approx(spread, rel=0.12)
    assert np.corrcoef(np.array(ends).T)[1, 2] == pytest.approx(
        nominal.covariance[1, 2] / math.sqrt(nominal.covariance[1, 1] * nominal.covariance[2, 2]), abs=0.05
    )


def stamps(clock, offset, delays, rate=1.0, first=0):
    """Stamp readings made every 20 ms that arrive after ``delays`` (s); what the stamps are off by."""
    errors = []
    for k, delay in enumerate(delays, first):
        made = 0.02 * k
        errors.append(clock.stamp(round(1e3 * (made * rate + offset)) % 2**32, made + delay) - made)
    return np.array(errors)


@pytest.mark.parametrize("offset", [0.0, 4e6, 2.0**32 / 1e3 - 0.5])
def test_stamps_shed_the_delay_but_its_least(offset):
    delays = 0.01 + np.random.default_rng(2).exponential(0.02, 500)
    errors = stamps(RobotClock(0.25), offset, delays)
    assert (errors <= delays + 1e-9).all(), "never in the future"
    assert errors[100:] == pytest.approx(np.full(400, 0.012), abs=0.006)


@pytest.mark.parametrize("rate", [1.0 - 0.5 * DRIFT, 1.0 + 0.5 * DRIFT])
def test_a_clock_that_drifts_is_followed(rate):
    clock = RobotClock(0.25)
    errors = stamps(clock, 0.0, np.full(20_000, 0.01), rate)
    assert errors == pytest.approx(np.full(20_000, 0.01), abs=0.002) and clock.resets == 0


def test_a_held_up_line_keeps_its_age():
    clock = RobotClock(0.25)
    stamps(clock, 5.0, np.full(100, 0.01))
    assert stamps(clock, 5.0, [0.81], first=100)[0] == pytest.approx(0.01, abs=0.003)
    assert clock.resets == 0


def test_a_clock_set_back_or_forth_is_found_out():
    clock = RobotClock(0.25)
    stamps(clock, 100.0, np.full(100, 0.01))
    back = stamps(clock, 40.0, np.full(100, 0.01), first=100)
    assert back[10] < -50.0 and clock.resets == 1 and back[60:] == pytest.approx(np.full(40, 0.01), abs=0.002)
    forth = stamps(clock, 4000.0, np.full(100, 0.01), first=200)
    assert forth == pytest.approx(np.full(100, 0.01), abs=0.002) and clock.resets == 1


@pytest.mark.parametrize("yaw", [0.3, 2.0])
def test_an_uncertain_heading_makes_the_place_uncertain_across_the_way(yaw):
    odometry, doubt = WheelOdometry(FINE, Wheels(error_distance=0.0, error_turn=0.0), np.array([0.0, 0.0, yaw])), 0.01
    odometry.covariance = np.diag([0.0, 0.0, doubt])
    drive(odometry, 0.9 / FINE.tick, 1.1 / FINE.tick, 400)
    dx, dy, _ = odometry.pose
    across = np.array([-dy, dx, 1.0])
    assert odometry.covariance == pytest.approx(doubt * np.outer(across, across), rel=1e-5)
