"""Motor programs: rest angles of springs that move at constant velocity to where step and stance want them (section 3.3)."""

import numpy as np

from swarm_control.core.compiled import njit

EXPONENTIAL, LINEAR = 0, 1
"""Laws of springs."""


@njit(cache=True)
def spring(stretch, strength, rise, most, law):  # type: ignore[no-untyped-def]
    """Torque of a spring stretched by ``stretch`` (rad): ``f = α(e^{β|x|} − 1)``, or ``αβ|x|``; at most ``most``."""
    x = rise * abs(stretch)
    force = strength * (np.exp(min(x, 50.0)) - 1.0 if law == EXPONENTIAL else x)
    return np.copysign(min(force, most), stretch)


@njit(cache=True)
def energy(stretch, strength, rise, law):  # type: ignore[no-untyped-def]
    """What a spring stretched by ``stretch`` (rad) holds, the integral of its torque, while that is not cut."""
    x = rise * abs(stretch)
    return strength / rise * (np.exp(x) - 1.0 - x if law == EXPONENTIAL else 0.5 * x * x)


@njit(cache=True)
def held(torque, strength, rise, law):  # type: ignore[no-untyped-def]
    """By how much a spring stretches under a ``torque``."""
    x = abs(torque) / strength
    return np.copysign((np.log(1.0 + x) if law == EXPONENTIAL else x) / rise, torque)


@njit(cache=True)
def foothold_speed(forward, left, turn, x, y):  # type: ignore[no-untyped-def]
    """Velocity (x, y) over the ground of a point of the body at ``x``, ``y`` when the body moves so; a standing foot's is the opposite."""
    return forward - turn * y, left + turn * x


@njit(cache=True)
def frequency_for(speed, stride, step_time, highest):  # type: ignore[no-untyped-def]
    """Stepping frequency at which a ``stride`` in stance makes for ``speed``: ``v = stride/(1/f − t_step)``; ``highest`` at most."""
    return min(speed / (stride + speed * step_time), highest)


@njit(cache=True)
def angles_at(table, x, y, z, joint):  # type: ignore[no-untyped-def]
    """Angle of a ``joint`` with the foot at ``x``, ``y``, ``z`` from its foothold, by a leg's ``table`` (5, 10) of :mod:`.leg`."""
    c = table[joint]
    linear = c[0] + c[1] * x + c[2] * y + c[3] * z
    return linear + c[4] * x * x + c[5] * y * y + c[6] * z * z + c[7] * x * y + c[8] * x * z + c[9] * y * z


@njit(cache=True)
def approach(rest, table, x, y, z, left, dt):  # type: ignore[no-untyped-def]
    """Move the rest angles (5,) of a leg towards those for ``x``, ``y``, ``z``, where they are to be in ``left`` s."""
    share = min(dt / max(left, dt), 1.0)
    for joint in range(len(rest)):
        rest[joint] += share * (angles_at(table, x, y, z, joint) - rest[joint])


@njit(cache=True)
def reach(rest, table, x, y, z, sunk):  # type: ignore[no-untyped-def]
    """Move the rest angles (5,) of a leg at once by what takes a foot at ``x``, ``y`` down by ``sunk``, to ``z``."""
    for joint in range(len(rest)):
        rest[joint] += angles_at(table, x, y, z, joint) - angles_at(table, x, y, z + sunk, joint)


@njit(cache=True)
def strength_left(rate, torque, fastest):  # type: ignore[no-untyped-def]
    """Share of its ``torque`` that a muscle has at a joint's speed (rad/s): none at the ``fastest``, all while it holds or gives way."""
    return min(max(1.0 - rate * np.sign(torque) / fastest, 0.0), 1.0)
