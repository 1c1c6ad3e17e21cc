"""What stands alone on the map, so that a formation may pass it on both sides."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map


@dataclass(frozen=True)
class Islands:
    """The map ``without`` its islands, and the ``widest`` one's greatest extent, m."""

    without: Map
    widest: float


def islands(map: Map, most: float) -> Islands | None:
    """The islands of ``map``: walls that reach no edge of it, the box of their cells at most ``most`` (m) across; None: there are none."""
    return map.once(_islands, most)


def _islands(map: Map, most: float) -> Islands | None:
    from scipy import ndimage

    grid = map.grid
    parts, _ = ndimage.label(grid.occupied, np.ones((3, 3)))
    left, widest = grid.occupied.copy(), 0.0
    for number, box in enumerate(ndimage.find_objects(parts), start=1):
        inside = all(one.start > 0 and one.stop < size for one, size in zip(box, parts.shape))
        across = grid.resolution * float(np.hypot(*(one.stop - one.start for one in box)))
        if inside and across <= most:
            left[box] &= parts[box] != number
            widest = max(widest, across)
    return Islands(make_map(Grid(left, grid.origin, grid.resolution)), widest) if widest > 0.0 else None
