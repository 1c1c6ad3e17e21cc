"""Robots' odometry in the frame of the map, whatever frame it comes in (REP 105: ``map`` → ``odom`` → ``base_link``)."""

import math
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.poses import FrameTree, matrix_of_planar, tf_message
from swarm_control.ros.messages.rotations import turned
from swarm_control.scenario.hardware import Odometry

TELLING = ("motion_model", "aggregator")
"""Kinds of nodes that say which frames are not known; the others hear the same odometry."""


UNTOLD = 2.0
"""For so long (s) a frame may be unknown before a line says so: transforms come a little later than the first odometry."""

JUMP = 0.3
"""What odometry may jump by (m) beyond twice what its robot can have gone."""


class OdometryFrames:
    """Where the frames of robots' odometry are in the map, as ``hardware.odometry.frame`` says.

    Odometry that says that it is in the map's frame is taken as it is, as the tracker's and the wheel driver's. ``auto``: of other frames
    tf tells, where ``tf2_msgs`` is installed.
    """

    def __init__(self, node: Any, params: Odometry, start: Array) -> None:
        """``start`` (N, 3): where the robots' own frames begin with ``start``; m, rad, world frame."""
        self._node, self._source = node, params.frame
        self._start = [matrix_of_planar(pose) for pose in start]
        self._tree: FrameTree | None = None
        self._refused: set[tuple[int, bytes]] = set()
        self._unknown: dict[tuple[int, bytes], float] = {}
        self._last: dict[int, tuple[float, float, float]] = {}
        self._begun_anew: set[int] = set()

    def in_map(self, robot: int, frame: bytes, values: tuple[float, ...], time: float) -> tuple[float, ...] | None:
        """Position, orientation and twist (13) of a robot as its odometry has them in ``frame`` at a ``time`` (s), but in the map's frame.

        None where nobody tells where that frame is, and of a frame that began where the scenario starts its robot once its driver has been
        started anew, somewhere else: who stops the robot says so, once for a robot and a frame.
        """
        if self._source == "map" or frame == topics.FRAME.encode() or (self._source == "auto" and not frame):
            return values
        if self._source == "start" and self._begins_anew(robot, values[0], values[1], time):
            return None
        pose = self._start[robot] if self._source == "start" else self._from_tf(robot, frame)
        if pose is None:
            return None
        x, y, z = map(float, pose[:3, :3] @ values[:3] + pose[:3, 3])
        return x, y, z, *turned(pose, values[3:7]), *values[7:]

    def _begins_anew(self, robot: int, x: float, y: float, time: float) -> bool:
        """Whether odometry has jumped further than its robot can have gone: its driver was started again, and nobody knows where."""
        before, x0, y0 = self._last.get(robot, (time, x, y))
        self._last[robot] = time, x, y
        way = math.hypot(x - x0, y - y0)
        fleet = self._node.setup.fleet
        if way > JUMP + 2.0 * fleet.max_speed[robot] * max(time - before, 0.0) and robot not in self._begun_anew:
            self._begun_anew.add(robot)
            if self._node.kind in TELLING and robot in self._node.served:
                self._node.get_logger().error(
                    f"{fleet.names[robot]} stands: {self._node.known_as(topics.ODOM.of(fleet.names[robot]))} has jumped by {way:.1f} m, as "
                    "when a driver is started again and begins at zero; put the robot where the scenario starts it, and start the run again"
                )
        return robot in self._begun_anew

    def _from_tf(self, robot: int, frame: bytes) -> Array | None:
        """The frame's pose (4, 4) in the map; None, with a line, where tf does not tell."""
        message = tf_message()
        if message is None:
            self._refuse(robot, frame, "tf cannot be heard without the ROS package tf2_msgs", "install it")
            return None
        if self._tree is None:
            self._tree = FrameTree(topics.FRAME)
            self._tree.hear(self._node, message)
        pose = self._tree.pose(frame.decode(errors="replace").lstrip("/"))
        if pose is None or not np.isfinite(pose).all():
            if self._node.now - self._unknown.setdefault((robot, frame), self._node.now) >= UNTOLD:
                self._refuse(robot, frame, f"nobody tells on /tf where that is in {topics.FRAME!r}", f"publish {topics.FRAME} → it there")
            return None
        self._refused.discard((robot, frame))
        self._unknown.pop((robot, frame), None)
        return pose

    def _refuse(self, robot: int, frame: bytes, why: str, remedy: str) -> None:
        """Say, once, why a robot is not taken to be anywhere; onboard each robot says so of itself."""
        if (robot, frame) in self._refused or self._node.kind not in TELLING or robot not in self._node.served:
            return
        self._refused.add((robot, frame))
        name = self._node.setup.fleet.names[robot]
        odom = self._node.known_as(topics.ODOM.of(name))
        text = frame.decode(errors="replace")
        self._node.get_logger().error(
            f"{name} stands: {odom} is in the frame {text!r}, and {why}; {remedy}, or set "
            f"hardware.odometry.frame to start if {text!r} begins where the scenario starts {name}, to map if it is the map's frame"
        )
