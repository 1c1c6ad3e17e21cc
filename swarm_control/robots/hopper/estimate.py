"""What a one-legged robot knows of its motion from its sensors: the vertical, its velocity, who touches the ground.

Compiled, a robot at a time; ``belief`` (8,) is what it believes, whose entries are named below. Vectors are in the body's frame, x ahead,
y left, z up; velocities in the level frame: z is the vertical, against gravity, and x points where the body does, seen from above.
"""

import math

from swarm_control.core.compiled import jit, njit
from swarm_control.robots.attitude import turning

UP, SPEED, FOOT_DOWN, TRUNK_DOWN = 0, 3, 6, 7
"""The vertical (3); velocity of the centre of mass (3), m/s; for how long the switches of foot and body have been pressed, s."""
BELIEFS = 8
FIRM = 3.0
"""Load, in weights of the robot, under which a foot stands as firmly as it can."""


@njit(cache=True)
def levelled(u, v):  # type: ignore[no-untyped-def]
    """The vector ``v`` of the body's frame in the level frame, whose axes are ``x = (e_x − u_x·u)/√(1 − u_x²)``, ``y = u × x`` and u."""
    flat = math.sqrt(max(1.0 - u[0] * u[0], 1e-12))
    up = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    return (v[0] - u[0] * up) / flat, (u[2] * v[1] - u[1] * v[2]) / flat, up


@njit(cache=True)
def in_body(u, v):  # type: ignore[no-untyped-def]
    """The vector ``v`` of the level frame in the body's: the inverse of :func:`levelled`."""
    flat = math.sqrt(max(1.0 - u[0] * u[0], 1e-12))
    along = v[2] - u[0] * v[0] / flat
    return flat * v[0] + u[0] * v[2], u[1] * along + u[2] * v[1] / flat, u[2] * along - u[1] * v[1] / flat


@njit(cache=True)
def leg_motion(u, a, r, spin, g):  # type: ignore[no-untyped-def]
    """Of angles ``a`` and rates ``r`` of hip and leg: the body's velocity while the foot stands, the centre of mass's relative one.

    Both (3,), in the body's frame. n: from foot to hip; Ω = ω + Σ axis·rate: how the leg turns. The foot is a ball that rolls on the spot
    p = −(l + a)·n − R·u, l + a the leg's length: ``v = −Ω × p + ȧ·n``. The centre of mass is at ``c = −(d + µ·a)·n`` from the hip, µ
    the lower leg's share of the mass: ``ċ = Ω × c − µ·ȧ·n``.
    """
    sr, cr, sp, cp = math.sin(a[0]), math.cos(a[0]), math.sin(a[1]), math.cos(a[1])
    nx, ny, nz = sp, -sr * cp, cr * cp
    ox, oy, oz = spin[0] + r[0] + nx * r[2], spin[1] + cr * r[1] + ny * r[2], spin[2] + sr * r[1] + nz * r[2]
    far, low, out = g.length + a[3], g.drop + g.share * a[3], g.share * r[3]
    px, py, pz = -far * nx - g.ball * u[0], -far * ny - g.ball * u[1], -far * nz - g.ball * u[2]
    v = (r[3] * nx - oy * pz + oz * py, r[3] * ny - oz * px + ox * pz, r[3] * nz - ox * py + oy * px)
    c = (-low * (oy * nz - oz * ny) - out * nx, -low * (oz * nx - ox * nz) - out * ny, -low * (ox * ny - oy * nx) - out * nz)
    return v, c


@njit(cache=True)
def pushed(a, torque, load, g):  # type: ignore[no-untyped-def]
    """The ground's force (3,) on a foot that stands, body's frame, N: ``F·n + (T × n)/(l + a)``.

    F is the leg's ``load``, T the ``torque`` at the hip, which comes from its parts along the hinges: x, ``e = (0, cos a₀, sin a₀)`` and
    n. The leg counts as massless.
    """
    sr, cr, sp, cp = math.sin(a[0]), math.cos(a[0]), math.sin(a[1]), math.cos(a[1])
    far = g.length + a[3]
    x = load * sp + torque[1] * cp / far
    e = ((torque[2] - sp * torque[0]) * sp / cp - torque[0] * cp) / far
    m = load * cp - torque[1] * sp / far
    return x, cr * e - sr * m, sr * e + cr * m


@njit(cache=True)
def moving(belief, u, a, r, spin, torque, load, sinks, dt, g):  # type: ignore[no-untyped-def]
    """The body's velocity (3,), level frame, m/s, after ``dt`` (s); ``load`` (N): by which the leg presses its foot on the ground.

    The centre of mass flies, ``v̇ = −g·z``. While the foot is pressed on the ground, the ground's force f drives it, ``v̇ = f/m − g·z``, and
    it is led to what the leg's motion says of it: the more slowly, the less the foot is loaded, and hardly where the two are so far
    apart that the foot must have slipped; the upward speed only as long as the body ``sinks``, as soft ground lifts a foot that is
    unloaded.
    """
    foot, centre = leg_motion(u, a, r, spin, g)
    turn = turning(u, spin) * dt
    relative = levelled(u, centre)
    x, y = belief[SPEED] + turn * belief[SPEED + 1], belief[SPEED + 1] - turn * belief[SPEED]
    z = belief[SPEED + 2] - g.gravity * dt
    if load > 0.0:
        push, read = levelled(u, pushed(a, torque, load, g)), levelled(u, foot)
        gain = dt / g.mass
        x, y, z = x + gain * push[0], y + gain * push[1], z + gain * push[2]
        off_x, off_y = read[0] + relative[0] - x, read[1] + relative[1] - y
        off = math.hypot(off_x, off_y)
        share = dt / (g.speed_time + dt) / (1.0 + (off / g.skid) ** 2) * min(1.0, load / (FIRM * g.mass * g.gravity))
        if sinks:
            z += share * (read[2] + relative[2] - z)
        x, y = x + share * off_x, y + share * off_y
    belief[SPEED], belief[SPEED + 1], belief[SPEED + 2] = x, y, z
    return x - relative[0], y - relative[1], z - relative[2]


@njit(cache=True)
def switches(belief, touch, dt):  # type: ignore[no-untyped-def]
    """Keep for how long (s) the switches of foot and body have been pressed; ``touch`` (2,)."""
    belief[FOOT_DOWN] = belief[FOOT_DOWN] + dt if touch[0] else 0.0
    belief[TRUNK_DOWN] = belief[TRUNK_DOWN] + dt if touch[1] else 0.0


def _touching_loop(geom, owner, found):  # type: ignore[no-untyped-def]
    """Mark in ``found`` (n, 2) whose foot, whose body is among the bodies in contact, ``geom`` (C, 2); ``owner`` (G, 2): whose each is."""
    for k in range(len(geom)):
        for side in range(2):
            for part in range(2):
                who = owner[geom[k, side], part]
                if who >= 0:
                    found[who, part] = True


touching = jit(_touching_loop)
