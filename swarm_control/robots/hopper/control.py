"""The one-legged robot's own control (Raibert 1986; Brogan & Hodgins eqs 6-8): thrust, attitude in stance, foot placement in flight.

All robots at once, on every time step. ``memory`` (n, 8) is what a robot remembers; its columns are named below; ``g`` are its
:class:`~swarm_control.robots.hopper.control_gains.Gains`.
"""

import math

from swarm_control.core.compiled import jit, njit

PHASE, CLOCK, AIR, STANCE, THRUST, BOOST, HEADING, LIFT = range(8)
"""Phase; time in it (s); time without contact (s); how long the last stance took (s); how much longer the leg's spring is made now (m);
what is added to that after hops too low (m); heading to keep (rad); speed of the body upwards when it last left the ground (m/s)."""
FLIGHT, LOADING, PUSHING, FALLEN = range(4)
"""Phases. A fallen robot stays so."""
REST = 0.03
"""A phase takes at least this long, s."""
LOST = 0.007
"""A foot that has touched nothing for longer has left the ground, s."""
HASTE = 0.4
"""How much of a hop's error of speed the next thrust makes up for."""
MOST_BOOST = 0.05
"""The most by which the thrust is changed for that, m."""
YAW_SHARE = 0.03
"""Gains of the leg's turning about its length in flight, per those of its swing: so much smaller is its inertia."""
WIDEST = 0.6
"""The farthest that the foot is put from below the hip, in lengths of the leg."""


def _control_loop(qpos, qvel, at, touch, twist, dt, g, memory, count, force):  # type: ignore[no-untyped-def]
    """Write ``force`` (n, 4) of hip and leg, N·m and N, for the next ``dt`` (s), so that the robots obey ``twist`` (n, 3).

    ``at`` (n, 4): where a robot's coordinates, its hip's and leg's coordinates, its velocities and those of hip and leg begin. ``touch``
    (n, 2): whether the foot, the body touch the ground. ``count`` (n, 2): commands cut, commands refused so far, in time steps.
    """
    for i in range(len(at)):
        memo = memory[i]
        a, r, spin = qpos[at[i, 1] :], qvel[at[i, 3] :], qvel[at[i, 2] + 3 :]
        q = upright(g, qpos[at[i, 0] + 3 :])
        v = moved(g, qvel[at[i, 2] :])
        up_x, up_y, up_z = upwards(q)
        if memo[PHASE] == FALLEN or up_z < g.upright or touch[i, 1]:
            memo[PHASE] = FALLEN
            force[i, :] = 0.0
            continue
        yaw = math.atan2(2.0 * (q[0] * q[3] + q[1] * q[2]), 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]))
        wish_x, wish_y, turn = command(twist[i], g, count[i])
        c, s = math.cos(yaw), math.sin(yaw)
        wish_x, wish_y = c * wish_x - s * wish_y, s * wish_x + c * wish_y
        ahead = memo[HEADING] + turn * dt - yaw  # the heading runs ahead of the body by half a radian at most
        ahead -= 2.0 * math.pi * math.floor((ahead + math.pi) / (2.0 * math.pi))
        ahead = min(max(ahead, -0.5), 0.5)
        memo[HEADING] = yaw + ahead
        advance(memo, touch[i, 0], a[3], r[3], v[2], dt, g)
        force[i, 3] = min(max(g.spring * memo[THRUST], -g.thrust_force), g.thrust_force)
        if memo[PHASE] == FLIGHT:
            place_foot(memo, q, a, r, v, wish_x, wish_y, g, force[i])
        else:
            load = max(0.0, g.spring * -a[3] - g.damping * r[3] + force[i, 3])
            stand(a, spin, up_x, up_y, ahead, load, g, force[i])
        for k in range(3):
            force[i, k] = min(max(force[i, k], -g.hip_torque), g.hip_torque)


@njit(cache=True)
def upright(g, q):  # type: ignore[no-untyped-def]
    """Orientation ``q`` (w, x, y, z) as seen from the frame whose z is the vertical: the product of ``lean`` and ``q``."""
    w, x, y = g.lean_w, g.lean_x, g.lean_y
    return (
        w * q[0] - x * q[1] - y * q[2], w * q[1] + x * q[0] + y * q[3], w * q[2] + y * q[0] - x * q[3], w * q[3] + x * q[2] - y * q[1],
    )  # fmt: skip


@njit(cache=True)
def moved(g, v):  # type: ignore[no-untyped-def]
    """Velocity ``v`` as seen from the frame whose z is the vertical: ``v + 2 (w·l × v + l × (l × v))``, l the vector part of ``lean``."""
    w, x, y = g.lean_w, g.lean_x, g.lean_y
    cx, cy, cz = y * v[2], -x * v[2], x * v[1] - y * v[0]
    return v[0] + 2.0 * (w * cx + y * cz), v[1] + 2.0 * (w * cy - x * cz), v[2] + 2.0 * (w * cz + x * cy - y * cx)


@njit(cache=True)
def upwards(q):  # type: ignore[no-untyped-def]
    """The vertical in the frame of a body of orientation ``q``."""
    w, x, y, z = q
    return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@njit(cache=True)
def command(twist, g, count):  # type: ignore[no-untyped-def]
    """What a command asks for within the robot's ability; one that is not finite counts as a stop."""
    x, y, turn = twist[0], twist[1], twist[2]
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(turn)):
        count[1] += 1
        return 0.0, 0.0, 0.0
    speed = math.hypot(x, y)
    if speed > g.top_speed * (1.0 + 1e-9) or abs(turn) > g.top_turn * (1.0 + 1e-9):
        count[0] += 1
    if speed > g.top_speed:
        x, y = x * (g.top_speed / speed), y * (g.top_speed / speed)
    return x, y, min(max(turn, -g.top_turn), g.top_turn)


