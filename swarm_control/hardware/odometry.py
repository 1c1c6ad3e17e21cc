"""From encoder counts to a robot's pose, twist and how uncertain they are; and from a robot's clock to the host's."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.hardware.protocol import Encoders, wrap_ticks
from swarm_control.robots.differential.wheels import point_of_arc
from swarm_control.scenario.hardware import Wheels

DRIFT = 1e-3
"""How fast a robot's clock may go against the host's, s/s."""

DOUBT = 1.0
"""Time (s) after which a robot's clock, and not its link, is held to be what is late."""


@dataclass(frozen=True)
class Chassis:
    """What a robot's wheels are and can do: m, m/s and m/s² at the rim, rad/s; no zeros that stand for something else."""

    wheel_radius: float
    wheel_base: float
    ticks_per_turn: int
    max_speed: float
    max_acceleration: float
    max_turn_rate: float

    @property
    def tick(self) -> float:
        """Way of a wheel's rim in one encoder tick, m."""
        return 2.0 * np.pi * self.wheel_radius / self.ticks_per_turn


class WheelOdometry:
    """Counts the ways of two wheels together to a pose in the world frame, starting at ``pose`` (3,): x, y in m, yaw in rad.

    Between two counts the robot drives an arc (Lewis & Tan eqs 13–14). ``covariance`` (3, 3) of the pose grows with each wheel's
    way, ``error_distance`` m² per m, carried along the path, and with turning, ``error_turn`` rad² per rad (the model of Chong &
    Kleeman 1997, as in Siegwart & Nourbakhsh eq. 5.7); it starts at half a tick's. ``twist``: forward speed (m/s), turn rate (rad/s).
    ``rejected`` and ``rebased`` count readings that were not believed, and how often counting began anew.
    """

    def __init__(self, chassis: Chassis, wheels: Wheels, pose: Array) -> None:
        self._chassis, self._wheels = chassis, wheels
        self.pose: Array = np.array(pose, float)
        self.twist: Array = np.zeros(2)
        least = chassis.tick**2 / 12.0
        self.covariance: Array = np.diag([least, least, 2.0 * least / chassis.wheel_base**2])
        self.twist_covariance: Array = np.zeros((2, 2))
        self.rejected = self.rebased = 0
        self._last: Encoders | None = None
        self._on_end = 0

    def count(self, reading: Encoders) -> bool:
        """Go on to a reading of the encoders; false when it was not believed.

        After a robot's restart, and after ``rejections`` readings on end that could not be believed, the reading only says where
        counting goes on from: the pose stays.
        """
        last = self._last
        if last is None or last.boot != reading.boot:
            self._rebase(reading, count=last is not None)
            return True
        dt = wrap_ticks(reading.time - last.time) * 1e-3
        ticks = wrap_ticks(reading.left - last.left), wrap_ticks(reading.right - last.right)
        most = self._wheels.jump * self._chassis.max_speed * dt / self._chassis.tick + 2.0
        if dt <= 0.0 or max(map(abs, ticks)) > most:
            self.rejected += 1
            self._on_end += 1
            if self._on_end >= self._wheels.rejections:
                self._rebase(reading, count=True)
            return False
        self._on_end, self._last = 0, reading
        self._advance(ticks[0] * self._chassis.tick, ticks[1] * self._chassis.tick, dt)
        return True

    def _rebase(self, reading: Encoders, count: bool) -> None:
        self._last, self._on_end = reading, 0
        self.twist = np.zeros(2)
        self.rebased += count

    def _advance(self, left: float, right: float, dt: float) -> None:
        """Drive an arc whose wheels' ways are ``left`` and ``right`` (m), in ``dt`` (s)."""
        base, yaw = self._chassis.wheel_base, self.pose[2]
        ahead, aside, turn = point_of_arc(left, right, 0.5 * base, 1.0)
        c, s = np.cos(yaw), np.sin(yaw)
        dx, dy = c * ahead - s * aside, s * ahead + c * aside
        self.pose = np.array([self.pose[0] + dx, self.pose[1] + dy, np.remainder(yaw + turn + np.pi, 2.0 * np.pi) - np.pi])
        self.twist = np.array([0.5 * (left + right), turn]) / dt
        to_twist = np.array([[0.5, 0.5], [-1.0 / base, 1.0 / base]])
        ways = np.diag([abs(left), abs(right)]) * self._wheels.error_distance
        moved = to_twist @ ways @ to_twist.T + np.diag([0.0, abs(turn) * self._wheels.error_turn])
        half, way = yaw + 0.5 * turn, 0.5 * (left + right)
        by_pose = np.array([[1.0, 0.0, -dy], [0.0, 1.0, dx], [0.0, 0.0, 1.0]])
        by_way = np.array([[np.cos(half), -0.5 * way * np.sin(half)], [np.sin(half), 0.5 * way * np.cos(half)], [0.0, 1.0]])
        self.covariance = by_pose @ self.covariance @ by_pose.T + by_way @ moved @ by_way.T
        quantised = to_twist @ to_twist.T * self._chassis.tick**2 / 6.0
        self.twist_covariance = (moved + quantised) / dt**2


class RobotClock:
    """Says when on the host's clock a robot's reading was made: its time plus the least delay seen (a lower envelope; Cristian 1989).

    The envelope rises by :data:`DRIFT`, which follows clocks that go slow. A reading that seems older than ``tolerance`` (s) is late;
    when all have been for :data:`DOUBT`, the robot's clock was set back, and the envelope begins anew: ``resets``.
    """

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self.resets = 0
        self.begin()

    def begin(self) -> None:
        """Forget everything: the robot has restarted."""
        self._last: int | None = None
        self._time = self._offset = self._received = 0.0
        self._on_time = 0.0

    def stamp(self, time: int, received: float) -> float:
        """When the reading with the robot's ``time`` (ms, modulo 2³²) that was ``received`` now was made, s; never in the future."""
        if self._last is None:
            self._offset, self._on_time = received - self._time, received
        else:
            self._time += wrap_ticks(time - self._last) * 1e-3
        self._offset = min(self._offset + DRIFT * (received - self._received), received - self._time)
        self._last, self._received = time, received
        if received - self._time - self._offset <= self._tolerance:
            self._on_time = received
        elif received - self._on_time > DOUBT:
            self._offset, self._on_time = received - self._time, received
            self.resets += 1
        return self._time + self._offset
