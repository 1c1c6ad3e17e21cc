"""How much of a surprise about a robot's position is believed, where measured positions are noisy and robots do what they are told.

A Kalman filter for each robot, in units of the noise: what is left of it, as a variance, grows by what headings and velocities are measured
wrongly while the robot goes on, and shrinks with each measurement. As robots never do quite what they are told, a share of each surprise is
always believed (:meth:`~swarm_control.core.estimation.Estimation.share`).

A robot that does not do what it is told — it has failed, is held or pushed — shows by a velocity that it was not told, or by surprises that
do not average out. It is believed to be where it is measured from then on, for :data:`WARY`; its noise counts in full again.
"""

import numpy as np

from swarm_control.core.estimation import Estimation, Noise
from swarm_control.core.geometry import Array, BoolArray, norm

ODD = 5.0
"""What is within so many standard deviations of the noise is no surprise; nor is a mean of surprises within so many of its own."""

RECENT = 0.3
"""Weight of the newest surprise in their mean."""

EXACT_SPEED = 0.02
"""By as much (m/s) the velocity of a robot that does what it is told may differ from what it is predicted to be, without any noise."""

WARY = 2.0
"""For so long (s) a robot that does not do what it is told is believed to be where it is measured."""


class PositionSmoother:
    """What is believed of N robots' positions, and what noise is left in them."""

    def __init__(self, robots: int) -> None:
        self._variance = np.ones(robots)
        self._mean = np.zeros((robots, 2))
        self._wary = np.full(robots, -np.inf)

    @property
    def left(self) -> Array:
        """Share (N,) of the standard deviation of measured positions that is left in the estimate."""
        return np.sqrt(self._variance)

    def shares(
        self, surprise: Array, gone: Array, since: float, time: float, new: BoolArray, sure: BoolArray, params: Estimation, noise: Noise,
        astray: BoolArray,
    ) -> Array:  # fmt: skip
        """What share (N,) of ``surprise`` (N, 2) m is to be believed at ``time`` (s).

        ``gone`` (N,) m: how far each robot has come ``since`` (s) the last estimate; ``new`` (N,): who has been measured since; ``sure``
        (N,): of whom the last estimate is good for anything; the others are where they are measured. ``astray`` (N,): who is known not to
        do what it is told.
        """
        drift = (noise.heading * gone) ** 2 + (noise.velocity * (time - since)) ** 2
        variance = self._variance + drift / noise.position**2
        self._mean = np.where(new[:, None], (1.0 - RECENT) * self._mean + RECENT * surprise, self._mean)
        scatter = noise.position * np.sqrt((1.0 + variance) * RECENT / (2.0 - RECENT))
        astray = astray | (new & sure & (norm(self._mean) > ODD * scatter))
        self._wary[astray] = time + WARY
        sure = sure & (time >= self._wary)
        self._mean[~sure] = 0.0
        share = np.where(sure, np.where(new, np.maximum(params.share(noise.position), variance / (variance + 1.0)), 0.0), 1.0)
        self._variance = (1.0 - share) ** 2 * variance + share**2
        return share


def disobeying(measured: Array, predicted: Array, noise: Noise) -> BoolArray:
    """Who (N,) goes with another velocity, ``measured`` now (N, 2) m/s, than is ``predicted`` of robots that do what they are told."""
    speed = np.maximum(norm(measured), norm(predicted))
    off: BoolArray = norm(measured - predicted) > EXACT_SPEED + ODD * np.sqrt(2.0) * (noise.velocity + noise.heading * speed)
    return off
