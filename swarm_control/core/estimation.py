"""Parameters of the estimate of where robots are, and the noise of what is measured of them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swarm_control.core.parameters import param

MEMORY = 2.0
"""For so long (s) commands are remembered."""

FINE = 0.01
"""Noise of positions (m) up to which the gain is meant as it is; of twice the noise half as much is believed."""


class Noise(NamedTuple):
    """Standard deviations of measured positions (m), headings (rad) and velocities (m/s)."""

    position: float = 0.0
    heading: float = 0.0
    velocity: float = 0.0


EXACT = Noise()
"""No noise."""


def believed(gain: float, noise: float, fine: float) -> float:
    """Share of a surprise that an observer with this ``gain`` believes where there is ``noise`` (m): the gain for noise up to ``fine`` (m),
    half of it for twice the noise, as in a Kalman filter of a robot that hardly strays from its commands. All of it where the gain is 1.
    """
    return gain if gain == 1.0 else gain * min(1.0, fine / max(noise, fine))


def spread(noise: float, share: float) -> float:
    """Standard deviation (m) that is left of ``noise`` (m) by a first-order filter that believes this ``share`` of a surprise."""
    return noise * float(np.sqrt(share / (2.0 - share)))


@dataclass(frozen=True)
class Estimation:
    """Parameters of the estimate of where robots are."""

    enabled: bool = param(True, "whether odometry that is late is moved on to now, and what is late or noisy smoothed")
    gain: float = param(0.3, "share of a measurement's surprise that is believed; 1: measurements as they are", low=0.01, high=1.0)
    command_delay: float = param(
        -1.0, "how long after a command robots obey it: link, driver, motors; -1: 0.05 for real ones, 0 in simulation", unit="s", low=-1.0,
        high=2.0,
    )  # fmt: skip
    gate: float = param(0.05, "larger surprises about a position are believed at once", unit="m", low=1e-4, high=100.0)
    gate_heading: float = param(10.0, "larger surprises about a heading are believed at once", unit="deg", low=0.01, high=180.0)

    def share(self, noise: float) -> float:
        """Share of a surprise about a position that is believed in the long run, where measured ones have this ``noise`` (m)."""
        return believed(self.gain, noise, FINE)

    def spread(self, noise: float) -> float:
        """Standard deviation (m) that is left of the ``noise`` (m) in the long run."""
        return spread(noise, self.share(noise))
