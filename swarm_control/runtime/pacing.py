"""How fast a planned way may be gone so that the separation filter lets all robots pass: slower where they are near each other or walls.

The filter bounds a robot's speed by what it can still stop within. A plan that is quicker is held up by it, here one robot and there
another, and the plan waits for each. So the plan's clock goes at the rate u at which nobody is held up. With v a robot's velocity on the
plan, n the direction to another one, g the gap between their footprints beyond the margin, b the braking that the filter counts on, T the
period, and w = max(n·v_j, 0) with which the other recedes and can brake with a_j at most:

    u·(n·v)·T + u²·((n·v)²/2b − w²/2a_j) ≤ g/2.

Towards a wall, and straight on to the next one, ``u·s·T + u²·s²/2b`` must not exceed the way that is free, s being the speed that way.
The rate changes no quicker than robots brake: ``|d(u²)/dτ| ≤ 2·min(a/‖v‖)``, τ the plan's own time.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.fields import clearance_of
from swarm_control.core.following import Field
from swarm_control.core.geometry import Array, norm
from swarm_control.core.grid import read_scalar, way_length
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Drive
from swarm_control.formation.timetable import Timetable
from swarm_control.safety.separation_filter import OFF_WALLS, SIGMAS, SeparationFilter

SAMPLE = 0.05
"""The plan is looked at so often, s."""

SLOWEST = 0.05
"""The plan goes on at this rate at least: it is the filter's to say how a robot gets through where there is no room at all."""

SHARE = 0.9
"""Share of the rate that the filter would just allow."""

BRAKING = 0.5
"""Share of the robots' acceleration for changes of the rate."""


def paced(schedule: Timetable, fleet: Fleet, map: Map | None, params: SeparationFilter, period: float) -> Timetable:
    """The same places as in ``schedule``, at times at which the separation filter, if it is enabled, need not intervene.

    The ``fleet``'s rows are the schedule's columns.
    """
    if not params.enabled or schedule.duration == 0.0:
        return schedule
    count = max(int(np.ceil(schedule.duration / SAMPLE)), 1)
    time = np.linspace(0.0, schedule.duration, count + 1)
    place = schedule.sampled(time)
    step = time[1] - time[0]
    velocity = np.diff(place, axis=0) / step
    body = fleet.radius + SIGMAS * params.noise
    rate = rates(place[:-1], velocity, body, fleet.max_acceleration, params, period, clearance_of(map))
    quickest = (norm(velocity) / (BRAKING * fleet.max_acceleration)).max(axis=1)
    square = _eased(np.maximum(SHARE * rate, SLOWEST) ** 2 * (rate < 1.0) + (rate >= 1.0), 2.0 * step / np.maximum(quickest, 1e-9))
    # a rate is held at the middle of a sample's interval; the plan's own time there passes by its mean with its neighbours'
    return Timetable(np.concatenate(([0.0], np.cumsum(step / np.sqrt(square)))), place)


def rates(
    place: Array, velocity: Array, body: Array, hardest: Array, params: SeparationFilter, period: float,
    clearance: tuple[Field, float, float, float],
) -> Array:  # fmt: skip
    """The rates (K,), at most 1, at which nobody is held up (module docstring) at ``place`` (K, N, 2) m with ``velocity`` (K, N, 2) m/s.

    ``body`` (N,) m: robots' radii; ``hardest`` (N,) m/s²: as they brake at most; ``clearance``: a map's, with its origin and resolution.
    """
    rate: Array = np.ones(len(velocity))
    along = int(np.ptp(place[..., 1]) > np.ptp(place[..., 0]))
    order = np.argsort(place[..., along], axis=1)
    _rates(len(rate), place, velocity, order, along, body, hardest, params.braking, params.margin, period, *clearance, rate)
    return rate


