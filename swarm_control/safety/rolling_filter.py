"""Separation filter of robots that roll: it changes a twist as little as needed so that the robot can always stop without touching anybody.

A robot at p with heading θ and speed v that is told to stop does so on the segment S from p to ``p + v²/(2a)·(cos θ, sin θ)``: it can
brake and need not turn. Let c_i, c_j be the points of the segments S_i, S_j of two robots that are nearest to each other, n the
direction from c_i to c_j, and ``gap = ‖c_j − c_i‖ − r_i − r_j − margin``. Robot i takes only twists after which, a period later, it
has its new segment S_i' and the way there within ``n·(x − c_i) ≤ gap/2``; j does the same from its side. The two half-planes are
``r_i + r_j + margin`` apart, so nobody touches on the way, and S_i', S_j' are as far apart: the same holds a period later. Stopping is
always allowed, as S_i lies within ``n·(x − c_i) ≤ 0`` (c_i is the point of a convex set nearest to another one). Footprints are true
ones; nothing is added for a control point.

Of a robot that recedes i may count on the least way that it still makes (responsibility-sensitive safety, Shalev-Shwartz et al. 2017): a
twist is allowed as well if the way and S_i' keep within ``n·(x − p_i) ≤ gap/2 + w²/(2·(a_j + v_j·ω_j))``, with n and gap between the
centres and w = n·v_j: it can lose w no faster than by braking with a_j and turning with ω_j at once.

Walls: the way and S_i' keep their room to them, or get no nearer.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import read_scalar
from swarm_control.core.state import Map, Neighbourhoods, SwarmState
from swarm_control.safety.separation_filter import SeparationFilter

SPEEDS = 8
"""So many lower speeds are tried where the wish is not allowed."""

TURNS = 6
"""So many turn rates to either side of the wish's are tried at each speed."""


