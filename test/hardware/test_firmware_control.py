"""The reference firmware in C drives two motors: steps, deadman, currents, faults; and a robot, by the driver's code over bad links."""

import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_firmware import board, command, program, told  # noqa: F401 - fixtures

from swarm_control.hardware.connection import Connection
from swarm_control.hardware.link import make_link
from swarm_control.hardware.odometry import WheelOdometry
from swarm_control.hardware.protocol import FAULT, STOPPED
from swarm_control.hardware.robot import Robot
from swarm_control.hardware.wheels import WheelDriver
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.emulator import Emulator
from swarm_control.sim.hardware.ports import PtyPort
from swarm_experiments.lab.compiled import FOLDER, CompiledFirmware
from swarm_experiments.lab.firmware import HEADING, PLACE
from swarm_experiments.lab.wheel_drives import CHASSIS, WHEELS, Faults, drive

TEXT = (FOLDER / "host" / "host.c").read_text(encoding="utf-8")
SET = {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+)", TEXT)}
"""The settings of the firmware on this computer, in its units."""
TAU, STALL = (float(re.findall(rf"#define {name} (\S+)", TEXT)[0]) for name in ("TAU", "STALL"))
FREE, FULL = 1e-3 * SET["free_rate"], 10_000.0
TICK = 2.0 * np.pi / SET["ticks_per_turn"]


@pytest.fixture
def motors(board):  # noqa: F811
    """The board, just started, on two motors that are as it takes them to be."""
    board.start(1)
    board.motors()
    board.wheels(1, 1)
    board.encoders(1, 1)
    return board


