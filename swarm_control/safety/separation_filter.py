"""Separation filter: the last step before the limits, it changes a velocity as little as needed so that nobody collides.

Every robot keeps its velocity inside half-planes ``n·v ≤ b``, one for each near robot and one for the nearest wall, n pointing at
it. ``b`` is the speed from which the robot can still stop: after one period T at speed s it must be able to brake at a, so
``s·T + s²/(2a) ≤ gap``. Between two robots each may use half the gap, plus, while the other is receding, the least way that the
other still makes when it brakes as hard as it can (Shalev-Shwartz et al. 2017, responsibility-sensitive safety). As b ≥ 0, standing
still is always allowed, and two robots that obey cannot touch. a is a share of what a robot can brake with; it needs the rest for
turning, as the half-planes turn with the way past each other. The nearest allowed velocity is found exactly: it is the wish, its
projection on a border, or a corner. Finally speed is cut to what the free way ahead allows, for corners between walls. A robot
that is nearer to a wall than it should be is driven off it: there b is negative.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.fields import clearance_of
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.grid import BETWEEN, read_scalar, wall_distance, way_length
from swarm_control.core.half_planes import nearest_allowed
from swarm_control.core.parameters import param
from swarm_control.core.perception import border
from swarm_control.core.state import Map, Neighbourhoods

SIGMAS = 3.0
"""Room for so many standard deviations of what is measured is kept around each robot."""

OFF_WALLS = 0.1
"""Robots that the stopping filter looks after are turned off walls by so much of the margin earlier: along a wall, not into it."""

FREE_FLOOR = np.zeros((1, 1), bool)
FREE = 1e-9
"""Who is so much (m) farther away than it takes to stop is not in the way, for all that numbers are rounded."""


@dataclass(frozen=True)
class SeparationFilter:
    """Parameters of the separation filter."""

    enabled: bool = param(False, "whether velocities are filtered")
    margin: float = param(0.02, "room to keep between footprints, and to walls", unit="m", low=0.0, high=10.0)
    braking: float = param(0.5, "share of the maximum acceleration counted on for braking; the rest is for turning", low=0.05, high=0.7)
    noise: float = param(
        0.0, "standard deviation of measured positions; three times what smoothing leaves of it is kept free; the simulator's, if more",
        unit="m", low=0.0, high=10.0,
    )  # fmt: skip
    noise_heading: float = param(0.0, "the same of measured headings", unit="deg", low=0.0, high=180.0)
    noise_velocity: float = param(0.0, "the same of measured velocities", unit="m/s", low=0.0, high=10.0)
    latency: float = param(
        0.0, "longest time for which a robot goes on with an older command; the simulator's asynchrony, if more",
        unit="s", low=0.0, high=10.0,
    )  # fmt: skip
    radius: float = param(1.0, "robots within this are considered", unit="m", low=0.05, high=100.0)

    @cached_property
    def exact(self) -> bool:
        """Whether what is measured is taken to be right, and commands to be obeyed at once."""
        return self.noise == self.noise_heading == self.noise_velocity == self.latency == 0.0

    @property
    def room(self) -> float:
        """What plans must leave between footprints, and to walls, m, so that robots are not turned aside on their way."""
        return (1.0 + OFF_WALLS) * self.margin + 2.0 * SIGMAS * self.noise if self.enabled else 0.0


UNFILTERED = SeparationFilter()
"""No filter: robots do what they are told."""


def keep_apart(
    desired: Array, velocity: Array, position: Array, seen: Neighbourhoods, body: Array, braking: Array, map: Map | None,
    params: SeparationFilter, reaction: Array, brakes: BoolArray,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Return the allowed velocities nearest to ``desired`` (N, 2), and which were changed (N,); all in the world frame.

    ``velocity`` (N, 2) m/s and ``position`` (N, 2) m are the present ones, ``seen`` who is near (offsets between these positions), of whom
    those within ``params.radius`` count, ``body`` (N,) m the radius of each footprint, ``braking`` (N,) m/s² what each robot can brake
    with at most, and ``reaction`` (N,) s how long each goes on with a velocity before it can brake. ``brakes`` (N,): whose speed is also
    cut to the free way ahead; not that of robots that the stopping filter looks after.
    """
    n = len(desired)
    allowed, changed = np.empty((n, 2)), np.empty(n, bool)
    near = (seen.start, seen.index, seen.offset, seen.distance, border(params.radius))
    _filter(
        n, desired, velocity, position, near, body, braking, params.braking, *clearance_of(map),
        FREE_FLOOR if map is None else map.grid.occupied, params.margin, reaction, brakes, allowed, changed,
    )  # fmt: skip
    return allowed, changed


