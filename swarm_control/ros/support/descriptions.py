"""What robots look like, for RViz's and Foxglove's models: a ``robot_description`` of each that does not tell its own."""

import importlib.util
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from swarm_control.core.robot import ROBOTS
from swarm_control.ros.graph import topics
from swarm_control.world.urdf import Piece, urdf

PATIENCE = 2
"""Looks at the graph, a second apart, before robots are described: their own drivers may do so."""


class Descriptions:
    """Publishes descriptions, latched, of those robots for which nobody else does; to be asked once a second."""

    def __init__(self, node: Any) -> None:
        self._node, self._looked = node, 0
        self._publishers: list[Any] = []

    def look(self) -> None:
        """Describe the robots, once, after some patience."""
        self._looked += 1
        if self._looked != PATIENCE:
            return
        fleet, topic = self._node.setup.fleet, topics.ROBOT_DESCRIPTION
        seen: dict[tuple[str, float], tuple[Piece, ...]] = {}
        for robot, name in enumerate(fleet.names):
            if not self._node.count_publishers(topic.of(name)):
                publisher = topics.publisher(self._node, topic, name)
                kind = fleet.model[robot], float(fleet.radius[robot])
                seen[kind] = seen[kind] if kind in seen else self._looks_of(robot)
                publisher.publish(String(data=urdf(fleet, robot, seen[kind])))
                self._publishers.append(publisher)

    def _looks_of(self, robot: int) -> tuple[Piece, ...]:
        """What a robot that MuJoCo moves looks like; nothing of the others, and where MuJoCo is not installed."""
        fleet, scenario = self._node.setup.fleet, self._node.scenario
        if ROBOTS[fleet.model[robot]].body is None or importlib.util.find_spec("mujoco") is None:
            return ()
        from swarm_control.sim.mujoco.looks import looks

        meshes = Path.home() / ".cache" / "swarm_control" / "meshes"
        return looks(fleet, self._node.setup.start, robot, scenario.bodies, scenario.seed, meshes)
