"""The one-legged robot's own control (Raibert 1986; Brogan & Hodgins eqs 6-8): thrust, attitude in stance, foot placement in flight.

All robots at once, on every time step, from what their sensors read (:mod:`swarm_control.robots.hopper.estimate`). ``memory`` (n, 8) is
what a robot remembers; its columns are named below; ``g`` are its :class:`~swarm_control.robots.hopper.control_gains.Gains`.
"""

import math

from swarm_control.core.compiled import jit, njit
from swarm_control.robots.attitude import turning, vertical
from swarm_control.robots.hopper.estimate import FOOT_DOWN, TRUNK_DOWN, in_body, moving, switches
from swarm_control.robots.motors import bounded

PHASE, CLOCK, AIR, STANCE, THRUST, BOOST, HEADING, LIFT = range(8)
"""Phase; time in it (s); time without contact (s); how long the last stance took (s); how much longer the leg's spring is made now (m);
what is added to that after hops too low (m); how far to the left the heading to keep is (rad); speed of the body upwards when it last
left the ground (m/s)."""
FLIGHT, LOADING, PUSHING, FALLEN = range(4)
"""Phases. A fallen robot stays so."""
REST = 0.03
"""A phase takes at least this long, s."""
LYING = 0.02
"""A body that has touched the ground for longer has fallen, s."""
HASTE = 0.4
"""How much of a hop's error of speed the next thrust makes up for."""
MOST_BOOST = 0.05
"""The most by which the thrust is changed for that, m."""
YAW_SHARE = 0.03
"""Gains of the leg's turning about its length in flight, per those of its swing: so much smaller is its inertia."""
WIDEST = 0.6
"""The farthest that the foot is put from below the hip, in lengths of the leg."""


def _control_loop(up, gyro, joint, rate, touch, twist, dt, g, memory, belief, count, force):  # type: ignore[no-untyped-def]
    """Write ``force`` (n, 4) of hip and leg, N·m and N, for the next ``dt`` (s), so that the robots obey ``twist`` (n, 3).
    It holds what they were told last.

    ``up`` … ``touch``: what is read, see :class:`~swarm_control.robots.sensors.Readings`; switches: of foot, body. ``belief`` (n, 8) is
    kept by the estimate. ``count`` (n, 2): commands cut, commands refused so far, in time steps.
    """
    for i in range(len(up)):
        memo, a, r, spin = memory[i], joint[i], rate[i], gyro[i]
        u = vertical(belief[i], up[i], spin, g.tilt_time, dt)
        switches(belief[i], touch[i], dt)
        if memo[PHASE] == FALLEN or u[2] < g.upright or belief[i, TRUNK_DOWN] > LYING:
            memo[PHASE] = FALLEN
            force[i, :] = 0.0
            continue
        load = force[i, 3] - g.spring * a[3] - g.damping * r[3]
        pressed = load if memo[PHASE] != FLIGHT and touch[i, 0] else 0.0
        v = moving(belief[i], u, a, r, spin, force[i], pressed, memo[PHASE] == LOADING, dt, g)
        wish_x, wish_y, turn = command(twist[i], g, count[i])
        # the heading runs ahead of the body by half a radian at most
        memo[HEADING] = min(max(memo[HEADING] + (turn - turning(u, spin)) * dt, -0.5), 0.5)
        advance(memo, touch[i, 0], belief[i, FOOT_DOWN], a[3], r[3], v[2], dt, g)
        force[i, 3] = bounded(g.spring * memo[THRUST], r[3], g.thrust_force, g.thrust_speed)
        if memo[PHASE] == FLIGHT:
            place_foot(memo, u, a, r, v, wish_x, wish_y, g, force[i])
        else:
            load = max(0.0, force[i, 3] - g.spring * a[3] - g.damping * r[3])
            stand(a, spin, u[0], u[1], memo[HEADING], load, g, force[i])
        for k in range(3):
            force[i, k] = bounded(force[i, k], r[k], g.hip_torque, g.hip_speed)


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
def advance(memo, touches, pressed, extension, rate, rise, dt, g):  # type: ignore[no-untyped-def]
    """Phase and thrust: loads when the foot touches, pushes from where the leg is shortest, until the foot leaves the ground.

    A contact switch that reads otherwise is believed after ``debounce``; ``pressed`` (s): for how long the foot's has been.
    A spring pressed by s and let go lifts the mass m off at speed v: ``½ k s² − m g s = ½ m v²``. What the leg lacks of s is the thrust.
    """
    memo[CLOCK] += dt
    memo[AIR] = 0.0 if touches else memo[AIR] + dt
    phase = memo[PHASE]
    if phase == FLIGHT:
        memo[THRUST] = -retract(memo[CLOCK], g)
        if pressed > g.debounce and memo[CLOCK] > REST:
            memo[PHASE], memo[CLOCK], memo[THRUST] = LOADING, pressed, 0.0
    elif memo[AIR] > g.debounce:
        if phase == PUSHING:
            memo[STANCE] = memo[CLOCK] - memo[AIR]
            boost = memo[BOOST] + HASTE * (g.lift - memo[LIFT]) * math.sqrt(g.mass / g.spring)
            memo[BOOST] = min(max(boost, -MOST_BOOST), MOST_BOOST)
        memo[PHASE], memo[CLOCK], memo[THRUST] = FLIGHT, 0.0, 0.0
    elif phase == PUSHING:
        memo[LIFT] = rise if touches else memo[LIFT]
    elif rate > 0.0 and extension < 0.0 and memo[CLOCK] > REST:
        weight = g.mass * g.gravity / g.spring
        pressed = weight + math.sqrt(weight * weight + g.mass / g.spring * g.lift * g.lift)
        memo[PHASE], memo[THRUST] = PUSHING, min(max(pressed + extension + memo[BOOST], 0.0), g.thrust_limit)


@njit(cache=True)
def retract(clock, g):  # type: ignore[no-untyped-def]
    """How much (m) shorter the leg is to be at ``clock`` (s) after leaving the ground: all until the apex, nothing half-way down."""
    share = clock * g.gravity / g.lift  # 1 at the apex
    return g.retraction * max(0.0, min(1.0, 8.0 * share, 3.0 - 2.0 * share))


@njit(cache=True)
def place_foot(memo, u, a, r, v, wish_x, wish_y, g, force):  # type: ignore[no-untyped-def]
    """Foot placement (eq. 8): the hip turns the leg to where the foot is to land, ``½·t_s·ẋ + k(ẋ − ẋ_d) − b·ẋ_d`` from below the hip.

    The last term makes up for what the leg's damping and the swing take from the speed in each step, and for the speed that the
    foot seems to have as it creeps on the ground while it pushes off.
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
    bx, by, bz = in_body(u, (x, y, z))
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
