"""Where robots start: patterns around a centre, kept off walls and each other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.cells import first_come, sort_into_cells
from swarm_control.core.fields import clearance_field
from swarm_control.core.geometry import Array, rotate
from swarm_control.core.grid import Grid
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import InputError
from swarm_control.safety.fence import polygon
from swarm_control.scenario.filling import filled
from swarm_control.scenario.schema import RobotGroup, Start

TRIES, AT_ONCE = 30, 3_000_000
"""Places that are tried for each robot of a scatter, and at a time."""

LARGE = 1000
"""Number of robots from which their order in memory costs or saves time."""


def place(group: RobotGroup, taken: Array, grid: Grid | None, rng: np.random.Generator, where: str) -> Array:
    """Return start poses (count, 3), world frame, m and rad, for a group of robots.

    ``taken`` (k, 3): x, y and footprint radius of robots that are already there. ``scatter`` and ``grid`` look for free places around
    the centre, in the part of the floor that it belongs to, as far out as it takes. Raises ``InputError`` when there is no room.
    """
    start = group.start
    if start.pattern in ("scatter", "grid"):
        position = _search(group, taken, grid, rng, where)
    elif start.pattern == "fill":
        position = _filled(group, taken, grid, where)
    elif start.pattern == "hexagonal":
        position = np.array(start.center) + rotate(_hexagonal(group.count, start.rows) * start.spacing, np.deg2rad(start.heading))
    elif start.pattern == "ring":
        angle = 2.0 * np.pi * np.arange(group.count) / group.count
        radius = start.radius or start.spacing * group.count / (2.0 * np.pi)
        position = np.array(start.center) + radius * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    elif start.pattern == "line":
        along = (np.arange(group.count) - 0.5 * (group.count - 1)) * start.spacing
        across = np.deg2rad(start.heading) + 0.5 * np.pi
        position = np.array(start.center) + along[:, None] * np.array([np.cos(across), np.sin(across)])
    else:
        poses = np.array(start.poses[: group.count], float).reshape(-1, 3)
        return np.column_stack((poses[:, :2], np.deg2rad(poses[:, 2])))
    return np.column_stack((position, _headings(start, group.count, rng)))


def check_free(pose: Array, radius: Array, names: tuple[str, ...], grid: Grid | None, where: str) -> None:
    """Raise ``InputError`` when a robot starts in a wall or overlaps another."""
    if grid is not None:
        room = _clearance_at(grid, pose[:, :2], float(radius.max(initial=0.0)))
        bad = np.flatnonzero(room < radius)
        if bad.size and (k := int(bad[0])) >= 0:
            raise InputError(where, f"{names[k]} at ({pose[k, 0]:.2f}, {pose[k, 1]:.2f}) starts in a wall, expected free floor")
    near = look(SwarmState.of(0.0, pose, np.zeros_like(pose)), 2.0 * float(radius.max(initial=1e-3)))
    for pair in np.flatnonzero(near.distance < radius[near.owner] + radius[near.index])[:1]:
        a, b = names[near.owner[pair]], names[near.index[pair]]
        raise InputError(where, f"{a} and {b} overlap at the start, expected room between them")


def _headings(start: Start, count: int, rng: np.random.Generator) -> Array:
    half = 0.5 * start.heading_spread
    return np.deg2rad(start.heading + rng.uniform(-half, half, count))


def _search(group: RobotGroup, taken: Array, grid: Grid | None, rng: np.random.Generator, where: str) -> Array:
    """Free places by growing the disc (or block) that is searched until everybody has one."""
    start, center = group.start, np.array(group.start.center)
    gap = max(start.spacing, 2.0 * group.radius * 1.05)
    widest = np.inf if grid is None else float(np.hypot(*(np.array(grid.occupied.shape) * grid.resolution)))
    reach = start.radius or 0.75 * gap * np.sqrt(group.count)
    floor = None if grid is None else _floor(grid, center, group.radius + _braking_distance(group))
    while True:
        kept = np.empty((0, 2))
        for candidates in _candidates(start.pattern, center, reach, gap, group.count, rng):
            if floor is not None:
                candidates = candidates[floor(candidates)]
            kept = _thin(np.vstack((kept, candidates)), taken, gap, group)
            if len(kept) >= group.count:
                if TRIES * group.count > AT_ONCE:  # parts are in strips: those who are left out are to be anywhere
                    kept = rng.permutation(kept)
                return _in_strips(kept[: group.count], 4.0 * gap)
        if reach > widest or start.radius:
            place = f"{where}.start"
            raise InputError(place, f"room for {len(kept)} robots found around ({center[0]:g}, {center[1]:g}), expected {group.count}")
        reach *= 1.2


def _filled(group: RobotGroup, taken: Array, grid: Grid | None, where: str) -> Array:
    """Places (count, 2) m that fill the outline of the start, off walls and robots that are there already."""
    try:
        corners = polygon(group.start.outline)
        if not len(corners):
            raise ValueError("no corners found, expected those of the polygon to fill")
    except ValueError as error:
        raise InputError(f"{where}.start.outline", str(error)) from None
    gap = 2.0 * group.radius * 1.05

    def free(points: Array) -> NDArray[np.bool_]:
        clear = np.ones(len(points), bool)
        if grid is not None and len(points):
            clear = _clearance_at(grid, points, group.radius + 0.02) >= group.radius + 0.02
        for x, y, body in taken:
            clear &= np.hypot(points[:, 0] - x, points[:, 1] - y) >= body + 0.5 * gap
        return clear

    position = filled(corners, group.count, group.radius, gap, free)
    if len(position) < group.count:
        raise InputError(f"{where}.start.outline", f"room for {len(position)} robots found in it, expected {group.count}")
    return position


def _hexagonal(count: int, rows: int) -> Array:
    """Points (count, 2) one apart in ``rows`` along y, the last one first, that have n and n − 1 points in turn; centred on the origin."""
    rows = rows or max(round(float(np.sqrt(2.0 / np.sqrt(3.0) * count))), 1)
    longest = -(-(count + rows // 2) // rows)
    row, place = np.divmod(np.arange(rows * longest), longest)
    odd = row % 2 == 1
    x, y = np.sqrt(0.75) * (row - 0.5 * (rows - 1)), place - 0.5 * (longest - 1 - odd)
    return np.column_stack((x, y))[~(odd & (place == longest - 1))][:count]


def _in_strips(position: Array, width: float) -> Array:
    """Number the robots of a large swarm along strips of this ``width`` (m): neighbours then lie near each other in memory."""
    if len(position) < LARGE:
        return position
    return np.asarray(position[sort_into_cells(position, np.ones(len(position), bool), width).order])


def _braking_distance(group: RobotGroup) -> float:
    """How far (m) a robot that starts with speed gets before it is at rest: a tenth of a second to think, half its braking power."""
    speed = group.start.speed
    return 0.1 * speed + speed * speed / group.max_acceleration


def _candidates(pattern: str, center: Array, reach: float, gap: float, count: int, rng: np.random.Generator) -> Iterator[Array]:
    """Places (n, 2) m within ``reach`` (m) of the centre that may be free: all at once, or for very many robots some at a time."""
    if pattern == "grid":
        columns = int(min(np.ceil(2.0 * reach / gap), 2000.0))
        ticks = (np.arange(columns) - 0.5 * (columns - 1)) * gap
        points = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
        yield center + points[np.argsort(np.abs(points).max(axis=1), kind="stable")]
        return
    for begin in range(0, TRIES * count, AT_ONCE):
        tries = min(AT_ONCE, TRIES * count - begin)
        radius, angle = reach * np.sqrt(rng.random(tries)), rng.uniform(0.0, 2.0 * np.pi, tries)
        points = center + radius[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
        yield points if TRIES * count <= AT_ONCE else _in_strips(points, 4.0 * gap)


def _thin(candidates: Array, taken: Array, gap: float, group: RobotGroup) -> Array:
    """Keep candidates, in order, that are ``gap`` from those kept before and clear of the robots that are there already."""
    if len(taken) and len(candidates):
        from scipy.spatial import cKDTree

        apart = cKDTree(taken[:, :2]).query(candidates)[0]
        candidates = candidates[apart >= max(gap, group.radius + float(taken[:, 2].max()))]
    if group.start.pattern == "grid" or len(candidates) == 0:
        return candidates
    return candidates[first_come(candidates, gap * (1.0 - 1e-9))]


def _floor(grid: Grid, center: Array, radius: float):  # type: ignore[no-untyped-def]
    """A test whether points lie on the part of the free floor that ``center`` belongs to (the largest part, if it is in a wall)."""
    from scipy import ndimage

    room = clearance_field(grid)
    parts, count = ndimage.label(room >= radius + 0.02)
    i, j = _cell(grid, center[None])
    here = int(parts[i[0], j[0]])
    if here == 0 and count > 0:
        here = 1 + int(np.argmax(np.bincount(parts.ravel())[1:]))

    def free(points: Array) -> NDArray[np.bool_]:
        rows, columns = _cell(grid, points)
        x0, x1, y0, y1 = grid.extent
        within = (points[:, 0] > x0) & (points[:, 0] < x1) & (points[:, 1] > y0) & (points[:, 1] < y1)
        return within & (parts[rows, columns] == here) & (_clearance_at(grid, points, radius + 0.02) >= radius + 0.02)

    return free


def _cell(grid: Grid, points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows, columns = grid.occupied.shape
    j = np.clip(((points[:, 0] - grid.origin[0]) / grid.resolution).astype(np.int64), 0, columns - 1)
    i = np.clip(((points[:, 1] - grid.origin[1]) / grid.resolution).astype(np.int64), 0, rows - 1)
    return i, j


def _clearance_at(grid: Grid, points: Array, cap: float) -> Array:
    """Distance (n,) m from ``points`` to the nearest wall, at most ``cap``."""
    return WallDistance(grid).distance(points, cap)