@njit(cache=True, inline="always")
def stopping_speed(gap: float, braking: float, period: float) -> float:
    """Largest s with ``s·T + s²/(2a) ≤ gap``; zero when there is no gap."""
    if gap <= 0.0:
        return 0.0
    return float(-braking * period + np.sqrt(braking * braking * period * period + 2.0 * braking * gap))


@njit(cache=True, inline="always")
def _half_planes(  # type: ignore[no-untyped-def]
    i, top, velocity, position, seen, body, widest, hardest, braking, walls, room, margin, period, normal, bound
):  # fmt: skip
    """Write the half-planes that a velocity of ``top`` (m/s) could leave, for robot i with ``room`` (m) to walls; return their number."""
    count = 0
    start, index, offset, distance, square = seen
    clear = 2.0 * top * (period + top / (2.0 * braking)) + body[i] + widest + margin + FREE
    for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
        if distance[k] > clear or offset[k, 0] * offset[k, 0] + offset[k, 1] * offset[k, 1] > square:
            continue
        j, d = index[k], max(distance[k], 1e-9)
        gap = d - body[i] - body[j] - margin
        nx, ny = offset[k, 0] / d, offset[k, 1] / d
        receding = max(nx * velocity[j, 0] + ny * velocity[j, 1], 0.0)
        s = stopping_speed(0.5 * gap + 0.5 * receding * receding / max(hardest[j], braking), braking, period)
        if s < top:
            normal[count, 0], normal[count, 1], bound[count] = nx, ny, s
            count += 1
    s = stopping_speed(abs(room), braking, period) * np.sign(room)
    if s < top:
        clearance, x0, y0, h, occupied = walls
        px, py = position[i, 0], position[i, 1]
        gx = read_scalar(clearance, x0, y0, h, px - h, py) - read_scalar(clearance, x0, y0, h, px + h, py)
        gy = read_scalar(clearance, x0, y0, h, px, py - h) - read_scalar(clearance, x0, y0, h, px, py + h)
        length = np.sqrt(gx * gx + gy * gy)
        if length < BETWEEN * 2.0 * h:  # as between_walls has it
            here = read_scalar(clearance, x0, y0, h, px, py)
            room = max(room, room - here + wall_distance(occupied, x0, y0, h, px, py, here + h))
            s = stopping_speed(abs(room), braking, period) * np.sign(room)
        if length > 1e-6 and s < top:
            normal[count, 0], normal[count, 1], bound[count] = gx / length, gy / length, s
            count += 1
    return count


def _filter_loop(  # type: ignore[no-untyped-def]
    desired, velocity, position, seen, body, hardest, share, clearance, x0, y0, resolution, occupied, margin, reaction, brakes, allowed,
    changed,
):  # fmt: skip
    """Robots are taken 64 at a time, which share the memory for their half-planes."""
    n, start, widest = len(desired), seen[0], 0.0
    for i in range(n):
        widest = max(widest, body[i])
    for block in prange((n + 63) // 64):
        first, most = 64 * block, 1
        last = min(first + 64, n)
        for i in range(first, last):
            most = max(most, start[i + 1] - start[i] + 1)
        normal, bound = np.empty((most, 2)), np.empty(most)
        for i in range(first, last):
            braking, period = share * hardest[i], reaction[i]
            x, y, px, py = desired[i, 0], desired[i, 1], position[i, 0], position[i, 1]
            here = read_scalar(clearance, x0, y0, resolution, px, py)
            room = here - body[i] - margin
            aside = room if brakes[i] else room - OFF_WALLS * margin
            count = _half_planes(
                i, np.sqrt(x * x + y * y), velocity, position, seen, body, widest, hardest, braking,
                (clearance, x0, y0, resolution, occupied), aside, margin, period, normal, bound,
            )  # fmt: skip
            if count > 0:
                x, y = nearest_allowed(desired[i], normal, bound, count)
            speed = np.sqrt(x * x + y * y)
            full = speed * period + speed * speed / (2.0 * braking)
            if brakes[i] and full > max(room, 1e-9):
                way = way_length(clearance, x0, y0, resolution, px, py, x / speed, y / speed, here, body[i] + margin, full)
                if way < full:
                    scale = stopping_speed(way, braking, period) / speed
                    x, y = x * scale, y * scale
            allowed[i, 0], allowed[i, 1] = x, y
            changed[i] = max(abs(x - desired[i, 0]), abs(y - desired[i, 1])) > 1e-9


_filter = Kernel(_filter_loop)
