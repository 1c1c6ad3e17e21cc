"""The map as a message, and as a node hears it: the scenario's own until ``/map`` brings another."""

from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid

from swarm_control.core.grid import Grid
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.convert import FARTHEST
from swarm_control.runtime.stages import Knowledge

LARGEST = 10**8
"""Cells of a map, at most."""


class MapInput:
    """Keeps the robots' :class:`~swarm_control.runtime.stages.Knowledge` of the newest map."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self.knowledge = self._known(node.setup.grid)
        topics.subscribe(node, topics.MAP, self._hear)

    def _hear(self, message: OccupancyGrid) -> None:
        grid = grid_of(message)
        if self.knowledge.grid is None or not same_grid(self.knowledge.grid, grid):
            self.knowledge = self._known(grid)
            rows, columns = grid.occupied.shape
            self._node.get_logger().info(f"map of {columns} × {rows} cells of {grid.resolution:g} m")

    def _known(self, grid: Grid | None) -> Knowledge:
        return Knowledge(self._node.setup, self._node.squads, self._node.flocks, grid)


def grid_message(grid: Grid, message: Any) -> Any:
    """Fill ``message``, an ``OccupancyGrid``, from ``grid``."""
    message.info.resolution = float(grid.resolution)
    message.info.height, message.info.width = (int(n) for n in grid.occupied.shape)
    message.info.origin.position.x, message.info.origin.position.y = map(float, grid.origin)
    message.info.origin.orientation.w = 1.0
    message.data = np.where(grid.occupied, 100, 0).astype(np.int8).ravel().tobytes()
    return message


def grid_of(message: Any) -> Grid:
    """Grid of an ``OccupancyGrid``: cells of at least 50 %, and unknown ones, are walls. ``ValueError`` when it is turned or empty."""
    info = message.info
    place = (info.origin.position.x, info.origin.position.y)
    if not (0 < info.width * info.height <= LARGEST and 0.0 < info.resolution <= 1e3 and np.abs(place).max() <= FARTHEST):
        found = f"{info.width} × {info.height} cells of {info.resolution:g} m at ({place[0]:g}, {place[1]:g})"
        raise ValueError(f"{found} found, expected some cells, at most {LARGEST}, of a size above 0, within {FARTHEST:g} m")
    if len(message.data) != info.width * info.height:
        raise ValueError(f"{len(message.data)} cells found, expected {info.width} × {info.height}")
    if abs(info.origin.orientation.z) > 1e-6 or abs(info.origin.orientation.x) + abs(info.origin.orientation.y) > 1e-6:
        raise ValueError("the map's origin is turned, expected a map along the world's axes")
    cells = np.asarray(message.data, np.int8).reshape(info.height, info.width)
    return Grid((cells >= 50) | (cells < 0), (info.origin.position.x, info.origin.position.y), float(info.resolution))


def same_grid(a: Grid, b: Grid) -> bool:
    """Whether two grids are the same but for the single precision that messages give the resolution."""
    close = np.allclose([*a.origin, a.resolution], [*b.origin, b.resolution], rtol=1e-6, atol=1e-9)
    return bool(close) and np.array_equal(a.occupied, b.occupied)
