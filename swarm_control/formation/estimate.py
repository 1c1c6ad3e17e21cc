"""Where robots are now, from odometry that is noisy, late or missing.

An observer with constant gain: the last estimate is moved on by the robot's own last command (exact arc); a new measurement is moved on
from its stamp to now by the commands since then; the estimate goes ``gain`` of the way to it. A surprise beyond ``gate`` is no noise
— a robot that was held or carried away — and is believed at once. Of odometry that is noisier than :data:`FINE` less is believed: as
in a Kalman filter of a robot that hardly strays from its commands, the gain falls as the noise grows.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.estimation import believed, spread
from swarm_control.core.geometry import Array, BoolArray, norm, wrap
from swarm_control.core.parameters import param
from swarm_control.formation.robots import Models

FINE = 0.002
"""Noise of positions (m) up to which the gain is meant as it is; of twice the noise half as much is believed."""

ODD = 4.0
"""What is within so many standard deviations of the noise is no surprise."""


@dataclass(frozen=True)
class Estimate:
    """Parameters of the estimate."""

    gain: float = param(0.2, "share of a measurement's surprise that is believed; 1: measurements as they are", low=0.01, high=1.0)
    gate: float = param(0.03, "larger surprises about a position are believed at once", unit="m", low=1e-4, high=100.0)
    gate_heading: float = param(6.0, "larger surprises about a heading are believed at once", unit="deg", low=0.01, high=180.0)
    timeout: float = param(1.0, "robots not heard from for longer do not count and are told to stop", unit="s", low=0.01, high=60.0)
    noise: float = param(
        0.0, "standard deviation of measured positions; above 0.002 surprises are believed less; the simulator's, if that is more",
        unit="m", low=0.0, high=10.0,
    )  # fmt: skip

    @property
    def spread(self) -> float:
        """Standard deviation (m) that the noise leaves in estimated positions."""
        return spread(self.noise, self.share)

    @property
    def share(self) -> float:
        """Share of a surprise that is believed with this noise; all of it where measurements are to be taken as they are."""
        return believed(self.gain, self.noise, FINE)

    @property
    def limit(self) -> float:
        """Surprises about positions beyond this (m) are no noise."""
        return max(self.gate, ODD * self.noise)


@dataclass(frozen=True)
class Belief:
    """What is believed of N robots: ``pose`` (N, 3) world frame, at the time of the last step; ``stamp`` (N,) s of the last odometry
    that was used, −∞ for robots not heard from yet; ``expected`` (N, 3) how the last step was to move them and ``correction`` (N, 3)
    what the odometry added to that, world frame.
    """

    pose: Array
    stamp: Array
    expected: Array
    correction: Array

    @classmethod
    def nothing(cls, count: int) -> "Belief":
        """Nobody has been heard from."""
        zero = np.zeros((count, 3))
        return cls(zero, np.full(count, -np.inf), zero, zero)


def estimate(
    belief: Belief, pose: Array, valid: BoolArray, stamp: Array, time: float, commands: Array, period: float, models: Models,
    params: Estimate,
) -> Belief:  # fmt: skip
    """Return the belief at ``time`` (s), one ``period`` (s) after the last.

    ``pose`` (N, 3) is the last odometry of each robot, world frame, taken at ``stamp`` (N,) s; ``valid`` (N,) whether it is usable.
    ``commands`` (M, N, 3) are the last M commands, the newest first, each obeyed for one period.
    """
    n = len(pose)
    known = belief.stamp > -np.inf
    ahead = models.predict(belief.pose, commands[0], np.full(n, period))
    age = np.maximum(time - stamp, 0.0)
    fresh = valid & (stamp > belief.stamp + 1e-9) & (age <= params.timeout)
    seen = replay(np.where(fresh[:, None], pose, 0.0), np.where(fresh, age, 0.0), commands, period, models)
    surprise = seen - ahead
    surprise[:, 2] = wrap(surprise[:, 2])
    odd = np.maximum(norm(surprise) / params.limit, np.abs(surprise[:, 2]) / np.deg2rad(params.gate_heading))
    trust = params.share + (1.0 - params.share) * np.clip(odd - 1.0, 0.0, 1.0)
    correction = np.where(fresh & known, trust, 0.0)[:, None] * surprise
    now = np.where((fresh & ~known)[:, None], seen, ahead + correction)
    now[:, 2] = wrap(now[:, 2])
    expected = ahead - belief.pose
    expected[:, 2] = wrap(expected[:, 2])
    return Belief(now, np.where(fresh, stamp, belief.stamp), np.where(known[:, None], expected, 0.0), correction)


def replay(pose: Array, age: Array, commands: Array, period: float, models: Models) -> Array:
    """Move poses (N, 3) that are ``age`` (N,) s old on to now, by the ``commands`` (M, N, 3) of the last M periods, newest first.

    Beyond the last M periods the oldest command is taken to have been obeyed for the rest.
    """
    last = len(commands) - 1
    oldest = min(int(np.ceil(float(age.max(initial=0.0)) / period - 1e-9)) - 1, last)
    for m in range(oldest, -1, -1):
        longest = np.inf if m == last else period
        pose = models.predict(pose, commands[m], np.clip(age - m * period, 0.0, longest))
    return pose
