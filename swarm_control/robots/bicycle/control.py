"""The rider's control of all bicycles of a model, on every time step: steering, pedalling, posture. Equations: Brogan & Hodgins §4.2.

Roll α is positive to the right (about x ahead), yaw β, the fork's angle θ_f and turn rates to the left (about z up). The crank's angle
θ_c is zero with the left pedal up, π/2 with it ahead. Equation 15 is printed with the error of speed the other way round.

Equation 19 has a wished roll α_d and course β_d. From a turn rate ω they come as ``α_d = −atan(v·ω/g)``, which changes at a bounded rate,
and β_d, which turns at the rate that belongs to α_d, a ``response`` later; the angle that the fork has in that turn is added. So it
steers to the other side first without being told to: that is how −k_α(α − α_d) begins a lean. A rider has no compass: how far the
bicycle is from its course is what its turn rate and the wished one come to over time.
"""

from typing import NamedTuple

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import Array
from swarm_control.robots.bicycle.body import layout
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.estimate import riding
from swarm_control.robots.motors import bounded

GRAVITY = 9.81
BRAKE = 0.5
"""How fast a rider slows down who hears nothing sensible, m/s²."""


class Rider(NamedTuple):
    """What a rider knows: parameters of :class:`Bicycle` in rad, and ``turn``: angle of the fork times speed per turn rate, m."""

    roll_gain: float
    roll_damping: float
    yaw_gain: float
    yaw_damping: float
    gain_speed: float
    yaw_limit: float
    fork_limit: float
    turn: float
    max_lean: float
    lean_rate: float
    response: float
    min_speed: float
    top_speed: float
    speed_gain: float
    torque_limit: float
    cadence: float
    fallen: float
    wheel_radius: float
    tilt_time: float
    speed_time: float


class Tables(NamedTuple):
    """What a rider's limbs know, see :class:`~.posture.Posture`: ``leg`` and ``push`` with their first row again at the end.

    ``sag`` (4,): by how much (rad) shoulders and elbow are set higher to hold the arm; ``yield_`` rad per N m of the ankles.
    """

    reach: float
    arm: Array
    leg: Array
    push: Array
    sag: Array
    yield_: float


def rider_of(b: Bicycle) -> Rider:
    """What the rider of a bicycle knows."""
    lean, rate, yaw, fallen = np.deg2rad((b.max_lean, b.lean_rate, b.yaw_limit, b.fallen)).tolist()
    turn = layout(b).base / float(np.sin(np.deg2rad(b.head_angle)))
    return Rider(
        b.roll_gain, b.roll_damping, b.yaw_gain, b.yaw_damping, b.gain_speed, yaw, b.fork_limit, turn, lean, rate, b.response,
        b.min_speed, b.top_speed, b.speed_gain, b.torque_limit or np.inf, b.crank_speed or np.inf, fallen,
        b.wheel_radius, b.tilt_time, b.speed_time,
    )  # fmt: skip


@njit(cache=True)
def attitude(qpos, qvel, q, v):  # type: ignore[no-untyped-def]
    """Roll, roll rate, yaw, yaw rate and speed ahead of a free body whose coordinates begin at ``q`` and ``v``; rad, rad/s, m/s."""
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    a, b, c = qvel[v + 3], qvel[v + 4], qvel[v + 5]
    xx, xy, xz = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    yx, yy, yz = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    zx, zy, zz = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
    level = np.sqrt(xx * xx + yx * yx) + 1e-12
    ahead, left = xx / level, yx / level
    spin_x, spin_y = xx * a + xy * b + xz * c, yx * a + yy * b + yz * c
    speed = qvel[v] * ahead + qvel[v + 1] * left
    return np.arctan2(zy, zz), spin_x * ahead + spin_y * left, np.arctan2(yx, xx), zx * a + zy * b + zz * c, speed


@njit(cache=True)
def wished(forward, rate, wish, speed, rider, dt):  # type: ignore[no-untyped-def]
    """What of a command can be obeyed: speed m/s, turn rate rad/s, and whether something was cut. ``wish``: the speed wished before.

    Speed permits a turn rate of ``g·tan(max_lean)/v``. With a command that is not finite: straight on, slowing down gently.
    """
    if not (np.isfinite(forward) and np.isfinite(rate)):
        return max(wish - BRAKE * dt, rider.min_speed), 0.0, True
    most = GRAVITY * np.tan(rider.max_lean) / max(speed, rider.min_speed)
    v, w = min(max(forward, rider.min_speed), rider.top_speed), min(max(rate, -most), most)
    return v, w, v != forward or w != rate