@njit(cache=True)
def advance(memo, touches, extension, rate, rise, dt, g):  # type: ignore[no-untyped-def]
    """Phase and thrust: loads when the foot touches, pushes from where the leg is shortest, until the foot leaves the ground.

    A spring pressed by s and let go lifts the mass m off at speed v: ``½ k s² − m g s = ½ m v²``. What the leg lacks of s is the thrust.
    """
    memo[CLOCK] += dt
    memo[AIR] = 0.0 if touches else memo[AIR] + dt
    phase = memo[PHASE]
    if phase == FLIGHT:
        memo[THRUST] = -retract(memo[CLOCK], g)
        if touches and memo[CLOCK] > REST:
            memo[PHASE], memo[CLOCK], memo[THRUST] = LOADING, 0.0, 0.0
    elif memo[AIR] > LOST:
        if phase == PUSHING:
            memo[STANCE] = memo[CLOCK] - memo[AIR]
            memo[LIFT] = rise + g.gravity * memo[AIR]
            boost = memo[BOOST] + HASTE * (g.lift - memo[LIFT]) * math.sqrt(g.mass / g.spring)
            memo[BOOST] = min(max(boost, -MOST_BOOST), MOST_BOOST)
        memo[PHASE], memo[CLOCK], memo[THRUST] = FLIGHT, 0.0, 0.0
    elif phase == LOADING and rate > 0.0 and extension < 0.0 and memo[CLOCK] > REST:
        weight = g.mass * g.gravity / g.spring
        pressed = weight + math.sqrt(weight * weight + g.mass / g.spring * g.lift * g.lift)
        memo[PHASE], memo[THRUST] = PUSHING, min(max(pressed + extension + memo[BOOST], 0.0), g.thrust_limit)


@njit(cache=True)
def retract(clock, g):  # type: ignore[no-untyped-def]
    """How much (m) shorter the leg is to be at ``clock`` (s) after leaving the ground: all until the apex, nothing half-way down."""
    share = clock * g.gravity / g.lift  # 1 at the apex
    return g.retraction * max(0.0, min(1.0, 8.0 * share, 3.0 - 2.0 * share))


@njit(cache=True)
def place_foot(memo, q, a, r, v, wish_x, wish_y, g, force):  # type: ignore[no-untyped-def]
    """Foot placement (eq. 8): the hip turns the leg to where the foot is to land, ``½·t_s·ẋ + k(ẋ − ẋ_d) − b·ẋ_d`` from below the hip.

    The last term makes up for what the leg's damping and the swing take from the speed in each step.
    """
    error_x, error_y = v[0] - wish_x, v[1] - wish_y
    excess = math.hypot(error_x, error_y)
    share = g.step_gain * (g.step_error / excess if excess > g.step_error else 1.0)
    half = 0.5 * memo[STANCE]
    x = half * v[0] + share * error_x - g.step_bias * wish_x
    y = half * v[1] + share * error_y - g.step_bias * wish_y
    far, length = math.hypot(x, y), g.length + a[3]
    if far > WIDEST * length:
        x, y = x * WIDEST * length / far, y * WIDEST * length / far
    z = -math.sqrt(length * length - x * x - y * y)
    w, qx, qy, qz = q
    # the leg's direction in the body's frame
    bx = (1.0 - 2.0 * (qy * qy + qz * qz)) * x + 2.0 * (qx * qy + w * qz) * y + 2.0 * (qx * qz - w * qy) * z
    by = 2.0 * (qx * qy - w * qz) * x + (1.0 - 2.0 * (qx * qx + qz * qz)) * y + 2.0 * (qy * qz + w * qx) * z
    bz = 2.0 * (qx * qz + w * qy) * x + 2.0 * (qy * qz - w * qx) * y + (1.0 - 2.0 * (qx * qx + qy * qy)) * z
    pitch, roll = -math.asin(bx / length), math.atan2(by, -bz)
    force[0] = g.swing * (roll - a[0]) - g.swing_rate * r[0]
    force[1] = g.swing * (pitch - a[1]) - g.swing_rate * r[1]
    force[2] = -YAW_SHARE * (g.swing * a[2] + g.swing_rate * r[2])


@njit(cache=True)
def stand(a, spin, up_x, up_y, ahead, load, g, force):  # type: ignore[no-untyped-def]
    """Attitude in stance (eq. 7): the hip holds the body upright and turns it to its heading, as hard as the leg's load lets the foot.

    ``T`` is the torque on the leg; a hinge's share of it is that along its axis.
    """
    share = min(1.0, load / (g.mass * g.gravity))
    tx = share * (g.attitude * up_y + g.attitude_rate * spin[0])
    ty = share * (-g.attitude * up_x + g.attitude_rate * spin[1])
    most, wanted = g.grip * load * (g.length + a[3]), math.hypot(tx, ty)
    if wanted > most:
        tx, ty = tx * most / wanted, ty * most / wanted
    tz = share * (-g.yaw * ahead + g.yaw_rate * spin[2])
    tz = min(max(tz, -g.cling * load), g.cling * load)
    cr, sr, cp, sp = math.cos(a[0]), math.sin(a[0]), math.cos(a[1]), math.sin(a[1])
    force[0] = tx
    force[1] = cr * ty + sr * tz
    force[2] = sp * tx - sr * cp * ty + cr * cp * tz


control_all = jit(_control_loop)
