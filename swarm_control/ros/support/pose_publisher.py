"""Publishes poses as a motion capture system does, for the node tracker to hear: of all robots in one message, or of each in its own."""

import time
from collections.abc import Sequence
from typing import Any

import rclpy
from geometry_msgs.msg import PoseArray, PoseStamped
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.poses import WHERE, pose_message
from swarm_control.ros.support.transport import sockets_only
from swarm_control.scenario.hardware import TRACKER_TOPICS, Tracker

KINDS: dict[str, type] = {"pose_array": PoseArray, "pose_stamped": PoseStamped}
"""What can be published, by the name of the tracker's source; the first where the scenario has none."""


class PosePublisher:
    """The node ``motion_capture``; use it as a context. It says the poses of the robots ``names`` in the way that ``tracker`` hears."""

    def __init__(self, tracker: Tracker, names: Sequence[str]) -> None:
        source = next(iter(KINDS)) if tracker.source == "none" else tracker.source
        if source not in KINDS:
            raise InputError(WHERE, f"{source} found, expected one that can be emulated: {' or '.join(KINDS)}")
        topic = topics.Topic(tracker.topic or TRACKER_TOPICS[source], KINDS[source])
        with sockets_only():
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            self._node = rclpy.create_node("motion_capture")
        self._publishers = [topics.publisher(self._node, topic, name) for name in (names if source == "pose_stamped" else [""])]
        self._together = source == "pose_array"

    def __enter__(self) -> "PosePublisher":
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        rclpy.try_shutdown()

    def publish(self, age: float, pose: Array) -> None:
        """Say the poses (N, 3) that were measured ``age`` (s) ago."""
        stamp = Time(nanoseconds=round(1e9 * (time.time() - age))).to_msg()
        messages: list[Any] = [pose_message(one, stamp) for one in pose]
        if self._together:
            every = PoseArray(header=messages[0].header, poses=[message.pose for message in messages])
            messages = [every]
        for publisher, message in zip(self._publishers, messages):
            publisher.publish(message)
