"""What tools for any robots expect of a graph, said for all nodes in one place: the map, and diagnostics."""

from copy import deepcopy
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import OccupancyGrid

from swarm_control.ros.graph import topics
from swarm_control.ros.messages.maps import grid_message


class Announcements:
    """Publishes ``/map`` where no simulator of this package does, and passes what nodes say of themselves on to ``/diagnostics``."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._diagnostics = topics.publisher(node, topics.DIAGNOSTICS)
        wanted = bool(node.option("map", False, "whether it publishes the scenario's map, as long as nobody else publishes one"))
        self._map = topics.publisher(node, topics.MAP) if wanted and node.setup.grid is not None else None
        if self._map is not None:
            message = grid_message(node.setup.grid, OccupancyGrid())
            message.header.frame_id = topics.FRAME
            self._map.publish(message)

    def look(self) -> None:
        """Leave the map to a map server that has come; called once a second."""
        if self._map is not None and self._node.count_publishers(topics.MAP.name) > 1:
            self._node.destroy_publisher(self._map)
            self._map = None
            self._node.get_logger().info(f"somebody else publishes {topics.MAP.name}: the scenario's own is withdrawn")

    def pass_on(self, status: DiagnosticArray) -> None:
        """Nodes have said how they are: tell it to whoever watches all robots of the graph, with their full names."""
        told = deepcopy(status)
        for one in told.status:
            one.name = f"{self._node.root}{one.name}"
        self._diagnostics.publish(told)