def following_gap(fleet: Fleet, drive: Drive, params: SeparationFilter, period: float) -> float:
    """The gap (m) beyond the margin at which the filter lets the slowest robot follow another one as fast as the structure may go."""
    if not params.enabled:
        return 0.0
    speed = min(drive.speed_share * float(fleet.max_speed.min()), drive.max_speed)
    brake = float(fleet.max_acceleration.min())
    return 2.0 * (speed * period + speed**2 / (2.0 * params.braking * brake) - speed**2 / (2.0 * brake))


@njit(cache=True)
def _eased(square, most):  # type: ignore[no-untyped-def]
    """``square`` (K,), lowered until neighbours differ by at most ``most`` (K,)."""
    result = square.copy()
    for k in range(1, len(result)):
        result[k] = min(result[k], result[k - 1] + most[k])
    for k in range(len(result) - 2, -1, -1):
        result[k] = min(result[k], result[k + 1] + most[k])
    return result


@njit(cache=True, inline="always")
def _root(half, full, gap):  # type: ignore[no-untyped-def]
    """Largest u ≤ 1 with ``half·u + full·u² ≤ gap``."""
    if half + full <= gap:
        return 1.0
    if gap <= 0.0:
        return 0.0
    if full <= 1e-12:
        return gap / half
    return (-half + np.sqrt(half * half + 4.0 * full * gap)) / (2.0 * full)


def _rates_loop(  # type: ignore[no-untyped-def]
    place, velocity, order, along, body, hardest, share, margin, period, clearance, x0, y0, resolution, rate
):  # fmt: skip
    """``order`` (K, N): the robots by their coordinate ``along`` (0 or 1), so that a robot's neighbours are next to it."""
    robots, widest = len(body), body.max()
    for k in prange(len(rate)):
        least = 1.0
        for rank in range(robots):
            i = order[k, rank]
            px, py, vx, vy = place[k, i, 0], place[k, i, 1], velocity[k, i, 0], velocity[k, i, 1]
            speed, braking = np.sqrt(vx * vx + vy * vy), share * hardest[i]
            if speed < 1e-6:
                continue
            reach = 2.0 * (speed * period + speed * speed / (2.0 * braking)) + body[i] + margin
            for side in (-1, 1):
                other = rank + side
                while 0 <= other < robots:
                    j = order[k, other]
                    other += side
                    dx, dy = place[k, j, 0] - px, place[k, j, 1] - py
                    if abs(dy if along == 1 else dx) > reach + widest:
                        break
                    far = reach + body[j]
                    if abs(dx) > far or abs(dy) > far:
                        continue
                    apart = np.sqrt(dx * dx + dy * dy)
                    near = (dx * vx + dy * vy) / max(apart, 1e-9)
                    away = max((dx * velocity[k, j, 0] + dy * velocity[k, j, 1]) / max(apart, 1e-9), 0.0)
                    if near > 1e-3:
                        full = near * near / (2.0 * braking) - away * away / (2.0 * max(hardest[j], braking))
                        least = min(least, _root(near * period, full, 0.5 * (apart - body[i] - body[j] - margin)))
            here = read_scalar(clearance, x0, y0, resolution, px, py)
            spare = here - body[i] - margin
            if spare > speed * period + speed * speed / (2.0 * braking):
                continue
            h = resolution
            gx = read_scalar(clearance, x0, y0, h, px - h, py) - read_scalar(clearance, x0, y0, h, px + h, py)
            gy = read_scalar(clearance, x0, y0, h, px, py - h) - read_scalar(clearance, x0, y0, h, px, py + h)
            steep = np.sqrt(gx * gx + gy * gy)
            into = (gx * vx + gy * vy) / steep if steep > 1e-6 else 0.0
            if into > 1e-3:
                least = min(least, _root(into * period, into * into / (2.0 * braking), spare - OFF_WALLS * margin))
            full = speed * period + speed * speed / (2.0 * braking)
            need = min(body[i] + margin, here) - 1e-3
            free = way_length(clearance, x0, y0, h, px, py, vx / speed, vy / speed, here, need, full)
            if free < full:
                least = min(least, _root(speed * period, speed * speed / (2.0 * braking), free))
        rate[k] = least


_rates = Kernel(_rates_loop)
