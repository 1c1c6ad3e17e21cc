"""Node ``markers``: the swarm for RViz and Foxglove as MarkerArray, URDF, and transforms where ``tf2_msgs`` is installed."""

import argparse
import sys
from typing import Any, ClassVar

import numpy as np
from rclpy.time import Time

from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.convert import odometry_values
from swarm_control.ros.messages.markers import markers
from swarm_control.ros.support.descriptions import Descriptions
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.scene import Scene
from swarm_control.ros.support.sources import StateSource
from swarm_control.scenario.groups import forms

PERIOD = 0.1
"""Time (s) between pictures."""


class Markers(SwarmNode):
    """Shows robots, leaders, neighbours, behaviours' shares, goals and formations, ten times a second."""

    kind: ClassVar[str] = "markers"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        source = self.option("source", "auto", "where the robots' states come from: swarm_state, odom, or auto: whichever is there")
        onboard = self.option("onboard", False, "whether the robots' nodes are in the robots' namespaces")
        spaces = tuple(f"/{topics.robot_name(name)}" for name in self.setup.fleet.names) if onboard else ("/swarm",)
        self._scene = Scene(self, spaces, forms(self.scenario))
        self._scene.attend(True)
        self._source = StateSource(self, source, lambda: None)
        self._markers = topics.publisher(self, topics.MARKERS)
        self._frames, self._descriptions = TransformWriter.of(self), Descriptions(self)
        self._shown = 0
        self.every(PERIOD, self._tell)

    def _tell(self) -> None:
        state = self._source.look()
        if state is None:
            return
        tables = {**self._scene.tables(state, self.controls), **self._scene.details()}
        stamp = Time(nanoseconds=round((state.time + self._source.origin) * 1e9)).to_msg()
        self._markers.publish(markers(tables, self._scene.names, self.setup.fleet.radius, stamp))
        if self._frames is not None:
            self._frames.tell(state, stamp)
        self._shown += 1

    def report(self) -> None:
        """How many pictures in the last second."""
        self._descriptions.look()
        self.status.write({"markers_per_second": self._shown, "tf": self._frames is not None})
        self._shown = 0


class TransformWriter:
    """Publishes each robot's ``base_link`` in the world frame on ``/tf``.

    Robots whose odometry begins with the scenario tell themselves where they are in their frames: there it is ``odom`` that has a place.
    """

    def __init__(self, node: SwarmNode, message: Any) -> None:
        self._message = message
        own = node.scenario.hardware.odometry.frame == "start"
        self._begin = node.setup.start if own else None
        self._names = [f"{topics.robot_name(name)}/{'odom' if own else 'base_link'}" for name in node.setup.fleet.names]
        self._publisher = node.create_publisher(message, "/tf", 10)

    @classmethod
    def of(cls, node: SwarmNode) -> "TransformWriter | None":
        """The publisher, or None where ``tf2_msgs`` is not installed."""
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            return None
        return cls(node, TFMessage)

    def tell(self, state: SwarmState, stamp: Any) -> None:
        """Publish the transforms of all robots that are heard."""
        from geometry_msgs.msg import TransformStamped

        values, transforms = odometry_values(self._begin or state), []
        for k in np.flatnonzero(state.valid):
            transform: Any = TransformStamped(child_frame_id=self._names[k])
            transform.header.frame_id, transform.header.stamp = topics.FRAME, stamp
            place, turn = transform.transform.translation, transform.transform.rotation
            place.x, place.y, turn.z, turn.w = (float(values[k, column]) for column in (0, 1, 5, 6))
            transforms.append(transform)
        self._publisher.publish(self._message(transforms=transforms))


def main() -> int:
    """Run the node."""
    return serve(Markers)


if __name__ == "__main__":
    sys.exit(main())
