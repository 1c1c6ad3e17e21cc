"""Poses that others measure, from PoseStamped, PoseWithCovarianceStamped, PoseArray and tf, as the tracker's input."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseArray, PoseStamped, PoseWithCovarianceStamped

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.rotations import yaw_of
from swarm_control.scenario.hardware import Tracker

Heard = Callable[[Sequence[int], Array, Sequence[float], Array | None], None]
"""Called with robots (n), their poses (n, 3) in m, m, rad, stamps (n) s, and the poses' variances (n, 3) where they are told."""

WHERE = "hardware.tracker.source"


def listen(node: Any, tracker: Tracker, topic: str, names: Sequence[str], heard: Heard) -> None:
    """Subscribe to poses of the robots ``names`` as ``tracker`` says."""
    if tracker.source == "pose_array":

        def hear_all(data: bytes) -> None:
            stamp, numbers = cdr.read_pose_array(data)
            n = min(len(numbers), len(names))
            heard(range(n), planar(numbers[:n]), [stamp] * n, None)

        topics.subscribe(node, topics.Topic(topic, PoseArray), hear_all, raw=True)
    elif tracker.source == "tf":
        children = {tracker.child_frame.format(robot=topics.robot_name(name)).lstrip("/"): k for k, name in enumerate(names)}
        frames = FrameTree(tracker.frame.lstrip("/"), children, heard)
        message = tf_message()
        if message is None:
            raise InputError(WHERE, "tf found, which needs the ROS package tf2_msgs; install it, or use pose_stamped or pose_array")
        frames.hear(node, message, topic)
    else:

        def hear(robot: int, data: bytes) -> None:
            stamp, numbers = cdr.read_pose_stamped(data)
            heard([robot], planar(np.array([numbers])), [stamp], None)

        def hear_with_variances(robot: int, data: bytes) -> None:
            stamp, numbers, variances = cdr.read_pose_with_covariance(data)
            heard([robot], planar(np.array([numbers])), [stamp], np.array([variances]))

        kind, told = (PoseStamped, hear) if tracker.source == "pose_stamped" else (PoseWithCovarianceStamped, hear_with_variances)
        for k, name in enumerate(names):
            topics.subscribe(node, topics.Topic(topic, kind), partial(told, k), name, raw=True)


def planar(numbers: Array) -> Array:
    """x, y, yaw (n, 3) of positions and orientations (n, 7) x y z, x y z w; NaN where the orientation is none."""
    yaw = np.where(np.linalg.norm(numbers[:, 3:], axis=1) > 0.1, yaw_of(*numbers[:, 3:].T), np.nan)
    return np.column_stack((numbers[:, :2], yaw))


class FrameTree:
    """The tree of frames: from the floor's ``root`` down to the robots' ``children``, name → robot, whose poses ``heard`` is told."""

    def __init__(self, root: str, children: Mapping[str, int] = MappingProxyType({}), heard: Heard = lambda *told: None) -> None:
        self._root, self._children, self._heard = root, children, heard
        self._parents: dict[str, tuple[str, Array]] = {}

    def hear(self, node: Any, message: Any, topic: str = "/tf") -> None:
        """Subscribe to transforms, ``message`` as :func:`tf_message` has it."""
        topics.subscribe(node, topics.Topic("/tf_static", message, lossy=False, latched=True, depth=100), self.note_static)
        topics.subscribe(node, topics.Topic(topic, message, depth=100), self.note)

    def note(self, message: Any) -> None:
        """Transforms have come; robots in frames among them are where they say."""
        self.note_static(message)
        for one in message.transforms:
            child = one.child_frame_id.lstrip("/")
            pose = self.pose(child) if child in self._children else None
            if pose is not None:
                stamp = one.header.stamp.sec + 1e-9 * one.header.stamp.nanosec
                self._heard([self._children[child]], planar_of_matrix(pose), [stamp], None)

    def note_static(self, message: Any) -> None:
        """Transforms that hold until they are told anew."""
        for one in message.transforms:
            self._parents[one.child_frame_id.lstrip("/")] = one.header.frame_id.lstrip("/"), matrix(one.transform)

    def pose(self, child: str) -> Array | None:
        """The frame ``child`` (4, 4) in the root's, or None while a link is missing."""
        pose = np.eye(4)
        for _ in range(len(self._parents)):
            if child not in self._parents:
                return None
            child, link = self._parents[child]
            pose = link @ pose
            if child == self._root:
                return pose
        return None


def pose_message(pose: Array, stamp: Any) -> PoseStamped:
    """A pose (3,): x, y (m), yaw (rad) in the world frame, as a message."""
    message = PoseStamped()
    message.header.frame_id, message.header.stamp = topics.FRAME, stamp
    message.pose.position.x, message.pose.position.y = float(pose[0]), float(pose[1])
    message.pose.orientation.z, message.pose.orientation.w = float(np.sin(0.5 * pose[2])), float(np.cos(0.5 * pose[2]))
    return message


def matrix(transform: Any) -> Array:
    """A ``geometry_msgs/Transform`` as a matrix (4, 4); NaN where the rotation is none."""
    t, q = transform.translation, transform.rotation
    norm = np.sqrt(q.x**2 + q.y**2 + q.z**2 + q.w**2)
    x, y, z, w = np.array([q.x, q.y, q.z, q.w]) / (norm if norm > 0.1 else np.nan)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t.x],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t.y],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t.z],
        [0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip


def planar_of_matrix(pose: Array) -> Array:
    """x, y, yaw (1, 3) of a frame (4, 4)."""
    return np.array([[pose[0, 3], pose[1, 3], np.arctan2(pose[1, 0], pose[0, 0])]])


def matrix_of_planar(pose: Array) -> Array:
    """A frame (4, 4) at x, y, yaw (3,)."""
    (x, y), c, s = pose[:2], np.cos(pose[2]), np.sin(pose[2])
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def tf_message() -> Any:
    """The type of ``/tf``; None where the ROS package ``tf2_msgs`` is not installed."""
    try:
        from tf2_msgs.msg import TFMessage
    except ImportError:
        return None
    return TFMessage
