"""Stopping filter: it changes a command as little as needed so that the robot can always stop without touching anybody.

A robot at p with velocity v that is told to stop does so on the segment S from p to ``p + v·‖v‖/(2b)``: it can brake with b, straight on.
Let c_i, c_j be the points of the segments S_i, S_j of two robots that are nearest to each other, n the direction from c_i to c_j, and
``gap = ‖c_j − c_i‖ − r_i − r_j − margin``. Robot i takes only commands after which, a period later, it has its new segment S_i' and
the way there within ``n·(x − c_i) ≤ gap/2``; j does the same from its side. The two half-planes are ``r_i + r_j + margin`` apart, so
nobody touches on the way, and S_i', S_j' are as far apart: the same holds a period later. Stopping is always allowed, as S_i lies within
``n·(x − c_i) ≤ 0`` (c_i is the point of a convex set nearest to another one). Footprints are true ones; nothing is added for a
control point. The ways, and with them all that depends on the model, are in ``stopping_ways.py``;
what is done instead of a wish is in ``stopping_aside.py``.

Of a robot that recedes i may count on the least way that it still makes (responsibility-sensitive safety, Shalev-Shwartz et al. 2017): a
command is allowed as well if the way and S_i' keep within ``n·(x − p_i) ≤ gap/2 + w²/(2·max(a_j + v_j·ω_j, b_i))``, with n and gap between
the centres and w = n·v_j: it can lose w no faster than by braking with a_j and, if it rolls, turning with ω_j at once. Behind one that
brakes less than i does, i would be where j still is: there j counts as one that brakes as hard as i.

Walls are the squares of the map's occupied cells: the way and S_i' keep their room to them, or get no nearer.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray, Float32Array, IntArray
from swarm_control.core.state import Map, Neighbourhoods, SwarmState
from swarm_control.safety.segments import closest
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.safety.stopping_aside import glide_aside, roll_aside
from swarm_control.safety.stopping_ways import MORE, WAY, free_way, glide, roll, turns

OPEN_SPACE = np.full((1, 1), 1e12, np.float32)


def keep_stoppable(
    robots: IntArray, rolls: BoolArray, wish: Array, state: SwarmState, seen: Neighbourhoods, body: Array, hardest: Array,
    max_speed: Array, max_turn_rate: Array, curvature: Array, walls: Map | None, params: SeparationFilter, reaction: Array,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Return the allowed twists nearest to ``wish`` (N, 3) of ``robots`` (indices), and which were changed (N,); others' are left.

    ``rolls`` (N,): who moves along its heading only; ``seen``: who is near each robot; ``body`` (N,) m the footprints' radii,
    ``hardest`` (N,) m/s² the robots' braking, ``reaction`` (N,) s how long a command lasts, latency included, ``curvature`` (N,) 1/m how
    tightly those that roll can turn; infinite for those that turn on the spot.
    """
    occupied = np.zeros((1, 1), bool) if walls is None else walls.grid.occupied
    result, changed = wish.copy(), np.zeros(len(wish), bool)
    _filter(
        len(robots), robots, rolls, wish, state.pose, state.velocity, seen.start, seen.index, seen.offset, body, hardest,
        params.braking, max_speed, max_turn_rate, curvature, occupied, *wall_clearance(walls), params.margin, params.latency,
        reaction, result, changed,
    )  # fmt: skip
    return result, changed


def wall_clearance(walls: Map | None) -> tuple[Float32Array, float, float, float]:
    """The clearance, the corner and the resolution of its grid; in open space it is the same, and great, everywhere."""
    if walls is None:
        return OPEN_SPACE, -1e9, -1e9, 1e9
    (x, y), resolution = walls.grid.origin, walls.grid.resolution
    return walls.clearance, float(x), float(y), float(resolution)


@njit(cache=True, inline="always")
def _stop(velocity, i, braking, latency):  # type: ignore[no-untyped-def]
    """Speed of robot i, and the way (x, y) on which it stops, world frame."""
    speed = np.hypot(velocity[i, 0], velocity[i, 1])
    time = latency + speed / (2.0 * braking)
    return speed, velocity[i, 0] * time, velocity[i, 1] * time


