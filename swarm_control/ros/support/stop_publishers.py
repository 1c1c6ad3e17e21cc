"""What a guard stops robots with: a publisher of commands for each, and whether who obeys has been met."""

import time
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped

from swarm_control.ros.graph import topics
from swarm_control.ros.support.lease_topics import check_topics
from swarm_control.ros.support.status import shown

REACHING = 5.0
"""Time (s) for which permission waits for robots' drivers to be met, so that they can be stopped before they are moved."""


class StopPublishers:
    """The robots that a ``node`` watches over: ``topics`` of their commands and ``frames``: empty for Twist, None for what nobody hears."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self.topics: list[str] = []
        self.frames: list[str | None] = []
        self._commands: dict[str, tuple[str, Any]] = {}
        self._unmet: dict[str, float] = {}

    def watch_over(self, names: list[str], frames: list[str | None]) -> bool:
        """Take over robots; whether these are others than before. ``ValueError`` for topics that are none."""
        check_topics(names, frames)
        if names == self.topics and frames == self.frames:
            return False
        wanted = {name: frame for name, frame in zip(names, frames) if frame is not None}
        gone = [name for name, (frame, _) in self._commands.items() if wanted.get(name) != frame]
        for name in gone:
            self._node.destroy_publisher(self._commands.pop(name)[1])
            self._unmet.pop(name, None)
        self.topics, self.frames = [], []  # should a topic be refused, the next request tries again
        if wanted.keys() & set(gone):  # a topic has one type, until the executor has let go of what was there: with the next request
            return False
        for name in wanted.keys() - self._commands.keys():
            kind = topics.CMD_VEL_STAMPED if wanted[name] else topics.CMD_VEL
            self._commands[name] = wanted[name], self._node.create_publisher(kind.kind, name, kind.publish_qos)
            self._unmet[name] = time.monotonic()
        self.topics, self.frames = names, frames
        return True

    def reach_all(self, now: float) -> bool:
        """Whether all who obey commands have been met, and hear when they are to stop. Who is not met for long is named and passed over."""
        given_up = []
        for name, since in list(self._unmet.items()):
            met = self._commands[name][1].get_subscription_count() > 0
            if not met and now - since > REACHING:
                given_up.append(name)
            if met or now - since > REACHING:
                del self._unmet[name]
        if given_up:
            who, robot = shown(given_up), "those robots" if len(given_up) > 1 else "that robot"
            self._node.get_logger().error(f"{who}: who listens there was not met within {REACHING:g} s; the guard cannot stop {robot}")
        return not self._unmet

    def stop(self) -> bool:
        """Tell all robots to stand; whether there are any."""
        still, stamped = Twist(), TwistStamped()
        stamped.header.stamp = self._node.get_clock().now().to_msg()
        for frame, publisher in self._commands.values():
            stamped.header.frame_id = frame
            publisher.publish(stamped if frame else still)
        return bool(self._commands)