def steadily(motors, left, right, ms, first=1):
    """Answers of each 10 ms while these rates (mrad/s) are commanded."""
    found = []
    for k in range(ms // 10):
        found.append(motors.run(10, command(first + k, left, right)))
    return found


def closed_form(when, target):
    """Rate (rad/s) of a wheel ``when`` (s) after the command: it lags behind the ramp r by e, with τ·e″ + (1 + k·Kp)·e′ + k·Ki·e = τ·r″.

    For the host's gains both poles are −p, so that a ramp of slope a gives e = a·t·exp(−p·t), and its end the same with the other sign.
    """
    k, slope = FREE / FULL, 1e-3 * SET["acceleration"]
    p = 0.5 * (1.0 + k * SET["gain_rate"]) / TAU
    assert k * SET["gain_way"] / TAU == pytest.approx(p * p)
    since = [np.maximum(when, 0.0), np.maximum(when - target / slope, 0.0)]
    reference, lag = (sign * slope * t for sign, t in zip((1, -1), since)), [slope * t * np.exp(-p * t) for t in since]
    return sum(reference) - (lag[0] - lag[1])


@pytest.mark.parametrize("target", [2.0, 5.0, -8.0])
def test_a_step_goes_as_the_closed_form_has_it(motors, target):
    """To within a tick in a control step, which is as finely as it sees rates."""
    motors.run(0, command(1, round(1e3 * target), 0, 5000))
    rates = np.array([motors.run(1).rates[0] for _ in range(700)])
    when = 1e-3 * np.arange(1, 701)
    expected = np.sign(target) * closed_form(when, abs(target))
    assert np.abs(rates - expected).max() <= TICK / (1e-3 * SET["control_ms"])
    assert rates[500:].mean() == pytest.approx(target, rel=5e-3)


@pytest.mark.parametrize(("free", "drag"), [((25.0, 25.0), 0.0), ((22.0, 27.0), 0.04)])
def test_no_way_is_lost_however_small_a_share_of_a_tick_a_step_is(motors, free, drag):
    """The driver is told of rates, but what is kept is the way: after a minute it is off by no more than after a second."""
    motors.motors(*free, drag)
    found = steadily(motors, 137, -1234, 60_000)
    ways = np.array([answer.angles for answer in found]) - np.outer(1e-2 * np.arange(1, len(found) + 1), [0.137, -1.234])
    assert np.ptp(ways[200:], axis=0).max() <= 4.0 * TICK and np.abs(ways).max() < 0.1


@settings(max_examples=30)
@given(st.integers(1, 800), st.integers(-9000, 9000), st.integers(-9000, 9000))
def test_the_deadman_stops_the_wheels_to_the_millisecond(board, deadman, left, right):  # noqa: F811
    board.start(1)
    board.motors(drag=0.03)
    last = steadily(board, left, right, 1000)[-1]
    board.run(0, command(500, left, right, deadman))
    before = board.run(deadman - 1)
    assert not before.stopped and board.run(1).stopped
    after = board.run(400)
    assert after.rates == pytest.approx((0.0, 0.0), abs=0.02) and after.duties == (0, 0)
    limits = 1e-3 * np.abs([left, right]) * (1e-3 * deadman + TAU) + 0.1
    assert (np.abs(np.subtract(after.angles, last.angles)) <= limits).all()
    assert not steadily(board, left, right, 20, first=3)[-1].stopped, "while it stands it obeys any number"


def test_speeding_up_has_a_limit_and_slowing_down_has_none(motors):
    rates = np.array([answer.rates for answer in steadily(motors, 9000, -9000, 500)])
    steepest = (1.0 + np.exp(-2.0)) * 1e-3 * SET["acceleration"]  # of the closed form
    assert np.abs(rates[5:] - rates[:-5]).max() <= 5e-2 * steepest + TICK / (1e-3 * SET["control_ms"])
    assert np.abs(rates[-1]) == pytest.approx([9.0, 9.0], rel=0.05)
    assert np.abs(steadily(motors, 0, 0, 150, first=100)[-1].rates).max() < 0.05 * 9.0


@pytest.mark.parametrize("limit", [400, 1000])
def test_the_current_stays_below_its_limit_and_a_wheel_that_is_held_is_a_fault(motors, limit):
    motors.motors(limit=limit)
    motors.wheels(0, 1)
    found = steadily(motors, 9000, 9000, 1000)
    currents = np.array([answer.currents[0] for answer in found])
    held = [k for k, answer in enumerate(found) if answer.limited[0]]
    over = np.flatnonzero(currents > 1.05 * limit)
    assert len(over) <= 2, "the board has to see it first"
    assert np.median(currents[held]) == pytest.approx(limit, rel=0.05) and 0.4 <= 1e-2 * len(held) <= 0.6
    assert found[-1].fault and found[-1].duties == (0, 0) and told(found[-1])[-1].status == FAULT
    assert found[-1].rates[1] < 9.0, "the other one goes off as well"


def test_a_current_limit_does_not_stop_a_wheel_from_coming_to_its_speed(motors):
    motors.motors(drag=0.02, limit=250)
    found = steadily(motors, 9000, 9000, 3000)
    assert any(answer.limited[0] for answer in found) and not found[-1].fault
    assert found[-1].rates == pytest.approx((9.0, 9.0), rel=0.03) and max(a.currents[0] for a in found[5:]) < 1.3 * 250


@pytest.mark.parametrize("encoder", [0, -1])
@pytest.mark.parametrize("rate", [1000, 6000])
def test_an_encoder_that_is_broken_or_reversed_is_a_fault_until_the_robot_is_told_to_stand(motors, encoder, rate):
    motors.encoders(1, encoder)
    found = steadily(motors, rate, rate, 1500)
    assert not found[10].fault and found[-1].fault and found[-1].duties == (0, 0) and told(found[-1])[-1].status == FAULT
    motors.encoders(1, 1)
    assert steadily(motors, rate, rate, 1500, first=200)[-1].fault
    assert steadily(motors, 0, 0, 900, first=400)[-1].fault and not steadily(motors, 0, 0, 200, first=500)[-1].fault
    assert steadily(motors, rate, rate, 1000, first=600)[-1].rates == pytest.approx((1e-3 * rate,) * 2, rel=0.1, abs=0.1)


def test_a_reversed_encoder_does_not_keep_a_wheel_going_when_the_deadman_has_stopped_it(motors):
    """Braking then drives it, until this is found out; the fault has a second of its own."""
    motors.encoders(1, -1)
    motors.run(0, command(1, 1250, -1250, 200))
    found = [motors.run(10) for _ in range(300)]
    faulty = [k for k, answer in enumerate(found) if answer.fault]
    assert 20 < faulty[0] < 100 and len(faulty) == 100 and told(found[faulty[50]])[-1].status == STOPPED | FAULT
    assert all(answer.duties == (0, 0) for answer in found[faulty[0] :]) and found[-1].rates == pytest.approx((0.0, 0.0), abs=0.01)


@pytest.mark.parametrize(("stood", "quiet"), [(300, False), (1100, True)])
def test_a_robot_that_has_stood_for_a_second_gets_no_duty_whatever_its_encoders_say(motors, stood, quiet):
    steadily(motors, 3000, 3000, 500)
    assert steadily(motors, 0, 0, stood, first=100)[-1].duties == (0, 0)
    motors.encoders(-1, -1)  # their counts jump
    assert all(answer.duties == (0, 0) for answer in steadily(motors, 0, 0, 100, first=300)) == quiet


@pytest.mark.parametrize("seed", range(3))
def test_odometry_is_true_over_a_lossy_link(motors, seed):
    """As true as with the emulator's own firmware."""
    motors.motors(24.0, 26.0, 0.03)
    faults = Faults(drop=0.2, garble=0.1, disconnect=0.2)
    found = drive(lambda base, now: CompiledFirmware(motors, base, now), faults, seed, 20.0)
    assert found.place < PLACE and found.heading < HEADING and found.way > 1.0 and found.outages > 0


def test_the_drivers_link_drives_it_over_a_serial_line(motors):
    port, rng = PtyPort(), np.random.default_rng(5)
    base = SlippingBase(CHASSIS.wheel_radius, CHASSIS.wheel_base, np.zeros(3), 0.0, rng)
    emulator = Emulator(
        "r", CompiledFirmware(motors, base, time.monotonic()), port, drop=0.05, garble=0.05, disconnect=0.0, rng=rng
    )  # fmt: skip
    driver, odometry = WheelDriver(CHASSIS, timeout=0.2), WheelOdometry(CHASSIS, WHEELS, np.zeros(3))
    robot = Robot(Connection(make_link(port.url), 2.0 * WHEELS.silence), driver, odometry, WHEELS)
    began = rest = time.monotonic()
    while (now := time.monotonic()) < rest + 1.0:
        if now < began + 2.0 or (not (emulator.firmware.bad and robot.counters.bad) and now < began + 30.0):
            rest = now
            driver.obey(0.2, 0.6, now)
        robot.serve(now)
        emulator.serve(now)
        time.sleep(0.002)
    robot.connection.close()
    port.close()
    x, y, yaw = base.where()
    assert x > 0.05 and odometry.pose[:2] == pytest.approx((x, y), abs=PLACE) and odometry.pose[2] == pytest.approx(yaw, abs=HEADING)
    assert emulator.firmware.bad > 0 and robot.counters.bad > 0
