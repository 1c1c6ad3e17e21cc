"""What robots look like, for RViz's and Foxglove's models: a ``robot_description`` of each that does not tell its own."""

from typing import Any

from std_msgs.msg import String

from swarm_control.ros.graph import topics
from swarm_control.world.urdf import urdf

PATIENCE = 2
"""Looks at the graph, a second apart, before robots are described: their own drivers may do so."""


class Descriptions:
    """Publishes descriptions, latched, of those robots for which nobody else does; to be asked once a second."""

    def __init__(self, node: Any) -> None:
        self._node, self._looks = node, 0
        self._publishers: list[Any] = []

    def look(self) -> None:
        """Describe the robots, once, after some patience."""
        self._looks += 1
        if self._looks != PATIENCE:
            return
        fleet, topic = self._node.setup.fleet, topics.ROBOT_DESCRIPTION
        for robot, name in enumerate(fleet.names):
            if not self._node.count_publishers(topic.of(name)):
                publisher = topics.publisher(self._node, topic, name)
                publisher.publish(String(data=urdf(fleet, robot)))
                self._publishers.append(publisher)
