"""The ways of robots under a command, until they have stopped, for the stopping filter.

A way is a chain of points (m) as seen from the robot's centre: where it is in the course of the next period, and the end of its stopping
segment after that. ``own`` is what one robot is and does: heading (rad), speed (along the heading, where it rolls) and velocity (m/s, world
frame), braking (m/s²), the change of speed that a period allows (m/s), period (s), latency (s), curvature (1/m), top speed, top turn rate,
radius, and half the distance between the wheels that share the top speed, or 0 (m).
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.grid import between_walls, read_scalar, sure_room, wall_distance

PARTS, MORE = 4, 24
"""The way of a robot that glides in a period is followed in at least, and anybody's in at most, so many parts."""

CLOSE = 1e-3
"""There are as many of them as it takes for what lies between their ends to be so near (m) to a straight line."""

FINE = 4
"""Each part of the way of one that glides is integrated in so many steps where there are more parts than the fewest."""

WAY = MORE + 1
"""The longest chain of points."""


@njit(cache=True, inline="always")
def _parts(bow, least):  # type: ignore[no-untyped-def]
    """In how many parts, ``least`` at least, to follow a way that bows by ``bow`` (m) over its whole length: a part of it by its square."""
    return min(max(int(np.ceil(np.sqrt(bow / CLOSE))), least), MORE)


@njit(cache=True)
def roll(v, w, own, way):  # type: ignore[no-untyped-def]
    """Write the way of a robot that rolls, told to go at ``v`` and turn at ``w``; return the number of its points."""
    heading, speed, _, _, braking, step, period, latency, curvature, top, _, _, axle = own
    gone = speed + min(max(v - speed, -step), step)
    fastest, slowest = max(abs(speed), abs(gone)), min(abs(speed), abs(gone))
    tightest = curvature * abs(gone) if np.isfinite(curvature) else abs(w)
    turn = min(max(w, -tightest), tightest) * period
    # it turns as tightly as its speed lets it, and as its wheels can beside it
    eased = abs(w) * axle + fastest > top + 1e-9 or (np.isfinite(curvature) and abs(w) > curvature * slowest and slowest < fastest)
    back = speed * gone < 0.0
    parts = _parts(0.125 * (fastest * period * abs(w) * period + step * period * back), PARTS if eased or back else 1)
    if parts > 1:
        return _roll_in(parts, v, w, own, way)
    half = 0.5 * turn
    # what slows down is faster on the way than in the end
    mean = np.sign(gone if gone != 0.0 else speed) * max(abs(gone), 0.5 * abs(speed + gone))
    chord = mean * period * (np.sin(half) / half if abs(half) > 1e-6 else 1.0)
    rest = gone * (latency + abs(gone) / (2.0 * braking))
    way[0, 0], way[0, 1] = chord * np.cos(heading + half), chord * np.sin(heading + half)
    way[1, 0], way[1, 1] = way[0, 0] + rest * np.cos(heading + turn), way[0, 1] + rest * np.sin(heading + turn)
    return 2


@njit(cache=True)
def _roll_in(parts, v, w, own, way):  # type: ignore[no-untyped-def]
    """The same in ``parts``, as the speed changes: whoever turns back goes on for a while, and turns as fast as that permits."""
    heading, speed, _, _, braking, step, period, latency, curvature, top, _, _, axle = own
    px, py, most, dt = 0.0, 0.0, step / parts, period / parts
    for k in range(parts):
        change = min(max(v - speed, -most), most)
        mean = speed + (1.0 - 0.5 * abs(change) / most) * change
        tightest = curvature * abs(mean) if np.isfinite(curvature) else abs(w)
        if axle > 0.0:
            tightest = min(tightest, max(top - abs(mean), 0.0) / axle)
        half = 0.5 * dt * min(max(w, -tightest), tightest)
        chord = mean * dt * (1.0 - half * half / 6.0)
        px, py = px + chord * np.cos(heading + half), py + chord * np.sin(heading + half)
        heading, speed = heading + 2.0 * half, speed + change
        way[k, 0], way[k, 1] = px, py
    rest = speed * (latency + abs(speed) / (2.0 * braking))
    way[parts, 0], way[parts, 1] = px + rest * np.cos(heading), py + rest * np.sin(heading)
    return parts + 1


@njit(cache=True)
def turns(w, own):  # type: ignore[no-untyped-def]
    """How a robot that glides, told to turn at ``w``, is followed in a period: the number of parts, that of steps in each of them, and
    cosine and sine of half of a step's turn.
    """
    speed, step, period, top = np.sqrt(own[2] ** 2 + own[3] ** 2), own[5], own[6], own[9]
    parts = _parts(0.125 * period * (max(speed, top) * abs(w) * period + step), PARTS)
    fine = FINE if parts > PARTS else 1
    half = 0.5 * w * period / (parts * fine)
    return parts, fine, np.cos(half), np.sin(half)


