"""Where robots that are scattered, or put on a grid, have free places: off walls and each other."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.cells import first_come, sort_into_cells
from swarm_control.core.fields import clearance_field
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import InputError
from swarm_control.scenario.schema import RobotGroup

TRIES, AT_ONCE = 30, 3_000_000
"""Places that are tried for each robot of a scatter, and at a time."""

ROOM = 1.05
"""Robots start at least so many widths apart, centre to centre."""

NEARER = 0.8
"""Where there is no room for all, robots start so many times as far apart as was tried before."""

LARGE = 1000
"""Number of robots from which their order in memory costs or saves time."""


def search(group: RobotGroup, taken: Array, grid: Grid | None, rng: np.random.Generator, where: str) -> tuple[Array, str]:
    """Free places, and a line for the user where they are not as wished.

    The disc (or block) that is searched grows until everybody has one, unless its radius is given; where it does not hold them all, they
    are nearer to each other.
    """
    start, center = group.start, np.array(group.start.center)
    closest = 2.0 * group.radius * ROOM
    gap = max(start.spacing, closest)
    widest = np.inf if grid is None else float(np.hypot(*(np.array(grid.occupied.shape) * grid.resolution)))
    reach = start.radius or 0.75 * gap * np.sqrt(group.count)
    floor = None if grid is None else _floor(grid, center, group.radius + _braking_distance(group))
    most = 0
    while len(kept := _scattered(group, taken, floor, reach, gap, rng)) < group.count:
        most = max(most, len(kept))
        if reach <= widest and not start.radius:
            reach *= 1.2
        elif gap > closest:
            gap = max(NEARER * gap, closest)
        else:
            x, y = center
            raise InputError(f"{where}.start", f"room for {most} robots found around ({x:g}, {y:g}), expected {group.count}")
    nearer = f"{where}.start: no room for {group.count} robots {start.spacing:g} m apart; they start {gap:.2g} m apart"
    return _in_strips(kept[: group.count], 4.0 * gap), nearer if gap < start.spacing else ""


def _scattered(
    group: RobotGroup, taken: Array, floor: Callable[[Array], NDArray[np.bool_]] | None, reach: float, gap: float, rng: np.random.Generator
) -> Array:  # fmt: skip
    """Free places (n, 2) m within ``reach`` (m) of the centre, ``gap`` (m) apart: enough for the group if they are found."""
    kept = np.empty((0, 2))
    for candidates in _candidates(group.start.pattern, np.array(group.start.center), reach, gap, group.count, rng):
        if floor is not None:
            candidates = candidates[floor(candidates)]
        kept = _thin(np.vstack((kept, candidates)), taken, gap, group)
        if len(kept) >= group.count:
            return rng.permutation(kept) if TRIES * group.count > AT_ONCE else kept  # parts are in strips: who is left out is anywhere
    return kept


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
        return within & (parts[rows, columns] == here) & (clearance_at(grid, points, radius + 0.02) >= radius + 0.02)

    return free


def _cell(grid: Grid, points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows, columns = grid.occupied.shape
    j = np.clip(((points[:, 0] - grid.origin[0]) / grid.resolution).astype(np.int64), 0, columns - 1)
    i = np.clip(((points[:, 1] - grid.origin[1]) / grid.resolution).astype(np.int64), 0, rows - 1)
    return i, j


def clearance_at(grid: Grid, points: Array, cap: float) -> Array:
    """Distance (n,) m from ``points`` to the nearest wall, at most ``cap``."""
    return WallDistance(grid).distance(points, cap)
