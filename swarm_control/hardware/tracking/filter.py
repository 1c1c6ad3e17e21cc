"""Poses and velocities of many robots out of noisy, late and wrong measurements of their poses.

One constant-velocity Kalman filter per robot and axis (x, y, θ), all of them in one set of arrays: the axes do not mix, so that a state is
a value and its rate, and a covariance three numbers. The model is white noise of density q on the acceleration (Bar-Shalom, Li and
Kirubarajan, *Estimation with Applications to Tracking and Navigation*, §6.2.2).
"""

from typing import NamedTuple

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, wrap
from swarm_control.scenario.hardware import TrackingFilter


class Counts(NamedTuple):
    """How many measurements of each robot (N,) came to what since the start."""

    accepted: IntArray
    rejected: IntArray
    late: IntArray
    restarts: IntArray


class Filter:
    """Tracks ``robots``; a robot is lost when its last accepted measurement is older than ``stale`` (s).

    - A pose with a number that is not finite is no measurement.
    - One that is not newer than the last accepted one of the same robot is too late and is passed over; older by more than ``stale``, the
      clock has been set back, and the robot counts as lost.
    - One farther than ``gate`` (Mahalanobis distance over the three axes) is rejected. The ``rejections``-th on end is believed: the
      robot starts anew there, at rest, as uncertain of its velocity as one first seen. A lost robot starts anew at once.
    """

    def __init__(self, robots: int, parameters: TrackingFilter, stale: float) -> None:
        p = parameters
        heading, turn = np.deg2rad(p.noise_heading), p.turn_agility
        self._noise = np.array([p.noise_position, p.noise_position, heading]) ** 2
        self._density = np.array([p.agility, p.agility, turn])
        self._rate = np.array([p.initial_speed, p.initial_speed, p.initial_turn_rate]) ** 2
        self._gate, self._rejections, self._stale = p.gate**2, p.rejections, stale
        self.time: Array = np.full(robots, -np.inf)
        """When each robot was last measured (N,), s; −∞: never."""
        self._value, self._speed = np.full((robots, 3), np.nan), np.zeros((robots, 3))
        self._covariance = np.zeros((3, robots, 3))
        """Variances of value, value with rate, and rate; each (N, 3)."""
        self._refused = np.zeros(robots, np.int64)
        self.counts = Counts(*(np.zeros(robots, np.int64) for _ in Counts._fields))

    def update(self, time: Array | float, pose: Array, variances: Array | None = None) -> BoolArray:
        """Take in poses (N, 3) in m, m, rad measured at ``time`` (N,) or for all, s; NaN: not seen. Returns whose was accepted (N,).

        ``variances`` (N, 3) of the poses, m², m², rad². Where one is no positive number, and without any, the noise is the parameters'.
        """
        noise = np.broadcast_to(self._noise, pose.shape)
        if variances is not None:
            noise = np.where(np.isfinite(variances) & (variances > 0.0), variances, noise)
        time = np.broadcast_to(np.asarray(time, float), self.time.shape)
        seen = np.isfinite(pose).all(axis=1) & np.isfinite(time)
        lost = seen & (np.abs(time - self.time) > self._stale)
        late = seen & ~lost & (time <= self.time)
        seen &= ~late
        value, covariance = self._predicted(np.where(seen & ~lost, time - self.time, 0.0))
        surprise = np.where(seen[:, None], pose, np.nan) - value
        surprise[:, 2] = wrap(surprise[:, 2])
        spread = covariance[0] + noise
        known = seen & ~lost
        distance = np.divide(surprise**2, spread, out=np.zeros_like(spread), where=known[:, None]).sum(axis=1)
        refused = known & (distance > self._gate)
        self._refused[refused] += 1
        again = refused & (self._refused >= self._rejections)
        good = known & ~refused
        self._correct(good, value, surprise, covariance, spread)
        self._start(lost | again, pose, noise)
        accepted = good | lost | again
        self.time[accepted], self._refused[accepted] = time[accepted], 0
        for count, which in zip(self.counts, (accepted, refused & ~again, late, (lost & (self.counts.accepted > 0)) | again)):
            count += which
        return np.asarray(accepted)

    def at(self, time: float) -> tuple[Array, Array]:
        """Poses and velocities (N, 3) in the world frame expected at ``time`` (s); NaN for robots that are lost or were never seen."""
        lost = self.lost(time)[:, None]
        value, _ = self._predicted(np.where(lost[:, 0], 0.0, np.maximum(time - self.time, 0.0)))
        value[:, 2] = wrap(value[:, 2])
        return np.where(lost, np.nan, value), np.where(lost, np.nan, self._speed)

    def variances(self, time: float) -> tuple[Array, Array]:
        """Variances (N, 3) of pose and velocity at ``time`` (s)."""
        _, covariance = self._predicted(np.where(self.lost(time), 0.0, np.maximum(time - self.time, 0.0)))
        return covariance[0], covariance[2]

    def lost(self, time: float) -> BoolArray:
        """Who (N,) has not been measured for longer than the stale time."""
        return np.asarray(np.abs(time - self.time) > self._stale)

    def _predicted(self, dt: Array) -> tuple[Array, Array]:
        """Values, and covariances (3, N, 3), after ``dt`` (N,) s; rates stay."""
        dt = dt[:, None]
        a, b, c = self._covariance
        q = self._density
        grown = np.stack((a + 2.0 * dt * b + dt**2 * c + q * dt**3 / 3.0, b + dt * c + q * dt**2 / 2.0, c + q * dt))
        return self._value + dt * self._speed, grown

    def _correct(self, which: BoolArray, value: Array, surprise: Array, covariance: Array, spread: Array) -> None:
        a, b, c = covariance[:, which]
        gain, rate_gain = a / spread[which], b / spread[which]
        self._value[which] = value[which] + gain * surprise[which]
        self._value[which, 2] = wrap(self._value[which, 2])
        self._speed[which] += rate_gain * surprise[which]
        self._covariance[:, which] = (1.0 - gain) * a, (1.0 - gain) * b, c - rate_gain * b

    def _start(self, which: BoolArray, pose: Array, noise: Array) -> None:
        self._value[which], self._speed[which] = pose[which], 0.0
        self._value[which, 2] = wrap(self._value[which, 2])
        self._covariance[0, which], self._covariance[1, which], self._covariance[2, which] = noise[which], 0.0, self._rate
