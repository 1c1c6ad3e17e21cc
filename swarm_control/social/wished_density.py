"""A wished density of robots over the plane, on a grid."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.lattice import spacing

CELLS = 96
"""Cells along either side of a wished density's floor."""
ROOM = 1.25
"""Half of that side over the radius of the circle around where robots are wished: the rest is empty floor from which they come."""


@dataclass(frozen=True)
class WishedDensity:
    """How many robots per m² are wished where.

    ``x`` (W,), ``y`` (H,) m: middles of square cells, rising; ``density`` (H, W) 1/m², which holds the number of robots.
    """

    x: Array
    y: Array
    density: Array

    @property
    def cell(self) -> float:
        """Side of a cell, m."""
        return float(self.x[1] - self.x[0])

    @property
    def robots(self) -> int:
        """How many robots it holds."""
        return round(float(self.density.sum()) * self.cell**2)

    @property
    def points(self) -> Array:
        """Middles of all cells (H·W, 2) m."""
        return np.stack(np.meshgrid(self.x, self.y), axis=-1).reshape(-1, 2)

    @cached_property
    def apart(self) -> float:
        """Distance (m) between neighbours, the mean over the robots."""
        held = self.density[self.density > 0.0]
        return float((held * spacing(held)).sum() / held.sum())

    @property
    def closest(self) -> float:
        """Distance (m) between neighbours where they are densest."""
        return float(spacing(self.density.max()))

    @cached_property
    def outside(self) -> Array:
        """Distance (H, W) m from where robots are wished."""
        from scipy.ndimage import distance_transform_edt

        far: Array = np.asarray(distance_transform_edt(self.density <= 0.0), float) * self.cell
        return far

    @cached_property
    def circle(self) -> tuple[Array, float]:
        """Centre (2,) m and radius (m) of a circle around where robots are wished."""
        y, x = np.nonzero(self.density > 0.0)
        corner = np.array([[self.x[x.min()], self.y[y.min()]], [self.x[x.max()], self.y[y.max()]]])
        return corner.mean(axis=0), float(0.5 * np.linalg.norm(corner[1] - corner[0]) + self.cell)

    def smoothed(self, density: Array) -> Array:
        """A density (H, W) as it is seen from so near that single robots make no difference: Gaussian means over ``apart``."""
        from scipy.ndimage import gaussian_filter

        seen: Array = gaussian_filter(density, self.apart / self.cell, mode="reflect")
        return seen

    def of(self, position: Array) -> Array:
        """The smoothed density (H, W) of robots at ``position`` (N, 2) m; those outside of the grid are not in it."""
        half = 0.5 * self.cell
        edges = [np.append(side - half, side[-1] + half) for side in (self.y, self.x)]
        counted, _, _ = np.histogram2d(position[:, 1], position[:, 0], bins=edges)
        return self.smoothed(counted / self.cell**2)

    def misplaced(self, position: Array) -> float:
        """Share of the robots at ``position`` (N, 2) m that would have to be elsewhere: half of ``∫ |ρ − ρ_wished| / N``, both smoothed."""
        wished, found = self.smoothed(self.density), self.of(position)
        lost = max(self.robots - float(found.sum()) * self.cell**2, 0.0)
        return float(0.5 * (np.abs(found - wished).sum() * self.cell**2 + lost) / self.robots)


def wished_density(x: Array, y: Array, relative: Array, robots: int) -> WishedDensity:
    """``robots`` over a density of which ``relative`` (H, W) ≥ 0 tells the shares at ``x`` (W,), ``y`` (H,) m, evenly apart and rising.

    It is put on a square of ``CELLS`` by ``CELLS`` with empty floor around. ``ValueError`` for one that is nowhere positive, or is
    negative or infinite somewhere.
    """
    if not np.isfinite(relative).all() or (relative < 0.0).any() or not (relative > 0.0).any():
        raise ValueError("no density found, expected numbers of 0 and more, some of them more")
    step = np.array([x[-1] - x[0], y[-1] - y[0]]) / np.array([len(x) - 1, len(y) - 1])
    low, high = np.array([x[0], y[0]]) - 0.5 * step, np.array([x[-1], y[-1]]) + 0.5 * step
    cell = ROOM * float(np.linalg.norm(high - low)) / CELLS
    columns, rows = 0.5 * (low + high)[:, None] + (np.arange(CELLS) - 0.5 * (CELLS - 1)) * cell
    density = relative[_nearest(rows, low[1], step[1], len(y))][:, _nearest(columns, low[0], step[0], len(x))].astype(float)
    density[(rows < low[1]) | (rows > high[1])] = 0.0
    density[:, (columns < low[0]) | (columns > high[0])] = 0.0
    if not density.any():
        raise ValueError("a density too thin for its length found, expected one that is wider than a hundredth of it")
    return WishedDensity(columns, rows, density * robots / (density.sum() * cell**2))


def even_density(polygon: Array, robots: int) -> WishedDensity:
    """``robots`` spread evenly over a ``polygon`` (V, 2) m. ``ValueError`` for one that crosses itself or has no area."""
    import shapely

    shape = shapely.Polygon(polygon) if len(polygon) > 2 else None
    if shape is None or not shape.is_valid or shape.area <= 0.0:
        raise ValueError("no area found, expected the corners of a polygon, at least three, whose sides do not cross")
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    step = float((high - low).max()) / CELLS
    x, y = (np.arange(low[k] + 0.5 * step, high[k], step) for k in range(2))
    x, y = (side if len(side) > 1 else low[k] + step * (np.arange(2) + 0.5) for k, side in enumerate((x, y)))
    columns, rows = np.meshgrid(x, y)
    return wished_density(x, y, shapely.contains_xy(shape, columns, rows).astype(float), robots)


def _nearest(places: Array, low: float, step: float, count: int) -> np.ndarray:
    """Which of ``count`` cells of a side that begins at ``low`` (m) each of the ``places`` (m) lies in, the outermost for those beside."""
    index: np.ndarray = np.clip(np.floor((places - low) / step).astype(int), 0, count - 1)
    return index
