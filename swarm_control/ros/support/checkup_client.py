"""Listens to robots for a while, for ``swarm doctor``."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy

from swarm_control.hardware.checkup import ERROR, ODOMETRY, OK, Check, HeardOdometry
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.poses import FrameTree, tf_message
from swarm_control.ros.support.graph_client import GraphClient
from swarm_control.scenario.hardware import TRACKER_TOPICS, Tracker

SETTLED = 1.5
"""Time (s) that nodes get to be found: they announce themselves each second."""


class CheckupClient(GraphClient):
    """Hears what robots say; use as a context manager."""

    kind = "doctor"
    world = topics.FRAME

    @property
    def hears_tf(self) -> bool:
        """Whether tf can be heard."""
        return tf_message() is not None

    def listen(self, odometry: Sequence[str], seconds: float, tell: Any = lambda done: None) -> list[HeardOdometry]:
        """What comes on these topics within so many ``seconds``; ``tell`` is told the share of the time that has passed."""
        end = time.monotonic() + SETTLED
        while time.monotonic() < end:
            self.serve(0.05)
        if self.count_publishers(topics.CLOCK.name):
            self.set_parameters([Parameter("use_sim_time", value=True)])
        self.frames = FrameTree(topics.FRAME)
        if (message := tf_message()) is not None:
            self.frames.hear(self, message)
        listening = [_Odometry(self, topic) for topic in odometry]
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds:
            self.serve(0.05)
            tell(passed / seconds)
        return [one.heard(self.published_as(one.topic)) for one in listening]

    def all_odometry(self) -> list[str]:
        """The topics with odometry that there are."""
        return sorted(name for name, kinds in self.get_topic_names_and_types() if ODOMETRY in kinds and self.count_publishers(name))

    def published_as(self, topic: str) -> frozenset[str]:
        """As which types somebody publishes ``topic``."""
        return frozenset(end.topic_type for end in self.get_publishers_info_by_topic(self.rooted(topic)))

    def heard_as(self, topic: str) -> frozenset[str]:
        """As which types somebody listens to ``topic``."""
        return frozenset(end.topic_type for end in self.get_subscriptions_info_by_topic(self.rooted(topic)))

    def who_publishes(self, topic: str) -> list[str]:
        """The nodes that publish ``topic``."""
        ends = self.get_publishers_info_by_topic(self.rooted(topic))
        return sorted({f"{end.node_namespace.rstrip('/')}/{end.node_name}" for end in ends})

    def tracker_check(self, tracker: Tracker, names: Sequence[str]) -> Check:
        """Whether somebody publishes what the tracker is to hear, and an image's size is that of the calibration."""
        pattern = tracker.topic or TRACKER_TOPICS[tracker.source]
        wanted = sorted({pattern.format(robot=topics.robot_name(name)) for name in names}) if "{" in pattern else [pattern]
        silent = [topic for topic in wanted if not self.who_publishes(topic)]
        if silent:
            more = f", and {len(silent) - 1} more" if len(silent) > 1 else ""
            remedy = "start the camera or motion capture, or set hardware.tracker.topic"
            return Check(ERROR, f"tracker: nobody publishes {silent[0]}{more}", remedy)
        if tracker.source == "camera" and len(tracker.floor.image_points) < 8:
            return Check(ERROR, "tracker: the camera is not calibrated", "swarm calibrate tells it how the camera sees the floor")
        size = self._image_size(wanted[0]) if tracker.source == "camera" and not wanted[0].endswith("/compressed") else None
        given = tuple(map(int, tracker.floor.image_size))
        if size is not None and size != given:
            said = f"tracker: images of {size[0]} × {size[1]} px come, calibrated are {given[0]} × {given[1]}"
            return Check(ERROR, said, "calibrate with images of this size, or have the camera send the other")
        return Check(OK, f"tracker: {wanted[0]} is published")

    def _image_size(self, topic: str) -> tuple[int, int] | None:
        """Width and height, px, of the first image that comes."""
        found: list[tuple[int, int]] = []

        def note(data: bytes) -> None:
            height, width, _ = cdr.read_image(data)[2]
            found.append((width, height))

        topics.subscribe(self, topics.Topic(topic, topics.CAMERA.kind), note, raw=True)
        end = time.monotonic() + 2.0 * SETTLED
        while not found and time.monotonic() < end:
            self.serve(0.05)
        return found[0] if found else None

    def frames_known(self, frames: Sequence[str]) -> list[str]:
        """Those of the frames of which tf tells where they are in the map."""
        return [frame for frame in frames if (pose := self.frames.pose(frame.lstrip("/"))) is not None and bool(np.isfinite(pose).all())]


class _Odometry:
    """What comes on one topic."""

    def __init__(self, node: CheckupClient, topic: str) -> None:
        self.topic, self._node = topic, node
        self._came: list[float] = []
        self._stamps: list[float] = []
        self._frames: set[str] = set()
        self._finite = True
        self._position: tuple[float, float] | None = None
        profile = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
        node.create_subscription(topics.ODOM.kind, topic, self._note, profile, raw=True)

    def _note(self, data: bytes) -> None:
        stamp, values = cdr.read_odometry(data)
        self._came.append(self._node.get_clock().now().nanoseconds * 1e-9)
        self._stamps.append(stamp)
        self._frames.add(cdr.read_frame(data).decode(errors="replace"))
        self._finite = self._finite and all(map(math.isfinite, values))
        self._position = values[0], values[1]

    def heard(self, types: frozenset[str]) -> HeardOdometry:
        return HeardOdometry(types, np.array(self._came), np.array(self._stamps), frozenset(self._frames), self._finite, self._position)