def keep_apart_rolling(
    robots: IntArray, wish: Array, state: SwarmState, seen: Neighbourhoods, body: Array, hardest: Array, max_turn_rate: Array,
    curvature: Array, walls: Map | None, params: SeparationFilter, reaction: Array,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Return the allowed twists nearest to ``wish`` (N, 3) of ``robots`` (indices), and which were changed (N,); others' are left.

    ``seen``: who is near each robot; ``body`` (N,) m the footprints' radii, ``hardest`` (N,) m/s² the robots' braking, ``reaction``
    (N,) s how long a command lasts, ``curvature`` (N,) 1/m how tightly they can turn; infinite for those that turn on the spot.
    """
    clearance = np.full((2, 2), 1e6, np.float32) if walls is None else walls.clearance
    grid = (-1e9, -1e9, 1e9) if walls is None else (*walls.grid.origin, walls.grid.resolution)
    braking = params.braking * hardest
    speed = np.hypot(state.velocity[:, 0], state.velocity[:, 1])
    stop = state.velocity[:, :2] * (speed / (2.0 * braking))[:, None]
    result, changed = wish.copy(), np.zeros(len(wish), bool)
    most = int(seen.count.max(initial=0)) + 1
    _filter(
        len(robots), robots, most, wish, state.pose, state.velocity, stop, seen.start, seen.index, seen.offset, body, hardest,
        params.braking, max_turn_rate, curvature, clearance, *map(float, grid), params.margin, reaction, result, changed,
    )  # fmt: skip
    return result, changed


@njit(cache=True)
def closest(ax, ay, bx, by, ux, uy):  # type: ignore[no-untyped-def]
    """Nearest points of the segments from (0, 0) to (ax, ay) and from (bx, by) to (bx + ux, by + uy): shares of the way along each."""
    aa, uu, au = ax * ax + ay * ay, ux * ux + uy * uy, ax * ux + ay * uy
    ab, ub = ax * bx + ay * by, ux * bx + uy * by
    det = aa * uu - au * au
    s = min(max((ab * uu - ub * au) / det, 0.0), 1.0) if det > 1e-18 else 0.0
    t = (s * au - ub) / uu if uu > 1e-18 else 0.0
    t = min(max(t, 0.0), 1.0)
    s = min(max((ab + t * au) / aa, 0.0), 1.0) if aa > 1e-18 else 0.0
    if uu > 1e-18:
        t = min(max((s * au - ub) / uu, 0.0), 1.0)
    return s, t


@njit(cache=True)
def _borders(i, reach, velocity, stop, start, index, offset, body, hardest, max_turn_rate, margin, normal, bound):  # type: ignore[no-untyped-def]
    """Write the pairs of half-planes around robot i, as seen from its centre, that it could leave both within ``reach`` (m).

    ``normal[k, 0]``, ``bound[k, 0]`` between the stopping segments, ``normal[k, 1]``, ``bound[k, 1]`` behind a robot that recedes. Returns
    their number.
    """
    count = 0
    for k in range(start[i], start[i + 1]):
        j = index[k]
        bx, by = offset[k, 0], offset[k, 1]
        s, t = closest(stop[i, 0], stop[i, 1], bx, by, stop[j, 0], stop[j, 1])
        cx, cy = s * stop[i, 0], s * stop[i, 1]
        nx, ny = bx + t * stop[j, 0] - cx, by + t * stop[j, 1] - cy
        far, apart = np.sqrt(nx * nx + ny * ny), max(np.sqrt(bx * bx + by * by), 1e-9)
        touch = body[i] + body[j] + margin
        mx, my = bx / apart, by / apart
        if far < 1e-9:
            nx, ny, far = mx, my, 1.0
        nx, ny = nx / far, ny / far
        room = nx * cx + ny * cy + 0.5 * max(far - touch, 0.0)
        receding = mx * velocity[j, 0] + my * velocity[j, 1]
        behind = -1e9
        if receding > 0.0 and apart > touch:
            speed = np.sqrt(velocity[j, 0] ** 2 + velocity[j, 1] ** 2)
            behind = 0.5 * (apart - touch) + receding * receding / (2.0 * (hardest[j] + speed * max_turn_rate[j]))
        if max(room, behind) < reach:
            normal[count, 0, 0], normal[count, 0, 1], bound[count, 0] = nx, ny, room
            normal[count, 1, 0], normal[count, 1, 1], bound[count, 1] = mx, my, behind
            count += 1
    return count


@njit(cache=True, inline="always")
def _within(normal, bound, x, y, ex, ey):  # type: ignore[no-untyped-def]
    """Whether both points lie in a half-plane."""
    most = bound + 1e-9
    return normal[0] * x + normal[1] * y <= most and normal[0] * ex + normal[1] * ey <= most


@njit(cache=True)
def _allowed(i, v, w, speed, pose, braking, step, period, curvature, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Whether robot i, told to go at ``v`` and turn at ``w``, keeps within its half-planes and off the walls until it has stopped."""
    gone = speed + min(max(v - speed, -step), step)
    tightest = curvature * abs(gone) if np.isfinite(curvature) else abs(w)
    turn = min(max(w, -tightest), tightest) * period
    half = 0.5 * turn
    heading = pose[i, 2]
    # what slows down is faster on the way than in the end
    mean = np.sign(gone if gone != 0.0 else speed) * max(abs(gone), 0.5 * abs(speed + gone))
    chord = mean * period * (np.sin(half) / half if abs(half) > 1e-6 else 1.0)
    x, y = chord * np.cos(heading + half), chord * np.sin(heading + half)
    rest = gone * abs(gone) / (2.0 * braking)
    ex, ey = x + rest * np.cos(heading + turn), y + rest * np.sin(heading + turn)
    for k in range(count):
        free = _within(normal[k, 0], bound[k, 0], x, y, ex, ey)
        if not (free or _within(normal[k, 1], bound[k, 1], x, y, ex, ey)):
            return False
    clearance, x0, y0, h = walls
    px, py = pose[i, 0], pose[i, 1]
    here = read_scalar(clearance, x0, y0, h, px, py)
    length = abs(mean) * period + abs(rest)
    if here - room < length + 1e-9:
        need = min(room, here - 1e-9)
        points = min(int(length / (0.5 * h)) + 1, 64)
        for k in range(1, points + 1):
            s = k / points * length
            way = abs(mean) * period
            if s <= way:
                part = s / max(way, 1e-12)
                qx, qy = part * x, part * y
            else:
                part = (s - way) / max(abs(rest), 1e-12)
                qx, qy = x + part * (ex - x), y + part * (ey - y)
            if read_scalar(clearance, x0, y0, h, px + qx, py + qy) < need:
                return False
    return True


def _filter_loop(  # type: ignore[no-untyped-def]
    robots, most, wish, pose, velocity, stop, start, index, offset, body, hardest, share, max_turn_rate, curvature, clearance, x0, y0,
    resolution, margin, reaction, result, changed,
):  # fmt: skip
    for block in prange((len(robots) + 63) // 64):
        normal, bound = np.empty((most, 2, 2)), np.empty((most, 2))
        for m in range(64 * block, min(64 * block + 64, len(robots))):
            i = robots[m]
            braking, period = share * hardest[i], reaction[i]
            speed = np.cos(pose[i, 2]) * velocity[i, 0] + np.sin(pose[i, 2]) * velocity[i, 1]
            step, v, w = hardest[i] * period, wish[i, 0], wish[i, 2]
            fastest = min(abs(speed) + step, max(abs(speed), abs(v)))
            reach = fastest * period + fastest * fastest / (2.0 * braking)
            count = _borders(
                i, reach, velocity, stop, start, index, offset, body, hardest, max_turn_rate, margin, normal, bound
            )
            walls, room = (clearance, x0, y0, resolution), body[i] + margin
            if _allowed(i, v, w, speed, pose, braking, step, period, curvature[i], walls, room, normal, bound, count):
                continue
            changed[i] = True
            best, best_v, best_w = 1e300, 0.0, 0.0
            for a in range(SPEEDS + 1):
                slower = v * (1.0 - a / SPEEDS)
                for b in range(-TURNS, TURNS + 1):
                    turn = w + b * max_turn_rate[i] / TURNS
                    turn = min(max(turn, -max_turn_rate[i]), max_turn_rate[i])
                    cost = (v - slower) ** 2 + (body[i] * (w - turn)) ** 2
                    if cost < best and _allowed(
                        i, slower, turn, speed, pose, braking, step, period, curvature[i], walls, room, normal, bound, count
                    ):
                        best, best_v, best_w = cost, slower, turn
            result[i, 0], result[i, 1], result[i, 2] = best_v, 0.0, best_w


_filter = Kernel(_filter_loop)
