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
        return self.gain if self.gain == 1.0 else self.gain * min(1.0, FINE / max(noise, FINE))

    def spread(self, noise: float) -> float:
        """Standard deviation (m) that is left of the ``noise`` (m) in the long run: that of a first-order filter with the share."""
        share = self.share(noise)
        return noise * float(np.sqrt(share / (2.0 - share)))
