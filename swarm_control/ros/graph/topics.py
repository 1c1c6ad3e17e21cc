"""Every topic of the graph: name, type and quality of service, in one table.

Sensor-like data is subscribed best effort with depth 1, so that a subscriber never works on old data and matches any publisher. It
is published reliable with depth 1: such a publisher matches both kinds of subscribers, and a reliable one gets the newest message
rather than a queue. Structure that must be there for late joiners (map, goals) is latched: reliable and transient local.

Names without a leading slash are relative to the node's namespace: ``/swarm`` for hosted nodes, the robot's for onboard ones.
"""

from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Twist, TwistStamped
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, Joy, PointCloud2
from std_msgs.msg import Bool, String, UInt32
from visualization_msgs.msg import MarkerArray

from swarm_control.world.names import robot_name

FRAME = "map"
"""The world frame: every pose is in it."""


@dataclass(frozen=True)
class Topic:
    """A topic. ``name`` may hold ``{robot}`` or ``{group}``; ``lossy``: subscribed best effort; ``latched``: kept for late joiners.

    ``depth``: how many messages a publisher keeps, and a subscriber that has not asked for them; ``backlog``: at least so many for a
    subscriber, where several publish and one must not overwrite what another has just said.
    """

    name: str
    kind: type
    lossy: bool = True
    latched: bool = False
    depth: int = 1
    backlog: int = 1

    def of(self, whose: str) -> str:
        """The topic's name for one robot or group; characters that ROS does not allow become underscores."""
        return self.name.format(robot=robot_name(whose), group=robot_name(whose))

    @property
    def publish_qos(self) -> QoSProfile:
        """What publishers offer."""
        return self._qos(ReliabilityPolicy.RELIABLE, self.depth)

    @property
    def subscribe_qos(self) -> QoSProfile:
        """What subscribers ask for."""
        reliability = ReliabilityPolicy.BEST_EFFORT if self.lossy else ReliabilityPolicy.RELIABLE
        return self._qos(reliability, max(self.depth, self.backlog))

    def _qos(self, reliability: ReliabilityPolicy, depth: int) -> QoSProfile:
        durability = DurabilityPolicy.TRANSIENT_LOCAL if self.latched else DurabilityPolicy.VOLATILE
        return QoSProfile(depth=depth, reliability=reliability, durability=durability)


ODOM = Topic("/{robot}/odom", Odometry)
WHEEL_ODOM = Topic("/{robot}/wheel_odom", Odometry)
CMD_VEL = Topic("/{robot}/cmd_vel", Twist)
CMD_VEL_STAMPED = Topic("/{robot}/cmd_vel", TwistStamped)
ROBOT_DESCRIPTION = Topic("/{robot}/robot_description", String, lossy=False, latched=True)
"""What a robot looks like, as URDF."""

CLOCK = Topic("/clock", Clock)
CAMERA = Topic("/camera/image_raw", Image)
MAP = Topic("/map", OccupancyGrid, lossy=False, latched=True)
GOAL_POSE = Topic("/goal_pose", PoseStamped, lossy=False)
GROUP_GOAL_POSE = Topic("/swarm/{group}/goal_pose", PoseStamped, lossy=False, depth=10)
"""A place to send a group to."""

PLACE = Topic("simulator/place", PoseStamped, lossy=False, depth=10)
SWARM_STATE = Topic("swarm_state", PointCloud2)
NEIGHBOURS = Topic("neighbours", PointCloud2)
ACCELERATION = Topic("acceleration", PointCloud2)
COMMANDED = Topic("commanded", PointCloud2)
"""What robots have been told, for whoever estimates where they are by now: rows of ``targets`` without targets."""

COMMANDS = Topic("commands", PointCloud2)
"""What robots are told now, for a simulator of many: rows of ``targets`` without targets, in place of as many messages."""

TARGETS = Topic("targets", PointCloud2)
STRUCTURE = Topic("structure", PointCloud2)
STRUCTURE_POSE = Topic("structure/pose", PoseStamped)
STRUCTURE_CMD_VEL = Topic("structure/cmd_vel", Twist)
GROUP_CMD_VEL = Topic("/swarm/{group}/cmd_vel", Twist)
"""Joysticks: of all formations, and of a group's."""

STRUCTURE_PATH = Topic("structure/path", Path, lossy=False)
"""A trajectory that the structure is to follow; its poses' stamps are the times, without any it goes as fast as its robots can."""

STRUCTURE_WORD = Topic("structure/word", PointCloud2, backlog=100)
"""What robots that hear only some others tell each other of their formation: :mod:`swarm_control.ros.messages.word_rows`."""

GOALS = Topic("goals", PointCloud2, lossy=False, latched=True)
SENT_GOALS = Topic("sent_goals", PointCloud2, lossy=False, latched=True)
"""Where operators have sent flocks: :mod:`swarm_control.ros.messages.sent_rows`."""

TASK = Topic("task", String, lossy=False, depth=10, backlog=10)
"""What operators ask for: :mod:`swarm_control.runtime.task` in its text form."""

MISSION = Topic("mission", String, lossy=False, latched=True, backlog=100)
"""How far things have come: :mod:`swarm_control.runtime.mission_state` in its text form."""

STOPPED = Topic("/swarm/stopped", UInt32, lossy=False, latched=True, depth=100)
STOP_STATE = Topic("/swarm/stop_state", String, lossy=False, latched=True, backlog=1000)
"""What each node knows of stops: :mod:`swarm_control.ros.support.stop_state`."""

STOP = Topic("/swarm/stop", Bool, lossy=False, depth=10)
"""True stops the swarm, as the service of this name does."""

LEASE_REQUEST = Topic("lease/request", String, backlog=10)
LEASE_GRANT = Topic("lease/grant", String, backlog=10)
"""Permission to command robots, asked of the guard in the same namespace: :mod:`swarm_control.safety.lease`."""

JOY = Topic("/joy", Joy, depth=10)
"""Of a button that is pressed and let go at once, both are heard."""

MARKERS = Topic("markers", MarkerArray)
STATUS = Topic("status", DiagnosticArray, lossy=False, depth=20)
DIAGNOSTICS = Topic("/diagnostics", DiagnosticArray, lossy=False, depth=20)
"""The same, for tools that watch all robots of a graph."""

FORMATION = (TARGETS, STRUCTURE, STRUCTURE_POSE, STRUCTURE_CMD_VEL, STRUCTURE_PATH, STRUCTURE_WORD)
"""Topics that are there when robots keep a formation."""

TABLE: tuple[Topic, ...] = (
    ODOM, WHEEL_ODOM, CMD_VEL, ROBOT_DESCRIPTION, CLOCK, MAP, GOAL_POSE, GROUP_GOAL_POSE, PLACE, SWARM_STATE, NEIGHBOURS,
    ACCELERATION, *FORMATION, GROUP_CMD_VEL, COMMANDED, COMMANDS, GOALS, SENT_GOALS, TASK, MISSION, STOPPED, STOP_STATE, STOP,
    LEASE_REQUEST, LEASE_GRANT, JOY, MARKERS, STATUS, DIAGNOSTICS,
)  # fmt: skip


def publisher(node: Any, topic: Topic, robot: str = "") -> Any:
    """Create a publisher as the table says."""
    return node.create_publisher(topic.kind, topic.of(robot), topic.publish_qos)


def subscribe(node: Any, topic: Topic, callback: Any, robot: str = "", raw: bool = False) -> Any:
    """Create a subscription as the table says; ``raw`` ones get the serialised bytes."""
    return node.create_subscription(topic.kind, topic.of(robot), callback, topic.subscribe_qos, raw=raw)
