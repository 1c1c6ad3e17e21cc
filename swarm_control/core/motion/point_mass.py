"""Point mass: pushed by a force in any direction; it has no heading of its own and keeps the one it started with."""

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.core.motion.limits import Motion
from swarm_control.core.motion.omni import control_point, predict
from swarm_control.core.state import Fleet

__all__ = ["control_point", "gains", "predict", "twist"]


def twist(desired: Array, pose: Array, fleet: Fleet, params: Motion, period: float) -> Array:
    """Command (n, 3) in the robot's frame for the ``desired`` velocity (n, 2), world frame; the mass follows as force permits."""
    return np.column_stack((rotate(desired, -pose[:, 2]), np.zeros(len(desired))))


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s) whose acceleration, held for ``period`` T (s), has the law's effect.

    The law (Brogan & Hodgins 1997, equation 21) is ``m·ẍ = k_p e + k_v(ẋ_g − ẋ)`` with ``ė = ẋ_a − ẋ``. With the gains of the paper
    k_v·T/m is 4 at 20 Hz, where a force held for a period would swing up. The law is linear, so its velocity at the period's end is
    known: ``ẋ(T) = ẋ + p·s·e + q·s·(ẋ_g − ẋ) + p·S·(ẋ_a − ẋ)`` with p = k_p/m, q = k_v/m, s(T) the solution of ``s̈ + q·ṡ + p·s = 0``
    that starts from 0 at the rate 1, and S its integral.
    """
    p, q = params.point_mass.position_gain / params.point_mass.mass, params.point_mass.velocity_gain / params.point_mass.mass
    root = np.sqrt(complex(0.25 * q * q - p))
    root = root if abs(root) > 1e-6 * np.sqrt(p) else complex(1e-6 * np.sqrt(p))
    fade = np.exp((root - 0.5 * q) * period)
    s = float((fade * -np.expm1(-2.0 * root * period) / (2.0 * root)).real)
    slope = float((fade * (1.0 + np.exp(-2.0 * root * period)) / 2.0).real) - 0.5 * q * s
    return p * s / period, q * s / period, (1.0 - slope - q * s) / (p * s)