@njit(cache=True)
def glide(x, y, turning, own, way):  # type: ignore[no-untyped-def]
    """Write the way of a robot that glides, told to go at (``x``, ``y``) m/s, world frame, while it turns as :func:`turns` says.

    The command is given in the robot's frame and turns with it; the velocity follows it as fast as the acceleration permits.
    """
    _, _, ux, uy, braking, step, period, latency, _, _, _, _, _ = own
    parts, fine, c, s = turning
    px, py, most, dt = 0.0, 0.0, step / (parts * fine), period / (parts * fine)
    for k in range(parts):
        for _ in range(fine):
            mx, my = c * x - s * y, s * x + c * y
            x, y = c * mx - s * my, s * mx + c * my
            dx, dy = x - ux, y - uy
            share = np.sqrt(dx * dx + dy * dy) / most
            if share > 1.0:  # it goes after what turns meanwhile
                dx, dy = mx - ux, my - uy
                scale = most / max(np.sqrt(dx * dx + dy * dy), most)
                dx, dy = scale * dx, scale * dy
                px, py = px + dt * (ux + 0.5 * dx), py + dt * (uy + 0.5 * dy)
            else:  # it gets there in a share of the time, and turns with the command for the rest
                mx, my, late = mx + share * (x - mx), my + share * (y - my), 1.0 - 0.5 * share
                px, py = px + dt * (ux + late * (mx - ux)), py + dt * (uy + late * (my - uy))
            ux, uy = ux + dx, uy + dy
        way[k, 0], way[k, 1] = px, py
    rest = latency + np.sqrt(ux * ux + uy * uy) / (2.0 * braking)
    way[parts, 0], way[parts, 1] = px + rest * ux, py + rest * uy
    return parts + 1


@njit(cache=True)
def lean(w, own, sway):  # type: ignore[no-untyped-def]
    """How far (rad) the heading of a way can be off, of a robot told to turn at ``w``: it may go on turning as it does for the latency.

    ``sway``: by how much its heading is in doubt (rad), its turn rate (rad/s), and for how much (m) of its way its room has that already.
    """
    return sway[0] + own[7] * abs(w - sway[1])


@njit(cache=True)
def free_way(way, points, off, sway, walls, room, normal, bound, count):  # type: ignore[no-untyped-def]
    """Whether a way of ``points``, of which the heading may be ``off`` (rad), keeps within ``count`` half-planes, and off the walls.

    ``walls``: occupied cells, clearance at their centres, their grid, the robot's place on it, what is kept to their squares if it is not
    less already, and how much nearer the way may get to them by the interpolated clearance (m).
    """
    length, ax, ay = 0.0, 0.0, 0.0
    for k in range(points):
        length += np.sqrt((way[k, 0] - ax) ** 2 + (way[k, 1] - ay) ** 2)
        ax, ay = way[k, 0], way[k, 1]
    aside = off * max(length - sway[2], 0.0)
    for k in range(count):
        if not bound[k] >= length and not _within(way, points, normal[k], bound[k] - aside, off, sway[2]):
            return False
    occupied, clearance, x0, y0, h, px, py, least, give = walls
    if sure_room(clearance, x0, y0, h, px, py) >= room + length:
        return True
    room, least = room + aside, least + aside
    if not length < np.inf:  # of a wish that is no number
        return False
    here, ax, ay = wall_distance(occupied, x0, y0, h, px, py, room), 0.0, 0.0
    need, past = min(here, least) - 1e-9, 0.0
    # the interpolated clearance is mostly smaller: robots that keep to it, too, can still turn along a wall
    smooth = min(read_scalar(clearance, x0, y0, h, px, py), room) - give
    step = min(0.5 * h, max(0.25 * need, 0.005 * h))  # between two points a way gets nearer by less than a hundredth of the need
    for k in range(points):
        dx, dy, gone = way[k, 0] - ax, way[k, 1] - ay, 0.0
        length = np.sqrt(dx * dx + dy * dy)
        while True:
            share = gone / length if length > 0.0 else 1.0
            x, y = px + ax + share * dx, py + ay + share * dy
            sure = sure_room(clearance, x0, y0, h, x, y)
            # who is nearer than that comes no nearer, wherever its heading leads it
            far = min(need + off * max(past + gone - sway[2], 0.0), least)
            into = sure <= far and wall_distance(occupied, x0, y0, h, x, y, room) < far - 1e-9
            low = sure <= here + h and read_scalar(clearance, x0, y0, h, x, y) < smooth
            if into or (low and not between_walls(clearance, x0, y0, h, x, y)):
                return False
            if gone >= length:
                break
            gone = min(gone + max(sure - here - aside, step), length)
        past, ax, ay = past + length, way[k, 0], way[k, 1]
    return True


@njit(cache=True, inline="always")
def _within(way, points, normal, bound, off, had):  # type: ignore[no-untyped-def]
    """Whether a way keeps to ``normal·x ≤ bound`` from where it stops receding on, however its heading is ``off`` (rad).

    It recedes where it does so with what that can amount to beyond the length ``had`` (m): one that seems to recede may lead right there.
    """
    least, length, ax, ay = 0.0, 0.0, 0.0, 0.0
    for m in range(points):
        toward = normal[0] * way[m, 0] + normal[1] * way[m, 1]
        length += np.sqrt((way[m, 0] - ax) ** 2 + (way[m, 1] - ay) ** 2)
        ax, ay = way[m, 0], way[m, 1]
        nearest = toward + off * max(length - had, 0.0)
        if nearest <= least:
            least = nearest
        elif toward > bound + 1e-9:
            return False
    return True
