"""How near two robots may get to each other in the next period, for the stopping filter.

Robot k, told to stop, gets as far as s_k from its centre. In direction u, with ``w = u·v_k``, it gets at least f_k(u): where w > 0 that is
``w² / (2·max(a_k + ‖v_k‖·ω_k, b))``, as it loses that speed no faster than by braking with its whole acceleration a_k and, if it rolls,
turning at ω_k (responsibility-sensitive safety, Shalev-Shwartz et al. 2017); b is the other's braking, which would else come to a place
before k has left it. Where w ≤ 0 it is ``u·s_k``, at most zero. For n, a unit vector from i to j, and d from i to j,

    slack(n) = n·d − r_i − r_j − margin + f_j(n) + f_i(−n)

is how far apart they come to rest along n at the worst. Both take an n along which they are apart now, too, and each may use half of the
slack. ``docs/safety.md`` says why they never touch then.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.safety.segments import closest

DIRECTIONS = 32
"""Where neither the nearest points of the segments nor the centres show a direction with slack, so many are tried to either side."""

SPARE = 0.4
"""Who does as it wishes leaves so large a share of its half of the slack, so that it is not stopped short a moment later."""


@njit(cache=True, inline="always")
def _stop(velocity, i, braking, latency):  # type: ignore[no-untyped-def]
    """Speed of robot i, and the way (x, y) on which it stops, world frame."""
    speed = np.hypot(velocity[i, 0], velocity[i, 1])
    time = latency + speed / (2.0 * braking)
    return speed, velocity[i, 0] * time, velocity[i, 1] * time


@njit(cache=True, inline="always")
def _surely(ux, uy, vx, vy, sx, sy, weakest):  # type: ignore[no-untyped-def]
    """How far (m) a robot with velocity v, which stops at s, gets in direction u at the worst: f above."""
    speed = ux * vx + uy * vy
    return speed * speed / (2.0 * weakest) if speed > 0.0 else ux * sx + uy * sy


@njit(cache=True, inline="always")
def _slack(nx, ny, pair):  # type: ignore[no-untyped-def]
    """Slack (m) of two robots along n, −∞ where they are not apart now, and how far the first one gets backwards."""
    bx, by, touch, vx, vy, sx, sy, weakest, other_vx, other_vy, other_sx, other_sy, other_weakest = pair
    back = _surely(-nx, -ny, vx, vy, sx, sy, weakest)
    apart = nx * bx + ny * by - touch
    slack = apart + _surely(nx, ny, other_vx, other_vy, other_sx, other_sy, other_weakest) + back
    return slack if apart >= 0.0 else -np.inf, back


@njit(cache=True, inline="always")
def _worth(nx, ny, slack, pair, time):  # type: ignore[no-untyped-def]
    """How far (m) apart two robots come to rest along n at the worst if both go on for ``time`` (s), each in its half."""
    _, _, _, vx, vy, _, _, _, other_vx, other_vy, _, _, _ = pair
    return slack - 2.0 * time * max(nx * vx + ny * vy, -nx * other_vx - ny * other_vy, 0.0)


@njit(cache=True)
def chosen(pair, time):  # type: ignore[no-untyped-def]
    """Direction (x, y) between two robots in which they have slack, if there is one, the slack (m), and how far the first one gets back.

    It is that between the centres or between the nearest points of the segments, whichever leaves most if both robots go on as they do
    for ``time`` (s); or if that is less than is to be spared, that between the segments lengthened by their way meanwhile. Where none has
    slack it is of many the one that has most.
    """
    bx, by, touch, vx, vy, sx, sy, _, other_vx, other_vy, other_sx, other_sy, _ = pair
    apart = max(np.sqrt(bx * bx + by * by), 1e-9)
    mx, my = bx / apart, by / apart
    most, back = _slack(mx, my, pair)
    best_x, best_y = mx, my
    if apart <= touch:
        return best_x, best_y, most, back
    worth = _worth(mx, my, most, pair, time)
    for lead in (0.0, time):
        if lead > 0.0 and worth >= SPARE * most >= 0.0:
            break
        ix, iy, jx, jy = sx + lead * vx, sy + lead * vy, other_sx + lead * other_vx, other_sy + lead * other_vy
        s, t = closest(ix, iy, bx, by, jx, jy)
        nx, ny = bx + t * jx - s * ix, by + t * jy - s * iy
        far = np.sqrt(nx * nx + ny * ny)
        if far > 1e-9:
            nx, ny = nx / far, ny / far
            slack, own = _slack(nx, ny, pair)
            value = _worth(nx, ny, slack, pair, time)
            if (value > worth and slack >= 0.0) or (slack > most and most < 0.0):
                best_x, best_y, most, back, worth = nx, ny, slack, own, value
    if most < 0.0:
        widest = np.arccos(touch / apart)
        for k in range(-DIRECTIONS, DIRECTIONS + 1):
            angle = widest * k / (DIRECTIONS + 1)
            c, s = np.cos(angle), np.sin(angle)
            nx, ny = c * mx - s * my, s * mx + c * my
            slack, own = _slack(nx, ny, pair)
            if slack > most:
                best_x, best_y, most, back = nx, ny, slack, own
    return best_x, best_y, most, back


@njit(cache=True)
def borders(  # type: ignore[no-untyped-def]
    i, reach, velocity, start, index, offset, body, hardest, share, latency, reaction, rolls, max_turn_rate, margin, normal, bound, wished
):  # fmt: skip
    """Write the half-planes around robot i, as seen from its centre, that it could leave within ``reach`` (m); return their number.

    ``normal[k]·x ≤ bound[k]`` is to hold wherever it comes nearer to the other again; below zero, where it is receding and has to go on.
    ``wished[k]``, which is no more, is the bound for who does just as it wishes. ``reaction`` (N,) s: how long commands last.
    """
    count, braking = 0, share * hardest[i]
    speed, ix, iy = _stop(velocity, i, braking, latency)
    own, strength = np.sqrt(ix**2 + iy**2), hardest[i] + speed * max_turn_rate[i] if rolls[i] else hardest[i]
    for k in range(start[i], start[i + 1]):
        j = index[k]
        bx, by = offset[k, 0], offset[k, 1]
        touch = body[i] + body[j] + margin
        speed, jx, jy = _stop(velocity, j, share * hardest[j], latency)
        if np.sqrt(bx * bx + by * by) - touch > 2.0 * reach + own + np.sqrt(jx**2 + jy**2):
            continue
        weakest = hardest[j] + speed * max_turn_rate[j] if rolls[j] else hardest[j]
        one = velocity[i, 0], velocity[i, 1], ix, iy, max(strength, share * hardest[j])
        other = velocity[j, 0], velocity[j, 1], jx, jy, max(weakest, braking)
        nx, ny, slack, back = chosen((bx, by, touch, *one, *other), max(reaction[i], reaction[j]))
        # with no room left between them as far as is known, no nearer at all: what is not known would let them on a little in every period
        room = 0.5 * max(slack, 0.0) - back if slack > -np.inf else min(-back, 0.0)
        least = room - 0.5 * SPARE * slack if slack >= 0.0 else -np.inf
        if least < reach:
            normal[count, 0], normal[count, 1], bound[count], wished[count] = nx, ny, room, least
            count += 1
    return count
