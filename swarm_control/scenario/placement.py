"""Where robots start: patterns around a centre, kept off walls and each other."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, rotate
from swarm_control.core.grid import Grid
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.safety.fence import polygon
from swarm_control.scenario.filling import filled
from swarm_control.scenario.free_floor import ROOM, clearance_at, search
from swarm_control.scenario.schema import RobotGroup, Start


def place(group: RobotGroup, taken: Array, grid: Grid | None, rng: np.random.Generator, where: str) -> tuple[Array, str]:
    """Return start poses (count, 3), world frame, m and rad, for a group of robots; and a line for the user, or an empty one.

    ``taken`` (k, 3): x, y and footprint radius of robots that are already there. ``scatter`` and ``grid`` look for free places around
    the centre, in the part of the floor that it belongs to, as far out as it takes or as the start reaches, nearer to each other than
    wished if they must, which the line says. Raises ``InputError`` when there is no room.
    """
    start, told = group.start, ""
    if start.pattern in ("scatter", "grid"):
        position, told = search(group, taken, grid, rng, where)
    elif start.pattern == "fill":
        position = _filled(group, taken, grid, where)
    elif start.pattern == "hexagonal":
        position = np.array(start.center) + rotate(_hexagonal(group.count, start.rows) * start.spacing, np.deg2rad(start.heading))
    elif start.pattern == "ring":
        angle = 2.0 * np.pi * np.arange(group.count) / group.count
        radius = start.radius or 0.5 * start.spacing / np.sin(np.pi / max(group.count, 2))
        position = np.array(start.center) + radius * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    elif start.pattern == "line":
        along = (np.arange(group.count) - 0.5 * (group.count - 1)) * start.spacing
        across = np.deg2rad(start.heading) + 0.5 * np.pi
        position = np.array(start.center) + along[:, None] * np.array([np.cos(across), np.sin(across)])
    else:
        poses = np.array(start.poses[: group.count], float).reshape(-1, 3)
        return np.column_stack((poses[:, :2], np.deg2rad(poses[:, 2]))), told
    return np.column_stack((position, _headings(start, group.count, rng))), told


def check_free(pose: Array, radius: Array, names: tuple[str, ...], grid: Grid | None, where: str) -> None:
    """Raise ``InputError`` when a robot starts in a wall or overlaps another."""
    if grid is not None:
        room = clearance_at(grid, pose[:, :2], float(radius.max(initial=0.0)))
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


def _filled(group: RobotGroup, taken: Array, grid: Grid | None, where: str) -> Array:
    """Places (count, 2) m that fill the outline of the start, off walls and robots that are there already."""
    try:
        corners = polygon(group.start.outline)
        if not len(corners):
            raise ValueError("no corners found, expected those of the polygon to fill")
    except ValueError as error:
        raise InputError(f"{where}.start.outline", str(error)) from None
    gap = 2.0 * group.radius * ROOM

    def free(points: Array) -> NDArray[np.bool_]:
        clear = np.ones(len(points), bool)
        if grid is not None and len(points):
            clear = clearance_at(grid, points, group.radius + 0.02) >= group.radius + 0.02
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
