"""Wished densities from what users have: a polygon's corners, a picture, a table of densities."""

import csv
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.social.wished_density import WishedDensity, even_density, wished_density

FAINT = 0.02
"""Darkness up to which a pixel counts as white."""
PIXELS = 256
"""Pixels along a picture's side that are made out."""


def density_over_polygon(text: str, robots: int) -> WishedDensity:
    """``robots`` spread evenly over a polygon: its corners as ``x,y x,y …`` (m) in ``text``, or in a file of that name, a line each."""
    where, path = f"--polygon {text}", Path(text)
    is_file = len(text) < 256 and path.is_file()
    rows = [part.split(",") for part in text.split()]
    if not is_file and any(len(row) != 2 for row in rows):
        raise InputError(where, "neither a file nor corners found, expected x,y of each corner in m, as in '0,0 4,0 4,3'")
    try:
        return even_density(rows_of(path, where) if is_file else _numbers(rows, 2, where), robots)
    except ValueError as error:
        raise InputError(where, str(error)) from None


def density_of_picture(path: Path, width: float, robots: int) -> WishedDensity:
    """``robots`` over a picture of so many m ``width``: the darker a pixel, the more of them, where it is not transparent. Its middle is
    the origin.
    """
    from swarm_control.world.bitmap import load_shades

    where = f"--picture {path}"
    dark = 1.0 - _thinned(load_shades(path, where).astype(float) / 255.0)[::-1]
    if min(dark.shape) < 2:
        raise InputError(where, f"{dark.shape[1]} × {dark.shape[0]} pixels found, expected at least two either way")
    step = width / dark.shape[1]
    x, y = ((np.arange(n) - 0.5 * (n - 1)) * step for n in dark.shape[::-1])
    try:
        return wished_density(x, y, np.where(dark > FAINT, dark, 0.0), robots)
    except ValueError as error:
        found = str(error) if (dark > FAINT).any() else "no pixel darker than white found, expected dark ones where robots are wished"
        raise InputError(where, found) from None


def density_of_table(path: Path, robots: int) -> WishedDensity:
    """``robots`` over a density from a CSV file: columns r, density around the origin, or x, y, density on an even grid."""
    where = f"--density {path}"
    rows = [row for row in csv.reader(_lines(path, where)) if row]
    names = [name.strip() for name in rows[0]] if rows else []
    if names not in (["r", "density"], ["x", "y", "density"]):
        raise InputError(f"{where}, row 1", f"{','.join(names) or 'nothing'} found, expected the columns r,density or x,y,density")
    values = _numbers(rows[1:], len(names), where, 2)
    try:
        return _around(values, robots) if len(names) == 2 else _on_grid(values, robots)
    except ValueError as error:
        raise InputError(where, str(error)) from None


def rows_of(path: Path, where: str) -> Array:
    """Points (K, 2) m that a file has, x and y on each line, with a comma or a space between."""
    return _numbers([line.replace(",", " ").split() for line in _lines(path, where)], 2, where)


def _around(values: Array, robots: int) -> WishedDensity:
    r, density = values.T
    if len(r) < 2 or (np.diff(r) <= 0.0).any() or r[0] < 0.0:
        raise ValueError("distances r that do not grow found, expected at least two, each larger than the one before")
    side = np.linspace(-r[-1], r[-1], 201)
    far = np.hypot(*np.meshgrid(side, side))
    return wished_density(side, side, np.interp(far, r, density, right=0.0), robots)


def _on_grid(values: Array, robots: int) -> WishedDensity:
    (x, column), (y, row) = (np.unique(np.round(values[:, k], 9), return_inverse=True) for k in range(2))
    places = {*zip(column.tolist(), row.tolist())}
    if min(len(x), len(y)) < 2 or not len(values) == len(places) == len(x) * len(y):
        raise ValueError(f"{len(values)} rows found, expected a grid: every x with every y once, at least two of each")
    if any(np.ptp(np.diff(side)) > 1e-3 * np.diff(side).mean() for side in (x, y)):
        raise ValueError("x or y that are not evenly apart found, expected an even grid")
    density = np.empty((len(y), len(x)))
    density[row, column] = values[:, 2]
    return wished_density(x, y, density, robots)


def _thinned(grey: Array) -> Array:
    """A picture (H, W) as means over blocks, so that no side has more than ``PIXELS``."""
    block = -(-max(grey.shape) // PIXELS)
    rows, columns = (-(-n // block) for n in grey.shape)
    padded = np.pad(grey, ((0, rows * block - grey.shape[0]), (0, columns * block - grey.shape[1])), mode="edge")
    means: Array = padded.reshape(rows, block, columns, block).mean(axis=(1, 3))
    return means


def _lines(path: Path, where: str) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(where, f"not readable as text: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


def _numbers(rows: list[list[str]], columns: int, where: str, first: int = 1) -> Array:
    """Rows of text as numbers (K, ``columns``); ``first``: number of the first row, for the user."""
    for k, row in enumerate(rows):
        try:
            good = len(row) == columns and bool(np.isfinite([float(cell) for cell in row]).all())
        except ValueError:
            good = False
        if not good:
            raise InputError(f"{where}, row {k + first}", f"{','.join(row)!r} found, expected {columns} numbers")
    return np.array(rows, float).reshape(-1, columns)