@njit(cache=True)
def _borders(  # type: ignore[no-untyped-def]
    i, reach, velocity, start, index, offset, body, hardest, share, latency, rolls, max_turn_rate, margin, normal, bound
):  # fmt: skip
    """Write the pairs of half-planes around robot i, as seen from its centre, that it could leave both within ``reach`` (m).

    ``normal[k, 0]``, ``bound[k, 0]`` between the stopping segments, ``normal[k, 1]``, ``bound[k, 1]`` behind a robot that recedes. Returns
    their number.
    """
    count, braking = 0, share * hardest[i]
    _, ix, iy = _stop(velocity, i, braking, latency)
    own = np.sqrt(ix**2 + iy**2)
    for k in range(start[i], start[i + 1]):
        j = index[k]
        bx, by = offset[k, 0], offset[k, 1]
        apart = max(np.sqrt(bx * bx + by * by), 1e-9)
        touch = body[i] + body[j] + margin
        speed, jx, jy = _stop(velocity, j, share * hardest[j], latency)
        if apart - touch > 2.0 * reach + own + np.sqrt(jx**2 + jy**2):
            continue
        s, t = closest(ix, iy, bx, by, jx, jy)
        cx, cy = s * ix, s * iy
        nx, ny = bx + t * jx - cx, by + t * jy - cy
        far = np.sqrt(nx * nx + ny * ny)
        mx, my = bx / apart, by / apart
        if far < 1e-9:
            nx, ny, far = mx, my, 1.0
        nx, ny = nx / far, ny / far
        room = nx * cx + ny * cy + 0.5 * max(far - touch, 0.0)
        receding = mx * velocity[j, 0] + my * velocity[j, 1]
        behind = -1e9
        if receding > 0.0 and apart > touch:
            weakest = hardest[j] + speed * max_turn_rate[j] if rolls[j] else hardest[j]
            behind = 0.5 * (apart - touch) + receding * receding / (2.0 * max(weakest, braking))
        if max(room, behind) < reach:
            normal[count, 0, 0], normal[count, 0, 1], bound[count, 0] = nx, ny, room
            normal[count, 1, 0], normal[count, 1, 1], bound[count, 1] = mx, my, behind
            count += 1
    return count


CORNERS = 0.5
"""A car, which cannot step aside, keeps this share of the margin past the corners of a slanting wall's squares."""

GIVE = 0.04
"""By so many cells in a period it may get nearer to such a wall by the interpolated clearance, which is not quite even."""


def _filter_loop(  # type: ignore[no-untyped-def]
    robots, rolls, wish, pose, velocity, start, index, offset, body, hardest, share, max_speed, max_turn_rate, curvature,
    occupied, clearance, x0, y0, resolution, margin, latency, reaction, result, changed,
):  # fmt: skip
    for block in prange((len(robots) + 63) // 64):
        most = 0
        for i in robots[64 * block : 64 * block + 64]:
            most = max(most, start[i + 1] - start[i])
        normal, bound, way, turned = np.empty((most, 2, 2)), np.empty((most, 2)), np.empty((WAY, 2)), np.empty((MORE, 2))
        for m in range(64 * block, min(64 * block + 64, len(robots))):
            i = robots[m]
            braking, period, heading = share * hardest[i], reaction[i], pose[i, 2]
            ux, uy, step = velocity[i, 0], velocity[i, 1], hardest[i] * period
            c, s = np.cos(heading), np.sin(heading)
            old = c * ux + s * uy if rolls[i] else np.sqrt(ux * ux + uy * uy)
            # one that rolls is never told to go faster than it wishes, one that glides may be
            wanted = np.sqrt(wish[i, 0] ** 2 + wish[i, 1] ** 2) if rolls[i] else max_speed[i]
            fastest = min(abs(old) + step, max(abs(old), wanted))
            reach = fastest * (period + latency) + fastest * fastest / (2.0 * braking)
            count = _borders(
                i, reach, velocity, start, index, offset, body, hardest, share, latency, rolls, max_turn_rate, margin, normal, bound
            )
            room, least, give = body[i] + margin, body[i] + margin, 1e-9
            if rolls[i] and np.isfinite(curvature[i]):
                least, give = body[i] + CORNERS * margin, GIVE * resolution
            walls = occupied, clearance, x0, y0, resolution, pose[i, 0], pose[i, 1], least, give
            own = (heading, old, ux, uy, braking, step, period, latency, curvature[i], max_speed[i], max_turn_rate[i], body[i])
            if rolls[i]:
                points = roll(wish[i, 0], wish[i, 2], own, way)
            else:
                parts = turns(wish[i, 2], own, turned)
                points = glide(c * wish[i, 0] - s * wish[i, 1], s * wish[i, 0] + c * wish[i, 1], turned, parts, own, way)
            if free_way(way, points, walls, room, normal, bound, count):
                continue
            changed[i] = True
            if rolls[i]:
                twist = roll_aside(wish[i], own, way, walls, room, normal, bound, count)
            else:
                twist = glide_aside(wish[i], turned, parts, own, way, walls, room, normal, bound, count)
            result[i, 0], result[i, 1], result[i, 2] = twist


_filter = Kernel(_filter_loop)
