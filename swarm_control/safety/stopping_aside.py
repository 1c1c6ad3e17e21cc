"""Which command the stopping filter gives where what is wished is not allowed: of some that are tried the nearest one that is."""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.safety.stopping_ways import free_way, glide, lean, roll, turns

SPEEDS, TURNS = 8, 6
"""Where a robot that rolls may not do what it wishes, so many lower speeds are tried, and turn rates to either side at each."""

KEEN = 1.2
"""To turn counts so many times as much as to go on for one that has to go to turn: it would rather back off than stand."""

COURSES = 32
"""So many directions are tried in which a robot that glides can change its velocity, each by quarters of what a period allows."""

HALVINGS = 8
"""So often the step from the best of these towards the wish is halved."""

NEARER = 5
"""So often what lies between the command that turns a robot aside and its wish is halved."""


@njit(cache=True)
def allowed(v, y, w, rolls, own, sway, way, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Whether a twist (``v``, ``y``, ``w``), in the robot's frame, is allowed: the way that it leads to keeps to all bounds."""
    if not np.isfinite(v + y + w):
        return False
    if rolls:
        points = roll(v, w, own, way)
    else:
        c, s = np.cos(own[0]), np.sin(own[0])
        points = glide(c * v - s * y, s * v + c * y, turns(w, own), own, way)
    return free_way(way, points, lean(w, own, sway), sway, walls, room, normal, bound, count)


@njit(cache=True)
def toward(wish, aside, rolls, own, sway, way, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Twist between ``aside`` (3,) and the ``wish`` (3,), which is not allowed, as near to the wish as is; ``aside`` if none is."""
    low, high, x, y, w = 0.0, 1.0, wish[0] - aside[0], wish[1] - aside[1], wish[2] - aside[2]
    for _ in range(NEARER):
        share = 0.5 * (low + high)
        vx, vy, rate = aside[0] + share * x, aside[1] + share * y, aside[2] + share * w
        if allowed(vx, vy, rate, rolls, own, sway, way, walls, room, normal, bound, count):
            low = share
        else:
            high = share
    if low == 0.0:  # of a wish that is no number nothing is added
        return aside[0], aside[1], aside[2]
    return aside[0] + low * x, aside[1] + low * y, aside[2] + low * w


@njit(cache=True)
def roll_aside(wish, own, sway, way, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Twist nearest to the ``wish`` (3,) of a robot that rolls, of lower speeds and of turn rates to both sides, that is allowed.

    One that cannot turn while it stands may back off instead: it turns as well that way.
    """
    _, speed, _, _, _, step, _, _, curvature, top_speed, top_rate, radius, axle = own
    v, w = wish[0], wish[2]
    turns, back = np.isfinite(curvature), 0
    if turns:
        radius, back = KEEN / curvature, SPEEDS
    else:  # to turn as it stands is no worse than to stand
        radius = min(radius, 0.3 * abs(v) / top_rate)
    best, best_v, best_w = 1e300, 0.0, 0.0
    for a in range(SPEEDS + 1 + back):
        slower = v * (1.0 - a / SPEEDS)
        fastest = min(top_rate, max(top_speed - abs(slower), 0.0) / axle) if axle > 0.0 else top_rate
        for b in range(-TURNS, TURNS + 1):
            turn = min(max(w + b * top_rate / TURNS, -fastest), fastest)
            if turns:
                gone = abs(speed + min(max(slower - speed, -step), step))
                turn = min(max(turn, -curvature * gone), curvature * gone)
            cost = (v - slower) ** 2 + (radius * (w - turn)) ** 2
            if cost < best and free_way(way, roll(slower, turn, own, way), lean(turn, own, sway), sway, walls, room, normal, bound, count):
                best, best_v, best_w = cost, slower, turn
    return best_v, 0.0, best_w


@njit(cache=True)
def glide_aside(wish, own, sway, way, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Twist nearest to the ``wish`` (3,) of a robot that glides, of those that it can reach in a period, that is allowed.

    Of two that are as near the one to the right is taken.
    """
    heading, _, ux, uy, _, step, _, _, _, top, _, _, _ = own
    c, s, w, off = np.cos(heading), np.sin(heading), wish[2], lean(wish[2], own, sway)
    turning = turns(w, own)
    x, y = c * wish[0] - s * wish[1], s * wish[0] + c * wish[1]
    ahead, best, best_x, best_y = np.arctan2(y - uy, x - ux), 1e300, 0.0, 0.0
    for k in range(COURSES):
        course = ahead + 2.0 * np.pi / COURSES * ((k + 1) // 2) * (1.0 if k % 2 == 0 else -1.0)
        along_x, along_y = np.cos(course), np.sin(course)
        for a in range(1, 5):
            vx, vy = ux + a * step / 4.0 * along_x, uy + a * step / 4.0 * along_y
            cost = (vx - x) ** 2 + (vy - y) ** 2
            better = cost < best - 1e-12 and vx * vx + vy * vy <= top * top + 1e-12
            if better and free_way(way, glide(vx, vy, turning, own, way), off, sway, walls, room, normal, bound, count):
                best, best_x, best_y = cost, vx, vy
    if best > 1e299:
        return 0.0, 0.0, 0.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (low + high)
        vx, vy = best_x + share * (x - best_x), best_y + share * (y - best_y)
        if free_way(way, glide(vx, vy, turning, own, way), off, sway, walls, room, normal, bound, count):
            low = share
        else:
            high = share
    vx, vy = best_x + low * (x - best_x), best_y + low * (y - best_y)
    return c * vx + s * vy, c * vy - s * vx, w
