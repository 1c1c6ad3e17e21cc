"""Point mass: pushed by a force in any direction; it has no heading of its own and keeps the one it started with."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.actuation import approach, heard, shorten
from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, rotate
from swarm_control.core.motion import Motion
from swarm_control.core.parameters import param
from swarm_control.core.robot import RobotModel, StageDrive, Stopping, register_robot
from swarm_control.core.state import Fleet
from swarm_control.robots.omni import control_point, predict, steer_to, top_rate


@dataclass(frozen=True)
class PointMass:
    """How a point mass is drawn to where it is wanted in a group (Brogan & Hodgins 1997, equation 21)."""

    mass: float = param(25.14, "mass, that of the one-legged robot", unit="kg", low=0.001, high=1e6)
    position_gain: float = param(6000.0, "force per error of position", unit="N/m", low=0.001, high=1e9)
    velocity_gain: float = param(2000.0, "force per error of velocity", unit="N s/m", low=0.0, high=1e9)


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


@njit(cache=True)
def limit(forward, left, rate, max_speed, max_turn_rate, wheel_base):  # type: ignore[no-untyped-def]
    """The twist shortened to the top speed; there is no turning."""
    scale = max_speed / max(np.hypot(forward, left), max_speed)
    return scale * forward, scale * left, 0.0


def _actuate_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """A constant force turns the velocity u into the commanded w in t = |w − u|/a, exactly integrated: u·t + (w − u)·t/2 + w·(dt − t).

    There is no turning.
    """
    max_speed, max_acceleration, _, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        forward, left, _ = heard(twist, i)
        forward, left = shorten(forward, left, max_speed[i])
        c, s = np.cos(old_pose[i, 2]), np.sin(old_pose[i, 2])
        ux, uy, most = old_velocity[i, 0], old_velocity[i, 1], max_acceleration[i] * dt
        vx, vy, change = approach(ux, uy, c * forward - s * left, s * forward + c * left, most)
        ramp = 0.5 * dt * change / most
        move[i, 0], move[i, 1] = vx * dt - ramp * (vx - ux), vy * dt - ramp * (vy - uy)
        pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], old_pose[i, 2]
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = vx, vy, 0.0


register_robot(
    RobotModel(
        name="point_mass", help="Point mass: pushed by a force in any direction; it keeps the heading it started with.",
        control_point=control_point, twist=twist, predict=predict, gains=gains, parameters=PointMass, turns_in_place=False,
        steer=steer_to, stopping=Stopping(limit, top_rate), actuate=Kernel(_actuate_loop), stage=StageDrive("omni", turns=False),
        gazebo="glides",
    )
)  # fmt: skip
