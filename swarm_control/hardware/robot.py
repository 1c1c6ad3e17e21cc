"""A robot on the floor as its driver sees it: commands out, odometry in, over a connection that mends itself."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from swarm_control.core.geometry import Array
from swarm_control.core.robot import ROBOTS, wheeled
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.hardware.connection import Connection
from swarm_control.hardware.link import Link, make_link, urls
from swarm_control.hardware.odometry import RobotClock, WheelOdometry
from swarm_control.hardware.protocol import NUMBERS, Bad, Encoders, WheelSpeeds, decode, encode, newer
from swarm_control.hardware.wheels import WheelDriver
from swarm_control.scenario.hardware import Wheels


def links(wheels: Wheels, fleet: Fleet, robots: Iterable[int]) -> list[Link]:
    """The links of some robots of the fleet; ``InputError`` when they cannot be driven so."""
    if wheels.deadman * wheels.rate < 2.0:
        raise InputError("hardware.wheels.deadman", f"{wheels.deadman:g} s found, expected time for two commands, {2.0 / wheels.rate:g} s")
    names = {int(k): fleet.names[k] for k in robots}
    for k, name in names.items():
        if not ROBOTS[fleet.model[k]].on_wheels:
            raise InputError("hardware.wheels.link", f"{name} found, whose model is {fleet.model[k]}; expected {wheeled()} robots only")
    return [make_link(url) for url in urls(wheels.link, names)]


@dataclass(frozen=True)
class RobotOdometry:
    """Odometry of one robot at ``time`` (s, the driver's clock).

    ``pose`` (3,) in the frame that the robot's start was given in, m and rad; ``twist`` (2,): speed ahead (m/s), turn rate (rad/s);
    ``covariance`` (3, 3) of the pose and ``twist_covariance`` (2, 2).
    """

    time: float
    pose: Array
    twist: Array
    covariance: Array
    twist_covariance: Array


@dataclass
class Counters:
    """What happened on a link: lines heard, those that could not be read, came too late or are missing, and round trips in s."""

    heard: int = 0
    bad: int = 0
    old: int = 0
    lost: int = 0
    last_bad: str = ""
    round_trips: list[float] = field(default_factory=list)


class Robot:
    """One robot. Call :meth:`serve` often."""

    def __init__(self, connection: Connection, driver: WheelDriver, odometry: WheelOdometry, wheels: Wheels) -> None:
        self.connection, self.driver, self.odometry = connection, driver, odometry
        self.clock = RobotClock(wheels.clock_tolerance)
        self.counters = Counters()
        self.status = 0
        self._wheels = wheels
        self._number, self._told, self._due = 0, -float("inf"), -float("inf")
        self._last: Encoders | None = None
        self.heard = -float("inf")
        self._sent: deque[tuple[int, float]] = deque(maxlen=64)

    def serve(self, now: float) -> RobotOdometry | None:
        """Read what has come and tell the wheels when it is time; the newest odometry, if there is any."""
        found = None
        for line in self.connection.serve(now):
            found = self._hear(line, now) or found
        if now >= self._due:
            self._due = max(self._due + 1.0 / self._wheels.rate, now)
            self.tell(now)
        return found

    def tell(self, now: float) -> None:
        """Tell the wheels their speeds; a robot that is not heard is told to stand."""
        if not self.connection.up or self.silent(now):
            self.driver.halt()
        if not self.connection.up:
            return
        dt = min(now - self._told, 2.0 / self._wheels.rate)
        rates = self.driver.speeds(now, dt)
        left, right = (round(1000.0 * rate) for rate in rates)
        self._told, self._number = now, (self._number + 1) % NUMBERS
        line = encode(WheelSpeeds(self._number, left, right, round(1000.0 * self._wheels.deadman)))
        if self.connection.send(line, now):
            self._sent.append((self._number, now))

    def silent(self, now: float) -> bool:
        """Whether nothing has been heard of the robot for some time."""
        return now - self.heard > self._wheels.silence

    def _hear(self, line: bytes, now: float) -> RobotOdometry | None:
        message = decode(line)
        if not isinstance(message, Encoders):
            self.counters.bad += 1
            self.counters.last_bad = message.reason if isinstance(message, Bad) else "a command found, expected encoders"
            return None
        self.connection.understood(now)
        if not self._next(message, now):
            self.counters.old += 1
            return None
        self.heard, self.status = now, message.status
        self._time_round_trip(message.heard, now)
        stamp = self.clock.stamp(message.time, now)
        if not self.odometry.count(message):
            return None
        odometry = self.odometry
        return RobotOdometry(stamp, odometry.pose, odometry.twist, odometry.covariance, odometry.twist_covariance)

    def _next(self, message: Encoders, now: float) -> bool:
        """Whether the message comes after the last one; after a restart, and after silence, any does."""
        last, self.counters.heard = self._last, self.counters.heard + 1
        if last is None or last.boot != message.boot:
            self.clock.begin()
        elif newer(message.number, last.number):
            self.counters.lost += (message.number - last.number) % NUMBERS - 1
        elif not self.silent(now):
            return False
        self._last = message
        return True

    def _time_round_trip(self, number: int, now: float) -> None:
        while self._sent:
            sent, when = self._sent[0]
            if sent != number and not newer(number, sent):
                break
            self._sent.popleft()
            if sent == number:
                self.counters.round_trips.append(now - when)
