"""Trajectories as files have them: piecewise polynomials, poses with times, and drawings."""

import csv
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.formation.itinerary import SAMPLES, Itinerary, through

POSES = ("time", "x", "y", "yaw")
AXES, ORDER = ("x", "y", "z", "yaw"), 8
POLYNOMIALS = ("duration", *(f"{axis}^{k}" for axis in AXES for k in range(ORDER)))
"""Columns of Crazyswarm2's files: each row is a piece, with the coefficients of t⁰…t⁷ for each axis."""


def read_trajectory(path: Path) -> Itinerary:
    """The trajectory of a file: ``.svg``, or a table of either kind; ``InputError`` names file, line and what was expected."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"cannot be read ({error}), expected a trajectory: a .csv or .svg file") from None
    if path.suffix.lower() == ".svg":
        from swarm_control.formation.drawing import from_svg

        return from_svg(text, str(path))
    rows = [(number, [cell.strip() for cell in row]) for number, row in enumerate(csv.reader(text.splitlines()), 1) if any(row)]
    head = tuple(rows[0][1]) if rows else ()
    if head == POSES:
        return _from_poses(_numbers(rows[1:], POSES, str(path)), rows[1:], str(path))
    if tuple(name.lower().replace(" ", "") for name in head if name) == POLYNOMIALS:
        return _from_polynomials(_numbers(rows[1:], POLYNOMIALS, str(path)), rows[1:], str(path))
    expected = "expected the columns time,x,y,yaw, or duration,x^0,…,x^7,y^0,…,yaw^7"
    raise InputError(f"{path}: line {rows[0][0] if rows else 1}", f"{','.join(head)[:60] or 'nothing'} found, {expected}")


def _numbers(rows: list[tuple[int, list[str]]], columns: tuple[str, ...], where: str) -> Array:
    found = []
    for number, cells in rows:
        cells = cells[:-1] if len(cells) == len(columns) + 1 and not cells[-1] else cells
        if len(cells) != len(columns):
            raise InputError(f"{where}: line {number}", f"{len(cells)} columns found, expected {len(columns)}")
        for name, cell in zip(columns, cells):
            try:
                fine = bool(np.isfinite(float(cell)))
            except ValueError:
                fine = False
            if not fine:
                raise InputError(f"{where}: line {number}: {name}", f"{cell[:40]!r} found, expected a finite number")
        found.append([float(cell) for cell in cells])
    if not found:
        raise InputError(where, "no rows found below the columns' names, expected at least one")
    return np.array(found)


def _from_poses(table: Array, rows: list[tuple[int, list[str]]], where: str) -> Itinerary:
    """Poses with times; between them the way is as smooth as a cubic spline, at rest at both ends."""
    if len(table) < 2:
        raise InputError(where, "one pose found, expected at least two")
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0.0)
    if late.size:
        k = int(late[0]) + 1
        raise InputError(f"{where}: line {rows[k][0]}: time", f"{table[k, 0]:g} s found, expected more than {table[k - 1, 0]:g} s")
    return through(table[:, 0], np.column_stack((table[:, 1:3], np.unwrap(table[:, 3]))))


def _from_polynomials(table: Array, rows: list[tuple[int, list[str]]], where: str) -> Itinerary:
    """Pieces of polynomials in time, one after the other; the height is left out."""
    for (number, _), duration in zip(rows, table[:, 0]):
        if duration <= 0.0:
            raise InputError(f"{where}: line {number}: duration", f"{duration:g} s found, expected more than 0")
    ends = np.cumsum(table[:, 0])
    at = np.linspace(0.0, ends[-1], max(int(np.ceil(ends[-1] / SAMPLES)), 1) + 1)
    piece = np.minimum(np.searchsorted(ends, at, side="right"), len(table) - 1)
    local = at - (ends - table[:, 0])[piece]
    powers = local[:, None] ** np.arange(ORDER)
    poses = np.column_stack([
        (powers * table[piece, 1 + ORDER * axis : 1 + ORDER * (axis + 1)]).sum(axis=1) for axis in (0, 1, 3)
    ])  # fmt: skip
    poses[:, 2] = np.unwrap(poses[:, 2])
    return Itinerary(poses, at)
