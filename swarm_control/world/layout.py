"""A world as the project uses it: walls as polygons, robots with poses and limits, occupancy grids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.world.raster import rasterise
from swarm_control.world.robots import WorldRobot

if TYPE_CHECKING:
    from swarm_control.core.grid import Grid

MAX_CELLS = 25_000_000
_USUAL_CELLS = 4_000_000  # of a grid whose resolution nobody asked for
_FINE = 0.05  # m, coarser pixels are divided


class Lattice(NamedTuple):
    """Square pixels of an upright bitmap: a corner of them (m) and their side (m)."""

    x: float
    y: float
    side: float


@dataclass(frozen=True, eq=False)
class World:
    """What a world file says.

    ``walls``: simple polygons (K, 2) in m, counter-clockwise, world frame; they may overlap.
    ``interval_sim``: step of the simulation, s. ``resolution``: cell of Stage's own collision map, m.
    ``bounds``: (x lowest, y lowest, x highest, y highest) of walls and robots, m. ``notices``: one-line
    remarks on what was not used.
    """

    path: Path
    walls: tuple[Array, ...]
    robots: tuple[WorldRobot, ...]
    interval_sim: float
    resolution: float
    bounds: tuple[float, float, float, float]
    notices: tuple[str, ...] = ()
    lattice: Lattice | None = None

    def occupancy(self, resolution: float | None = None, margin: int = 1) -> Grid:
        """Grid of the walls: a cell is occupied if a wall covers any of its area; ``margin`` cells around.

        By default the cells are the pixels of the largest upright bitmap with square pixels (divided until at
        most 0.05 m wide), which reproduces that bitmap exactly; without one they measure ``self.resolution``,
        more where the world is large. Cells are laid out from that bitmap's corner, else from the origin.
        InputError for a resolution that is not positive or needs more than 25 million cells.
        """
        from swarm_control.core.grid import Grid

        cell = self._usual_resolution() if resolution is None else resolution
        if not (math.isfinite(cell) and cell > 0.0):
            raise InputError(
                str(self.path), f"resolution: expected a number of metres above 0, found {cell:g}"
            )
        anchor = np.array(self.lattice[:2]) if self.lattice is not None else np.zeros(2)
        low = np.floor((np.array(self.bounds[:2]) - anchor) / cell + 1e-4) - margin
        high = np.ceil((np.array(self.bounds[2:]) - anchor) / cell - 1e-4) + margin
        columns, rows = np.maximum(high - low, 1.0)
        if columns * rows > MAX_CELLS:
            raise InputError(
                str(self.path),
                f"resolution: expected at most {MAX_CELLS} cells, found {columns:.0f} × {rows:.0f}",
            )
        x, y = anchor + low * cell
        occupied = rasterise(list(self.walls), (x, y), cell, (int(rows), int(columns)))
        return Grid(occupied, (float(x), float(y)), float(cell))

    def _usual_resolution(self) -> float:
        """Pixels of the bitmap or cells of Stage, but not so fine that the grid becomes huge."""
        width, height = self.bounds[2] - self.bounds[0], self.bounds[3] - self.bounds[1]
        cell = self.resolution
        if self.lattice is not None:
            cell = self.lattice.side / max(1, math.ceil(self.lattice.side / _FINE - 1e-9))
        return max(cell, math.sqrt(width * height / _USUAL_CELLS), max(width, height) / (_USUAL_CELLS / 10))
