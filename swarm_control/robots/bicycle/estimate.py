"""What a rider knows of the bicycle's motion from the sensors on it: roll, turn rate, speed. Compiled, a bicycle at a time.

``belief`` (4,): the vertical (3) in the frame's frame of coordinates, and the speed ahead, m/s.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.robots.attitude import turning, vertical

SPEED = 3
BELIEFS = 4


@njit(cache=True)
def riding(belief, up, spin, wheel, dt, rider):  # type: ignore[no-untyped-def]
    """Roll, roll rate, yaw rate, speed ahead; rad, rad/s, m/s. Of what attitude filter, gyroscope and rear wheel's encoder read.

    With the vertical u and the gyroscope's ω, ``α = atan2(u_y, u_z)`` and ``α̇ = (ω_x − u_x·(u·ω))/√(1 − u_x²)``. The speed is led to that
    of the rear wheel, ``wheel·r``, within ``speed_time``.
    """
    u = vertical(belief, up, spin, rider.tilt_time, dt)
    belief[SPEED] += dt / (rider.speed_time + dt) * (wheel * rider.wheel_radius - belief[SPEED])
    flat = np.sqrt(max(1.0 - u[0] * u[0], 1e-12))
    rolling = (spin[0] - u[0] * (u[0] * spin[0] + u[1] * spin[1] + u[2] * spin[2])) / flat
    return np.arctan2(u[1], u[2]), rolling, turning(u, spin), belief[SPEED]
