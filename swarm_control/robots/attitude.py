"""The vertical as robots' own control knows it: from an attitude filter, which is noisy, and a gyroscope, which drifts. Compiled."""

import math

from swarm_control.core.compiled import njit


@njit(cache=True)
def vertical(belief, up, spin, time, dt):  # type: ignore[no-untyped-def]
    """The vertical u (3,) in the body's frame, unit length, ``dt`` (s) later; kept in the first three of ``belief``, zeros at the start.

    ``u̇ = u × ω``, ω (rad/s) the gyroscope's ``spin``, led to what the attitude filter reads, ``up``, within ``time`` (s).
    """
    x, y, z = belief[0], belief[1], belief[2]
    if x == 0.0 and y == 0.0 and z == 0.0:
        x, y, z = up[0], up[1], up[2]
    a, b, c = x + dt * (y * spin[2] - z * spin[1]), y + dt * (z * spin[0] - x * spin[2]), z + dt * (x * spin[1] - y * spin[0])
    share = dt / (time + dt)
    a, b, c = a + share * (up[0] - a), b + share * (up[1] - b), c + share * (up[2] - c)
    size = math.sqrt(a * a + b * b + c * c)
    belief[0], belief[1], belief[2] = a / size, b / size, c / size
    return a / size, b / size, c / size


@njit(cache=True)
def turning(u, spin):  # type: ignore[no-untyped-def]
    """How fast the direction in which the body points, seen from above, turns about the vertical, rad/s.

    ``(u_y·ω_y + u_z·ω_z)/(1 − u_x²)``, as of the yaw of yaw, pitch and roll.
    """
    return (u[1] * spin[1] + u[2] * spin[2]) / max(1.0 - u[0] * u[0], 1e-12)
