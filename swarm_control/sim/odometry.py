"""Odometry as it is heard over a network: with noise, late, and with gaps."""

from collections import deque

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm, rotate, wrap
from swarm_control.core.state import SwarmState
from swarm_control.core.targets import predict
from swarm_control.scenario.schema import Simulator


class OdometryChannel:
    """Turns the true state of each tick into the one that the controllers hear.

    A message carries a robot's pose and velocity with Gaussian noise. It is lost with probability ``loss``, and heard ``delay`` later,
    rounded to whole ticks of ``period`` (s). The last message that was heard holds until the next one; a robot is invalid before the
    first one and while its last one, counted from when it was measured, is older than ``timeout`` (s). Without noise, delay and loss
    the truth itself is heard.

    ``exact``: the delay is kept exactly instead, by moving each pose back along its arc for what is left over after whole ticks.
    ``own`` is a robot that listens on its own, by its own generator ``losses``; it always hears itself, and others only if they are within
    the ``radio_range`` when they send.
    """

    def __init__(
        self, simulator: Simulator, period: float, timeout: float, rng: np.random.Generator, *, exact: bool = False,
        own: int | None = None, losses: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        self._simulator = simulator
        self._timeout = timeout
        self._rng = rng
        self._losses, self._own = losses or rng, own
        self._late = int(simulator.delay / period + 1e-9) if exact else round(simulator.delay / period)
        self._rest = max(simulator.delay - self._late * period, 0.0) if exact else 0.0
        noise = (simulator.noise_position, simulator.noise_heading, simulator.noise_velocity)
        self._range = simulator.radio_range if own is not None and simulator.radio_range > 0.0 else np.inf
        self._perfect = self._late == 0 and self._rest < 1e-9 and simulator.loss == 0.0 and not any(noise) and self._range == np.inf
        self._sent: deque[tuple[float, Array, Array, BoolArray]] = deque()
        self._heard: tuple[Array, Array, Array] | None = None

    @property
    def measured(self) -> Array | None:
        """When what is now heard of each robot was measured (N,), s; −∞ before the first message. None: nothing is ever late or lost."""
        return None if self._heard is None else self._heard[2]

    def observe(self, truth: SwarmState) -> SwarmState:
        """Return what is heard at the tick whose true state is ``truth``; to be called once per tick."""
        if self._perfect:
            return truth
        pose, velocity = self._noisy(truth)
        arrives = truth.valid & (self._losses.random(len(truth)) >= self._simulator.loss)
        if self._own is not None:
            arrives &= norm(truth.position - truth.position[self._own]) <= self._range
            arrives[self._own] = truth.valid[self._own]
        self._sent.append((truth.time - self._rest, pose, velocity, arrives))
        if self._heard is None:
            self._heard = np.zeros_like(pose), np.zeros_like(velocity), np.full(len(truth), -np.inf)
        if len(self._sent) > self._late:
            time, pose, velocity, arrives = self._sent.popleft()
            old_pose, old_velocity, measured = self._heard
            row = arrives[:, None]
            self._heard = np.where(row, pose, old_pose), np.where(row, velocity, old_velocity), np.where(arrives, time, measured)
        pose, velocity, measured = self._heard
        return SwarmState.of(truth.time, pose, velocity, truth.time - measured <= self._timeout + 1e-9, truth.fallen)

    def _noisy(self, truth: SwarmState) -> tuple[Array, Array]:
        pose, velocity, noise = truth.pose.copy(), truth.velocity, self._simulator
        if self._rest > 0.0:
            twist = np.column_stack((rotate(velocity[:, :2], -pose[:, 2]), velocity[:, 2]))
            pose = predict(pose, twist, np.full(len(pose), -self._rest))
        if noise.noise_position > 0.0:
            pose[:, :2] += self._rng.normal(0.0, noise.noise_position, (len(pose), 2))
        if noise.noise_heading > 0.0:
            pose[:, 2] = wrap(pose[:, 2] + self._rng.normal(0.0, np.deg2rad(noise.noise_heading), len(pose)))
        if noise.noise_velocity > 0.0:
            velocity = velocity + self._rng.normal(0.0, noise.noise_velocity, velocity.shape)
        return pose, velocity
