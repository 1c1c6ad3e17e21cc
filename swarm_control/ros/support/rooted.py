"""Several swarms in one graph: what a node's namespace begins with is its swarm's, and all its names are below it."""

from typing import Any

from rclpy.node import Node

from swarm_control.ros.graph.spec import TOP

EVERYWHERE = ("/rosout", "/parameter_events", "/diagnostics")
"""Topics that ROS has once in a graph."""


class RootedNode(Node):
    """A node of a swarm that need not be alone. In ``/swarm`` its root is the graph's, in ``/lab/swarm`` and ``/lab/robot_3`` ``/lab``.

    Topics and services that begin with a slash are below the root: ``/clock`` is ``/lab/clock``. With two slashes they are at the top of
    the graph. Nodes call each other by their names within the root, so that they say the same wherever it is.
    """

    @property
    def root(self) -> str:
        """Where the swarm is in the graph: empty, or with a slash before it and none behind."""
        return str(self.get_namespace()).rstrip("/").rpartition("/")[0]

    @property
    def space(self) -> str:
        """The node's namespace within the root, as ``/swarm``; empty at the top."""
        return str(self.get_namespace()).rstrip("/").removeprefix(self.root)

    @property
    def place(self) -> str:
        """The node's name with its namespace, within the root."""
        return f"{self.space}/{self.get_name()}"

    def rooted(self, name: str) -> str:
        """The name in the graph of what is called ``name`` within the root; relative names stay as they are."""
        if name.startswith(TOP):
            return name[1:]
        return f"{self.root}{name}" if name.startswith("/") and name not in EVERYWHERE else name

    def within(self, name: str) -> str | None:
        """What is called ``name`` in the graph, within the root; None: it belongs to another swarm."""
        return name.removeprefix(self.root) if name.startswith(f"{self.root}/") or name in EVERYWHERE else None

    def known_as(self, name: str) -> str:
        """The name in the graph, with remappings, of a topic that is called ``name`` within the root."""
        return str(self.resolve_topic_name(self.rooted(name)))

    def create_publisher(self, msg_type: Any, topic: str, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's."""
        return super().create_publisher(msg_type, self.rooted(topic), *arguments, **named)

    def create_subscription(self, msg_type: Any, topic: str, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's."""
        return super().create_subscription(msg_type, self.rooted(topic), *arguments, **named)

    def create_service(self, srv_type: Any, srv_name: str, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's."""
        return super().create_service(srv_type, self.rooted(srv_name), *arguments, **named)

    def create_client(self, srv_type: Any, srv_name: str, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's."""
        return super().create_client(srv_type, self.rooted(srv_name), *arguments, **named)

    def count_publishers(self, topic_name: str) -> int:
        """As rclpy's, with remappings."""
        return int(super().count_publishers(self.known_as(topic_name)))

    def subscribers_of(self, full: str) -> int:
        """How many subscribe to what is called ``full`` in the graph, of whatever type."""
        return int(super().count_subscribers(full))

    def count_subscribers(self, topic_name: str) -> int:
        """As rclpy's, with remappings."""
        return int(super().count_subscribers(self.known_as(topic_name)))
