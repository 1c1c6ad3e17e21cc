"""The map as a node hears it: the scenario's own until ``/map`` brings another."""

from typing import Any

from nav_msgs.msg import OccupancyGrid

from swarm_control.nodes import convert, topics
from swarm_control.sim.surroundings import MapReader


class MapInput:
    """Keeps a :class:`MapReader` for the newest map."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self.reader = MapReader(node.setup.fleet, node.setup.grid)
        topics.subscribe(node, topics.MAP, self._hear)

    def _hear(self, message: OccupancyGrid) -> None:
        try:
            grid = convert.grid_of(message)
        except ValueError as error:
            self._node.get_logger().error(f"/map: {error}; the map has not been changed")
            return
        if self.reader.grid is None or not convert.same_grid(self.reader.grid, grid):
            self.reader = MapReader(self._node.setup.fleet, grid)
            rows, columns = grid.occupied.shape
            self._node.get_logger().info(f"map of {columns} × {rows} cells of {grid.resolution:g} m")
