"""A node that joins the graph for a moment, for a command: it asks, waits for answers, and leaves."""

import os
from typing import TypeVar

import rclpy
from rclpy.signals import SignalHandlerOptions

from swarm_control.ros.graph.spec import HOSTED
from swarm_control.ros.support.base_node import executor
from swarm_control.ros.support.rooted import RootedNode
from swarm_control.ros.support.transport import sockets_only

C = TypeVar("C", bound="GraphClient")


class GraphClient(RootedNode):
    """A node called ``kind`` and its process, of the swarm below ``root``; use as a context manager."""

    kind: str

    def __init__(self, root: str = "") -> None:
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        with sockets_only():
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            super().__init__(f"{self.kind}_{os.getpid()}", namespace=f"{root}{HOSTED}")
        self.domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        self._executor = executor(self)

    def serve(self, seconds: float) -> None:
        """Serve one thing that comes within so long."""
        self._executor.spin_once(timeout_sec=seconds)

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.shutdown()
        self.destroy_node()
        rclpy.try_shutdown()
