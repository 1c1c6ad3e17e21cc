"""The driver and a robot's firmware on a wire, in a time of their own: limits, deadmen, losses, restarts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wires import CHASSIS, WHEELS, Pair

from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.hardware.protocol import STOPPED, Encoders, WheelSpeeds, decode, encode
from swarm_control.hardware.robot import links
from swarm_control.hardware.wheels import WheelDriver, chassis_of
from swarm_control.scenario.hardware import Wheels
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.emulator import OUTAGE, Emulator, Spoiler
from swarm_control.sim.hardware.firmware import Firmware

twists = st.tuples(st.floats(-1.0, 1.0), st.floats(-10.0, 10.0))


def driven(twist, seconds=2.0):
    driver = WheelDriver(CHASSIS, timeout=0.2)
    rows = []
    for k in range(round(seconds / 0.02)):
        driver.obey(*twist, 0.02 * k)
        rows.append(driver.speeds(0.02 * k, 0.02))
    return driver, np.array(rows) * CHASSIS.wheel_radius


@given(twists)
def test_wheels_are_scaled_together_to_their_limits(twist):
    """In the end the arc is the one asked for, at the highest speed that the limits leave."""
    left, right = driven(twist)[1][-1]
    v, w = 0.5 * (left + right), (right - left) / 0.25
    assert max(abs(left), abs(right)) <= 0.3 + 1e-9 and abs(w) <= 2.4 + 1e-9
    assert v * twist[1] == pytest.approx(w * twist[0], abs=1e-9)
    over = max(1.0, (abs(twist[0]) + 0.125 * abs(twist[1])) / 0.3, abs(twist[1]) / 2.4)
    assert (v, w) == pytest.approx((twist[0] / over, twist[1] / over), abs=1e-9)


@given(twists, twists)
def test_wheels_change_no_faster_than_their_acceleration(first, then):
    driver, rows = driven(first, 0.5)
    for k in range(25, 60):
        driver.obey(*then, 0.02 * k)
        rows = np.vstack((rows, np.array(driver.speeds(0.02 * k, 0.02)) * CHASSIS.wheel_radius))
    steps = np.abs(np.diff(np.vstack((np.zeros(2), rows)), axis=0))
    assert steps.max(initial=0.0) <= 0.6 * 0.02 + 1e-9
    if max(map(abs, first)) > 0.5:
        assert steps[0].max() == pytest.approx(0.6 * 0.02), "and as fast as that"


def test_silence_stops_the_wheels_at_once():
    driver, _ = driven((0.3, 0.0), 1.0)
    assert driver.speeds(1.17, 0.02)[0] > 5.0
    assert driver.speeds(0.98 + 0.201, 0.02) == (0.0, 0.0)
    driver.obey(0.3, 0.0, 1.3)
    assert 0.0 < driver.speeds(1.3, 0.02)[0] * 0.05 <= 0.6 * 0.02 + 1e-9, "and they start from rest"


@pytest.mark.parametrize("twist", [(math.nan, 0.0), (0.1, math.inf), (-math.inf, math.nan)])
def test_a_twist_that_is_not_finite_stops_the_wheels(twist):
    driver, _ = driven((0.3, 0.0), 1.0)
    driver.obey(*twist, 1.0)
    assert driver.speeds(1.0, 0.02) == (0.0, 0.0)


def test_the_chassis_is_the_robots_own_where_the_scenario_says_no_more():
    rows = np.array([1.0, 2.0])
    fleet = Fleet(("a", "b"), ("differential",) * 2, rows, rows * 0.3, rows * 0.6, rows * 2.4, rows * 0.25)
    assert chassis_of(Wheels(), fleet, 0) == CHASSIS
    given_ = chassis_of(Wheels(wheel_base=0.24, max_wheel_speed=0.2, max_wheel_acceleration=0.1), fleet, 1)
    assert (given_.wheel_base, given_.max_speed, given_.max_acceleration, given_.max_turn_rate) == (0.24, 0.2, 0.1, 4.8)
    tiny = chassis_of(Wheels(wheel_radius=0.001, max_wheel_speed=100.0), fleet, 0)
    assert tiny.max_speed == pytest.approx(1.0), "no faster than the protocol can say: 1000 rad/s"
    with pytest.raises(InputError, match=r"hardware.wheels.deadman: 0.03 s found, expected time for two commands, 0.04 s"):
        links(Wheels(link="tcp://{name}:1", deadman=0.03), fleet, [0])
    omni = Fleet(("a",), ("omni",), *(rows[:1],) * 5)
    with pytest.raises(InputError, match="a found, whose model is omni; expected differential"):
        links(Wheels(link="tcp://{name}:1"), omni, [0])


def command(number, left=1000, right=1000, deadman=200):
    return encode(WheelSpeeds(number, left, right, deadman))[:-1]


def firmware(now=0.0, slip=0.0, **options):
    base = SlippingBase(0.05, 0.25, np.zeros(3), slip, np.random.default_rng(3))
    return base, Firmware(base, 2048, 7, now, **options)


@given(st.integers(1, 2000), st.floats(0.001, 5.0))
def test_the_robot_drives_for_its_deadman_and_no_longer(deadman, later):
    """However rarely its program comes round."""
    base, board = firmware(now=100.0)
    board.hear(command(1, 2000, 2000, deadman), 100.0)
    board.step(100.0 + later)
    assert base.where()[0] == pytest.approx(0.05 * 2.0 * min(later, deadman * 1e-3))
    assert board.stopped == (later >= deadman * 1e-3) == (board.rates == (0.0, 0.0))


def test_the_robot_obeys_newer_commands_only_unless_it_stands():
    _, board = firmware()
    board.hear(command(65535, 100), 0.0)
    board.hear(command(3, 200), 0.01)
    board.hear(command(65534, 300), 0.02)
    board.hear(command(3, 400), 0.03)
    assert board.rates[0] == 0.2 and board.old == 2
    board.hear(command(1, 500), 0.3)
    assert board.rates[0] == 0.5 and board.old == 2, "its deadman had stopped it"


@given(st.lists(st.binary(max_size=120), max_size=20))
def test_the_robot_survives_garbage(lines):
    _, board = firmware()
    for line in lines:
        board.hear(line, 0.0)
    assert board.bad == len(lines) and board.rates == (0.0, 0.0)


def test_what_the_robot_tells():
    _, board = firmware(ticks=(2**31 - 5, -(2**31) + 5))
    told = decode(board.tell(0.0)[:-1])
    assert told == Encoders(0, 7, 0, 2**31 - 5, -(2**31) + 5, STOPPED, -1)
    assert board.tell(0.01) is None
    board.hear(command(9, 1000, -1000, 10_000), 0.01)
    told = decode(board.tell(0.51)[:-1])
    ticks = math.floor(0.5 * 2048 / (2 * math.pi))
    assert (told.number, told.time, told.status, told.heard) == (1, 510, 0, 9)
    assert told.left == -(2**31) + ticks - 5 and told.right == 2**31 - (ticks + 1 - 5), "both counters have wrapped"


def test_odometry_is_true_to_the_robot_without_slip():
    pair = Pair(ticks=(2**31 - 100, -(2**31) + 100))
    for twist, seconds in (((0.2, 0.5), 3.0), ((-0.2, 1.0), 2.0), ((0.0, -2.0), 1.5), ((0.3, 0.0), 3.0)):
        pair.run(seconds, twist)
    pair.run(0.5)
    x, y, yaw = pair.base.where()
    found = pair.odometry[-1]
    assert math.hypot(found.pose[0] - x, found.pose[1] - y) < 2e-3 and math.remainder(found.pose[2] - yaw, 2 * math.pi) == pytest.approx(
        0.0, abs=2 * CHASSIS.tick / 0.25
    )
    assert found.twist == pytest.approx([0.0, 0.0]) and pair.robot.odometry.rejected == 0
    assert found.time == pytest.approx(pair.now, abs=0.03)


def test_slip_is_what_odometry_cannot_see():
    pair = Pair(slip=0.1)
    pair.run(10.0, (0.3, 0.0))
    pair.run(0.5)
    counted, true = pair.odometry[-1].pose[0], pair.base.where()[0]
    assert true == pytest.approx(0.9 * counted, rel=0.01) and counted > 2.7


def test_both_ends_stop_when_the_other_falls_silent():
    pair = Pair()
    pair.run(1.0, (0.3, 0.0))
    assert pair.firmware.rates[0] == pytest.approx(6.0)
    pair.run(0.25)
    assert pair.firmware.rates == (0.0, 0.0) and not pair.firmware.stopped, "nobody commands: the driver says so"
    pair.run(1.0, (0.3, 0.0))
    pair.there = lambda line: None
    at = pair.base.where()[0]
    pair.run(WHEELS.deadman + 0.01, (0.3, 0.0))
    assert pair.firmware.stopped and pair.base.where()[0] - at <= 0.3 * WHEELS.deadman + 1e-9, "the host is gone: the deadman"
    pair.there = lambda line: line
    pair.run(1.0, (0.3, 0.0))
    pair.back = lambda line: None
    pair.run(WHEELS.silence + 0.05, (0.3, 0.0))
    assert pair.robot.silent(pair.now) and pair.robot.connection.up
    assert pair.firmware.rates == (0.0, 0.0) and not pair.firmware.stopped, "the robot is not heard: it is told to stand"


def test_a_lossy_link_costs_no_way():
    rng = np.random.default_rng(11)
    there, back = Spoiler(0.2, 0.1, rng), Spoiler(0.2, 0.1, rng)
    unread = []

    def spoilt(line):
        left = back.spoil(line)
        unread.append(bool(left and left != b"\n") and not isinstance(decode(left.rstrip(b"\n")), Encoders))
        return left

    pair = Pair(there=there.spoil, back=spoilt)
    pair.run(20.0, (0.25, 0.6))
    pair.there = pair.back = lambda line: line
    pair.run(0.5)
    x, y, yaw = pair.base.where()
    pose = pair.odometry[-1].pose
    assert math.hypot(pose[0] - x, pose[1] - y) < 5e-3 and math.remainder(pose[2] - yaw, 2 * math.pi) == pytest.approx(0.0, abs=2e-3)
    counters = pair.robot.counters
    assert counters.bad == sum(unread) > 50 and counters.last_bad
    assert sum(unread) + back.dropped <= counters.lost <= back.dropped + back.garbled and 50 < pair.firmware.bad <= there.garbled
    assert math.hypot(*(np.array([x, y]))) < 2 * 0.25 / 0.6 + 0.05, "it kept to its circle"


def test_rates_of_losses_are_those_asked_for():
    spoiler = Spoiler(0.2, 0.1, np.random.default_rng(4))
    lines = [spoiler.spoil(command(k)) for k in range(20_000)]
    assert lines.count(None) == spoiler.dropped == pytest.approx(4000, abs=4 * math.sqrt(20_000 * 0.16))
    wrong = sum(line is not None and not isinstance(decode(line), WheelSpeeds) for line in lines)
    assert wrong == pytest.approx(1600, abs=4 * math.sqrt(20_000 * 0.08)) and wrong <= spoiler.garbled
    again = Spoiler(0.2, 0.1, np.random.default_rng(4))
    assert [again.spoil(command(k)) for k in range(20_000)] == lines, "a seed gives the same losses"


def test_a_robot_that_restarts_goes_on_from_where_it_was():
    pair = Pair()
    pair.run(2.0, (0.3, 0.0))
    before = pair.odometry[-1].pose[0]
    pair.base = SlippingBase(0.05, 0.25, np.zeros(3), 0.0, np.random.default_rng(1))
    pair.firmware = Firmware(pair.base, 2048, 99, pair.now)
    pair.run(2.0, (0.3, 0.0))
    assert pair.odometry[-1].pose[0] == pytest.approx(before + pair.base.where()[0], abs=0.02)
    assert pair.robot.odometry.rebased == 1 and pair.odometry[-1].time == pytest.approx(pair.now, abs=0.03)


def test_a_robot_whose_boot_number_never_changes_is_heard_again_after_a_while():
    pair = Pair()
    pair.run(2.0, (0.3, 0.0))
    pair.base = SlippingBase(0.05, 0.25, np.zeros(3), 0.0, np.random.default_rng(1))
    pair.firmware = Firmware(pair.base, 2048, 1, pair.now)
    heard = len(pair.odometry)
    pair.run(3.0, (0.3, 0.0))
    assert len(pair.odometry) > heard + 40 and pair.robot.counters.old > 0 and pair.robot.odometry.rebased == 1


@pytest.mark.parametrize("dt", [0.005, 0.007])
def test_commands_go_out_at_their_rate_however_often_the_links_are_looked_at(dt):
    pair = Pair()
    numbers = []
    pair.there = lambda line: numbers.append(decode(line).number) or line
    pair.run(10.0, (0.1, 0.0), dt=dt)
    assert len(numbers) == pytest.approx(10.0 * WHEELS.rate, abs=3) and numbers == list(range(1, len(numbers) + 1))


def test_round_trips_are_timed():
    pair = Pair()
    pair.run(1.0, (0.1, 0.0))
    trips = pair.robot.counters.round_trips
    assert len(trips) > 30 and min(trips) >= 0.0 and max(trips) <= 0.05


class Deaf:
    """A port that notes what happens to it."""

    url = "deaf:"
    connected = True

    def __init__(self):
        self.written, self.hung_up = 0, 0

    def read_lines(self):
        return []

    def write(self, data):
        self.written += 1

    def hang_up(self):
        self.hung_up += 1

    def close(self):
        pass


def test_links_break_as_often_as_asked_and_come_back():
    _, board = firmware()
    port = Deaf()
    robot = Emulator("r", board, port, drop=0.0, garble=0.0, disconnect=0.5, rng=np.random.default_rng(8))
    steps = 40_000
    for k in range(steps):
        robot.serve(0.02 * k)
    seconds = 0.02 * steps
    expected = seconds / (1.0 / 0.5 + OUTAGE)
    assert robot.outages == pytest.approx(expected, abs=4 * math.sqrt(expected))
    assert port.written / steps == pytest.approx(2.0 / 3.0, abs=0.05) and port.hung_up / steps == pytest.approx(1.0 / 3.0, abs=0.05)
