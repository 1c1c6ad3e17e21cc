"""What stands on a map as round bodies: behaviours that pass obstacles on one side or the other need their middle and their size."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.grid import Grid

FULL = 0.25
"""Share of its circle that an obstacle must fill; one that fills less is long or hollow, and is taken in parts."""


def round_obstacles(grid: Grid) -> Array:
    """Circles round all obstacles of the ``grid``, (K, 3): centre x, y and radius, m, world frame; none for open space.

    An obstacle is what hangs together, cells that touch at a corner included; its circle is the smallest around all of its cells. Walls
    and frames, which fill less than a quarter of theirs, are halved across until their parts fill enough.
    """
    from scipy import ndimage

    if not grid.occupied.any():
        return np.empty((0, 3))
    labels, _ = ndimage.label(grid.occupied, np.ones((3, 3), int))
    circles: list[Array] = []
    for number, window in enumerate(ndimage.find_objects(labels), start=1):
        rows, columns = np.nonzero(labels[window] == number)
        cells = np.column_stack((columns + window[1].start, rows + window[0].start))
        circles += [_circle(part) for part in _parts(cells)]
    table = np.array(circles) * grid.resolution
    table[:, :2] += grid.origin
    return np.asarray(table)


def _parts(cells: IntArray) -> list[IntArray]:
    """The cells (n, 2), column and row, in as many parts as it takes for each to fill enough of its circle."""
    waiting, done = [cells], []
    while waiting:
        part = waiting.pop()
        extent = np.ptp(part, axis=0)
        area = np.pi * _circle(part)[2] ** 2
        if len(part) >= FULL * area or not extent.any():
            done.append(part)
            continue
        axis = int(np.argmax(extent))
        upper: BoolArray = part[:, axis] > part[:, axis].min() + extent[axis] // 2
        waiting += [part[~upper], part[upper]]
    return done


def _circle(cells: IntArray) -> Array:
    """Centre and radius (3,) of the smallest circle around cells (n, 2), in cells."""
    import shapely

    corners = (cells[:, None] + np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).reshape(-1, 2).astype(float)
    middle = shapely.minimum_bounding_circle(shapely.multipoints(corners)).centroid
    centre = np.array([middle.x, middle.y])
    return np.append(centre, norm(corners - centre).max())
