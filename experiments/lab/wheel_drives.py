"""Ten minutes' drives by the wheel protocol over a link with faults: the driver's own code, and how far its odometry is from the truth."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import Array
from swarm_control.hardware.connection import Connection
from swarm_control.hardware.link import Lines
from swarm_control.hardware.odometry import Chassis, WheelOdometry
from swarm_control.hardware.robot import Robot
from swarm_control.hardware.wheels import WheelDriver
from swarm_control.scenario.hardware import Wheels
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.emulator import TURN, Emulator, RobotEnd

CHASSIS = Chassis(wheel_radius=0.05, wheel_base=0.25, ticks_per_turn=2048, max_speed=0.3, max_acceleration=0.6, max_turn_rate=2.4)
WHEELS = Wheels()

REST = 2.0
"""Time (s) at the end in which the robot comes to rest and is heard once more."""

LEG = 4.0
"""Time (s) for which a command is given."""


@dataclass(frozen=True)
class Faults:
    """Shares of lines dropped and garbled, each way, and broken links in a second; each lasts a second."""

    drop: float = 0.05
    garble: float = 0.05
    disconnect: float = 1.0 / 60.0


@dataclass(frozen=True)
class WheelDrive:
    """What came of a drive: ``way`` (m) driven; errors of the odometry at rest in the end, ``place`` (m) and ``heading`` (rad);
    ``time`` (S,) s and ``away`` (S,) m: how far it was from the truth all along; ``lines``: dropped and garbled, both ways, of
    ``sent``; ``outages`` of the link.
    """

    way: float
    place: float
    heading: float
    time: Array
    away: Array
    lines: int
    sent: int
    outages: int

    @classmethod
    def of(cls, truth: Array, seen: Array, emulator: Emulator) -> "WheelDrive":
        """From the ``truth`` (T, 4) and the odometry ``seen`` (S, 4): time (s), x, y (m), yaw (rad)."""
        found = seen[(seen[:, 0] >= truth[0, 0]) & (seen[:, 0] <= truth[-1, 0])]
        away = np.hypot(*(found[:, k] - np.interp(found[:, 0], truth[:, 0], truth[:, k]) for k in (1, 2)))
        spoilers = (emulator.into, emulator.out)
        return cls(
            float(np.hypot(*np.diff(truth[:, 1:3], axis=0).T).sum()), math.hypot(*(seen[-1] - truth[-1])[1:3]),
            abs(math.remainder(seen[-1, 3] - truth[-1, 3], 2.0 * math.pi)), found[:, 0] - truth[0, 0], away,
            sum(one.dropped + one.garbled for one in spoilers), sum(one.lines for one in spoilers), emulator.outages,
        )  # fmt: skip


def commands(seed: Seed) -> Iterator[tuple[float, float]]:
    """Twists without end: speed ahead (m/s), turn rate (rad/s). One of five is to stand."""
    rng = np.random.default_rng([seed, 1])
    while True:
        ahead, turn, stand = rng.uniform(-0.3, 0.3), rng.uniform(-1.5, 1.5), rng.random() < 0.2
        yield (0.0, 0.0) if stand else (ahead, turn)


class Plan:
    """The twist of each moment of a drive of so many ``seconds``; None: at its end nobody commands."""

    def __init__(self, seed: Seed, seconds: float) -> None:
        self._commands, self._seconds, self._leg = commands(seed), seconds, -1
        self._twist = (0.0, 0.0)

    def at(self, passed: float) -> tuple[float, float] | None:
        """The twist ``passed`` (s) after the beginning; not to be asked backwards."""
        while self._leg < int(passed / LEG):
            self._leg, self._twist = self._leg + 1, next(self._commands)
        return self._twist if passed < self._seconds else None


class SerialWire:
    """One end of a serial line in memory, a driver's link and a robot's port alike. What is sent arrives at the other end's next look."""

    url, connected = "wire:", True

    def __init__(self, other: "SerialWire | None" = None) -> None:
        self._lines, self._came = Lines(), b""
        self.other = other or SerialWire(self)

    def open(self) -> None:
        """It is open."""

    def fileno(self) -> int:
        """It has none."""
        return -1

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""
        data, self._came = self._came, b""
        return self._lines.feed(data)

    def write(self, data: bytes) -> None:
        """Send bytes to the other end."""
        self.other._came += data

    def write_line(self, line: bytes) -> bool:
        """Send a line to the other end."""
        self.write(line)
        return True

    def hang_up(self) -> None:
        """A serial line has no connection."""

    def close(self) -> None:
        """It can be opened again."""


def drive(end: Callable[[SlippingBase, float], RobotEnd], faults: Faults, seed: Seed, seconds: float) -> WheelDrive:
    """A drive in a time of its own, as fast as it goes, with the node's own code for the robot's :class:`Robot`.

    ``end`` makes the robot's end of the protocol on a base, at a time (s).
    """
    rng = np.random.default_rng([seed, 2])
    base, wire, plan = SlippingBase(CHASSIS.wheel_radius, CHASSIS.wheel_base, np.zeros(3), 0.0, rng), SerialWire(), Plan(seed, seconds)
    emulator = Emulator("robot", end(base, 0.0), wire.other, drop=faults.drop, garble=faults.garble, disconnect=faults.disconnect, rng=rng)
    driver = WheelDriver(CHASSIS, timeout=0.2)
    robot = Robot(Connection(wire, 2.0 * WHEELS.silence), driver, WheelOdometry(CHASSIS, WHEELS, np.zeros(3)), WHEELS)
    truth, seen, now = [], [], 0.0
    for k in range(round((seconds + REST) / TURN) + 1):
        now = k * TURN
        twist = plan.at(now)
        if twist is not None:
            driver.obey(*twist, now)
        found = robot.serve(now)
        if found is not None:
            seen.append((found.time, *found.pose))
        emulator.serve(now)
        truth.append((now, *base.where()))
    return WheelDrive.of(np.array(truth), np.array(seen), emulator)
