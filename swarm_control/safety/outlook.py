"""How far robots have to look around before the stopping filter is asked: by most nobody is so near that it matters how they stop."""

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import sure_room
from swarm_control.core.state import Map, Neighbourhoods, SwarmState
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.safety.stopping_filter import wall_clearance
from swarm_control.safety.stopping_pairs import SPARE

MAY_USE = 0.5 * (1.0 - SPARE)
"""Who does as it wishes may use so large a share of the slack between it and another."""

SURE = 1e-9
"""What is so much (m) farther away than it need be does not matter, for all that numbers are rounded."""


def outlook(
    robots: IntArray, wish: Array, aside: Array, state: SwarmState, seen: Neighbourhoods, body: Array, hardest: Array, max_speed: Array,
    walls: Map | None, params: SeparationFilter, reaction: Array,
) -> Array:  # fmt: skip
    """How far (m) each of the ``robots`` has to look for who matters to how it goes and stops; 0: nothing is so near, it may as it wishes.

    ``seen``: who is around each robot, within ``seen.within``; the rest is as in :func:`~.stopping_filter.keep_stoppable`.
    """
    far = np.empty(len(robots))
    _outlook(
        len(robots), robots, wish, aside, state.pose, state.velocity, seen.start, seen.index, seen.distance, seen.within, body, hardest,
        max_speed, params.braking, *wall_clearance(walls), params.margin, params.latency, reaction, far,
    )  # fmt: skip
    return far


def _outlook_loop(  # type: ignore[no-untyped-def]
    robots, wish, aside, pose, velocity, start, index, distance, within, body, hardest, max_speed, share, clearance, x0, y0, resolution,
    margin, latency, reaction, far,
):  # fmt: skip
    """A way is no longer than the faster of what is and what is wished makes it. Half-planes of pairs leave a robot its share of what is
    between their stopping segments at least, and these are no nearer to each other than the centres without the segments' lengths.
    """
    reach = np.empty(len(body))
    for j in range(len(body)):
        speed = np.sqrt(velocity[j, 0] ** 2 + velocity[j, 1] ** 2)
        reach[j] = speed * (latency + speed / (2.0 * share * hardest[j])) + body[j]
    farthest = reach.max()
    for m in prange(len(robots)):
        i = robots[m]
        braking, period = share * hardest[i], reaction[i] + latency
        speed = np.sqrt(velocity[i, 0] ** 2 + velocity[i, 1] ** 2)
        wanted = np.sqrt(max(wish[i, 0] ** 2 + wish[i, 1] ** 2, aside[i, 0] ** 2 + aside[i, 1] ** 2))
        top = speed if speed > wanted else wanted
        way, own = top * (period + top / (2.0 * braking)) + SURE, reach[i] + margin
        clear = way / MAY_USE + own
        free = clear + farthest < within and np.isfinite(wish[i, 0] + wish[i, 1] + wish[i, 2])
        for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            if not distance[k] > clear + farthest and not distance[k] > clear + reach[index[k]]:
                free = False
                break
        if free and sure_room(clearance, x0, y0, resolution, pose[i, 0], pose[i, 1]) >= body[i] + margin + way:
            far[m] = 0.0
            continue
        fastest = speed + hardest[i] * reaction[i]
        if top <= max_speed[i]:
            fastest = min(fastest, max_speed[i])
        far[m] = fastest / MAY_USE * (period + fastest / (2.0 * braking)) + own + farthest + SURE


_outlook = Kernel(_outlook_loop)