@njit(cache=True)
def fork_angle(roll, roll_rate, off, yaw_rate, lean, rate, speed, rider):  # type: ignore[no-untyped-def]
    """The angle θ_f of the fork that is wished, rad (eq. 19), with the angle and rate that the wished turn ``rate`` itself has.

    ``off``: β − β_d, rad.
    """
    share = rider.gain_speed / max(speed, rider.min_speed)
    back = -share * share * (rider.roll_gain * (roll - lean) + rider.roll_damping * roll_rate)
    turn = share * (rider.yaw_gain * off + rider.yaw_damping * (yaw_rate - rate))
    return min(max(back + turn + rider.turn * rate / max(speed, rider.min_speed), -rider.fork_limit), rider.fork_limit)


@njit(cache=True)
def legs(torque, crank):  # type: ignore[no-untyped-def]
    """Each leg's share of a torque at the crank (eqs 16–18), left and right: a leg pushes best with its pedal ahead."""
    w = 0.5 * (np.sin(crank) + 1.0)
    return (w * torque, (1.0 - w) * torque) if torque > 0.0 else ((1.0 - w) * torque, w * torque)


@njit(cache=True)
def looked_up(table, place, column):  # type: ignore[no-untyped-def]
    """Entry of a table between two rows."""
    k = min(max(int(np.floor(place)), 0), len(table) - 2)
    share = place - k
    return (1.0 - share) * table[k, column] + share * table[k + 1, column]


def _steer_loop(up, gyro, wheel, crank, twist, rider, dt, belief, off, lean, turn, wish, limited):  # type: ignore[no-untyped-def]
    """Angle of the fork (n, 0) rad, torque at the crank (n, 1) N m; ``belief`` (n, 4), ``off`` … ``limited`` (n,) go on.

    ``up``, ``gyro`` (n, 3): of the frame; ``wheel``, ``crank`` (n,): rates, rad/s, by the encoders.
    """
    n = len(up)
    result = np.zeros((n, 2))
    for i in range(n):
        roll, roll_rate, yaw_rate, speed = riding(belief[i], up[i], gyro[i], wheel[i], dt, rider)
        wish[i], rate, limited[i] = wished(twist[i, 0], twist[i, 2], wish[i], speed, rider, dt)
        fast, step = max(speed, rider.min_speed), rider.lean_rate * dt
        target = -np.arctan(fast * rate / GRAVITY)
        lean[i] += min(max(target - lean[i], -step), step)
        turn[i] += (-GRAVITY * np.tan(lean[i]) / fast - turn[i]) * dt / (rider.response + dt)
        off[i] = min(max(off[i] + (yaw_rate - turn[i]) * dt, -rider.yaw_limit), rider.yaw_limit)
        if abs(roll) < rider.fallen:
            result[i, 0] = fork_angle(roll, roll_rate, off[i], yaw_rate, lean[i], turn[i], speed, rider)
            result[i, 1] = bounded(rider.speed_gain * (wish[i] - speed), crank[i], rider.torque_limit, rider.cadence)
    return result


def _ride_loop(steer, crank, motor, length, tables, ctrl):  # type: ignore[no-untyped-def]
    """Set arms and legs: the hands go where the fork's angle wants them, the feet push the pedals on cranks of ``length`` m.

    ``crank`` (n,): angles, rad, by the encoder.
    """
    arm, leg, push, n = tables.arm, tables.leg, tables.push, len(crank)
    steers, turns = len(arm) - 1, len(leg) - 1
    for i in range(n):
        at = motor[i] + 1
        for side in range(2):
            sign = 1.0 - 2.0 * side
            place = 0.5 * (sign * steer[i, 0] / tables.reach + 1.0) * steers
            for k in range(4):
                ctrl[at + 4 * side + k] = (sign if k == 1 or k == 2 else 1.0) * (looked_up(arm, place, k) + tables.sag[k])
        angle = crank[i]
        share = legs(steer[i, 1], angle)
        for side in range(2):
            place, force, to = ((angle / (2.0 * np.pi) + 0.5 * side) % 1.0) * turns, share[side] / length, at + 8 + 3 * side
            ctrl[to] = force * looked_up(push, place, 0)
            ctrl[to + 1] = force * looked_up(push, place, 1)
            ctrl[to + 2] = looked_up(leg, place, 3) + force * looked_up(push, place, 2) * tables.yield_


def _attitudes_loop(qpos, qvel, q, v):  # type: ignore[no-untyped-def]
    """:func:`attitude` of all bicycles (n, 5)."""
    result = np.empty((len(q), 5))
    for i in range(len(q)):
        result[i] = attitude(qpos, qvel, q[i], v[i])
    return result


attitudes = jit(_attitudes_loop)
steer = jit(_steer_loop)
ride = jit(_ride_loop)
