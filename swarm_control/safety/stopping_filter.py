"""Stopping filter: it changes a command as little as needed so that the robot can always stop without touching anybody.

A robot at p with velocity v that is told to stop does so on the segment S from p to ``p + v·‖v‖/(2b)``: it can brake with b, straight on.
Of what is between two robots when they have stopped each may use half (``stopping_pairs.py``): robot i takes only commands after which, a
period later, it has its new segment S_i' and the way there within a half-plane; j does the same from its side. Nobody touches on the
way, and there is room between them again. Stopping is always allowed. Footprints are true ones; nothing is added for a control point.
The ways, and with them all that depends on the model, are in ``stopping_ways.py``; what is done instead of a wish is in
``stopping_aside.py``.

Walls are the squares of the map's occupied cells: the way and S_i' keep their room to them, or get no nearer.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, BoolArray, Float32Array, IntArray
from swarm_control.core.state import Map, Neighbourhoods, SwarmState
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.safety.stopping_aside import allowed, glide_aside, roll_aside, toward
from swarm_control.safety.stopping_pairs import borders
from swarm_control.safety.stopping_ways import WAY

OPEN_SPACE = np.full((1, 1), 1e12, np.float32)


def keep_stoppable(
    robots: IntArray, rolls: BoolArray, wish: Array, aside: Array, state: SwarmState, seen: Neighbourhoods, body: Array, hardest: Array,
    max_speed: Array, max_turn_rate: Array, curvature: Array, axle: Array, walls: Map | None, params: SeparationFilter, reaction: Array,
    unsure: Array,
) -> Array:  # fmt: skip
    """Return the twists (N, 3) that ``robots`` (indices) are given; others' are those ``aside``.

    Each is given its ``wish`` (N, 3) if that leaves it room to spare; else, of what lies between the twist ``aside`` (N, 3) and the wish,
    as much of the wish as does; and where not even ``aside`` is allowed, what is nearest to that.

    ``rolls`` (N,): who moves along its heading only; ``seen``: who is near each robot; ``body`` (N,) m the footprints' radii,
    ``hardest`` (N,) m/s² the robots' braking, ``reaction`` (N,) s how long a command lasts, latency included, ``curvature`` (N,) 1/m how
    tightly those that roll can turn; infinite for those that turn on the spot. ``axle`` (N,) m: half the distance between the wheels
    whose speed the way ahead and the turn share, or 0. ``unsure`` (N,) rad: by how much headings can be off.
    """
    occupied = np.zeros((1, 1), bool) if walls is None else walls.grid.occupied
    result = aside.copy()
    _filter(
        len(robots), robots, rolls, wish, aside, state.pose, state.velocity, seen.start, seen.index, seen.offset, body, hardest,
        params.braking, max_speed, max_turn_rate, curvature, axle, occupied, *wall_clearance(walls), params.margin, params.latency,
        reaction, unsure, result,
    )  # fmt: skip
    return result


def wall_clearance(walls: Map | None) -> tuple[Float32Array, float, float, float]:
    """The clearance, the corner and the resolution of its grid; in open space it is the same, and great, everywhere."""
    if walls is None:
        return OPEN_SPACE, -1e9, -1e9, 1e9
    (x, y), resolution = walls.grid.origin, walls.grid.resolution
    return walls.clearance, float(x), float(y), float(resolution)


CORNERS = 0.5
"""A car, which cannot step aside, keeps this share of the margin past the corners of a slanting wall's squares."""

GIVE = 0.04
"""By so many cells in a period it may get nearer to such a wall by the interpolated clearance, which is not quite even."""


def _filter_loop(  # type: ignore[no-untyped-def]
    robots, rolls, wish, aside, pose, velocity, start, index, offset, body, hardest, share, max_speed, max_turn_rate, curvature, axle,
    occupied, clearance, x0, y0, resolution, margin, latency, reaction, unsure, result,
):  # fmt: skip
    for block in prange((len(robots) + 63) // 64):
        most = 0
        for i in robots[64 * block : 64 * block + 64]:
            most = max(most, start[i + 1] - start[i])
        normal, bound, wished, way = np.empty((most, 2)), np.empty(most), np.empty(most), np.empty((WAY, 2))
        for m in range(64 * block, min(64 * block + 64, len(robots))):
            i = robots[m]
            braking, period, heading = share * hardest[i], reaction[i], pose[i, 2]
            ux, uy, step = velocity[i, 0], velocity[i, 1], hardest[i] * period
            old = np.cos(heading) * ux + np.sin(heading) * uy if rolls[i] else np.sqrt(ux * ux + uy * uy)
            # one that rolls is never told to go faster than it wishes, one that glides may be
            wanted = max(abs(wish[i, 0]), abs(aside[i, 0])) if rolls[i] else max_speed[i]
            fastest = min(abs(old) + step, max(abs(old), wanted))
            reach = fastest * (period + latency) + fastest * fastest / (2.0 * braking)
            count = borders(
                i, reach, velocity, start, index, offset, body, hardest, share, latency, reaction, rolls, max_turn_rate, margin, normal,
                bound, wished,
            )  # fmt: skip
            room, least, give = body[i] + margin, body[i] + margin, 1e-9
            if rolls[i] and np.isfinite(curvature[i]):
                least, give = body[i] + CORNERS * margin, GIVE * resolution
            walls = occupied, clearance, x0, y0, resolution, pose[i, 0], pose[i, 1], least, give
            own = (heading, old, ux, uy, braking, step, period, latency, curvature[i], max_speed[i], max_turn_rate[i], body[i], axle[i])
            speed = np.sqrt(ux * ux + uy * uy)
            sway = (unsure[i], velocity[i, 2], speed * (period + latency + speed / (2.0 * braking)))
            x, y, w = wish[i, 0], wish[i, 1], wish[i, 2]
            if allowed(x, y, w, rolls[i], own, sway, way, walls, room, normal, wished, count):
                twist = x, y, w
            elif allowed(aside[i, 0], aside[i, 1], aside[i, 2], rolls[i], own, sway, way, walls, room, normal, bound, count):
                twist = toward(wish[i], aside[i], rolls[i], own, sway, way, walls, room, normal, wished, count)
            elif rolls[i]:
                twist = roll_aside(aside[i], own, sway, way, walls, room, normal, bound, count)
            else:
                twist = glide_aside(aside[i], own, sway, way, walls, room, normal, bound, count)
            result[i, 0], result[i, 1], result[i, 2] = twist


_filter = Kernel(_filter_loop)
