"""Trajectories that come as ``nav_msgs/Path``."""

from collections.abc import Callable
from typing import Any

import numpy as np
from nav_msgs.msg import Path

from swarm_control.formation.itinerary import Itinerary, through
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.rotations import yaw_of_message
from swarm_control.scenario.trajectories import told


def paths_for(node: Any, follow: Callable[[Itinerary], float]) -> Callable[[Path], None]:
    """A callback of ``structure/path`` that has ``follow`` take up what can be a trajectory; the ``node``'s log tells of the others, and of
    those that are slowed, by what ``follow`` answers.
    """

    def hear(message: Path) -> None:
        try:
            slower = follow(trajectory_of_path(message))
        except ValueError as error:
            node.get_logger().error(str(error))
        else:
            if slower > 1.0:
                node.get_logger().warning(told(slower, "structure/path"))

    return hear


def trajectory_of_path(message: Path) -> Itinerary:
    """The trajectory that ``structure/path`` tells; stamps that increase are its times, and where all are equal it has none.

    ``ValueError`` for fewer than two poses, numbers that are not finite, stamps that go back, and other frames than the world's.
    """
    frames = {message.header.frame_id, *(pose.header.frame_id for pose in message.poses)} - {"", topics.FRAME}
    if frames:
        raise ValueError(f"path in frame {min(frames)!r} refused, expected frame {topics.FRAME!r}")
    if len(message.poses) < 2:
        raise ValueError(f"path of {len(message.poses)} poses refused, expected at least two")
    rows = []
    for stamped in message.poses:
        p, yaw = stamped.pose.position, yaw_of_message(stamped.pose.orientation)
        rows.append((stamped.header.stamp.sec + 1e-9 * stamped.header.stamp.nanosec, p.x, p.y, yaw))
    table = np.array(rows)
    if not np.isfinite(table).all():
        raise ValueError("path with numbers that are not finite refused, expected finite ones")
    poses = np.column_stack((table[:, 1:3], np.unwrap(table[:, 3])))
    passed = np.diff(table[:, 0])
    if not passed.any():
        return Itinerary(poses, None)
    if (passed <= 0.0).any():
        raise ValueError("path with stamps that do not increase refused, expected increasing ones, or none at all")
    return through(table[:, 0], poses)
