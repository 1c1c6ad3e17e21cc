"""What each kind of node publishes, hears, offers and calls, in one table. The security policy is made from it.

A name without a leading slash is relative to the node's namespace, one that begins with ``~/`` to the node, as in ROS. A star stands for
any name.
"""

from dataclasses import dataclass, replace

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.topics import Topic

Name = Topic | str


@dataclass(frozen=True)
class NodeAccess:
    """What a node of ``kind`` may do: topics that it ``publishes`` and ``subscribes``, services that it ``serves`` and ``calls``.

    ``base_subscribes``, ``base_serves``: what comes on top where it serves the whole swarm and not one robot; ``exchanges``: topics that it
    both publishes and subscribes where it serves one robot. ``control``: it holds a part
    of the ``control`` tree, and hears of what others set. ``clock``: it may go by ``/clock``. ``status``: it says once a second how it is.
    Topics that have a name for each robot are those of the robots that the node serves; what is read of everybody says so with a star.
    """

    kind: str
    publishes: tuple[Name, ...] = ()
    subscribes: tuple[Name, ...] = ()
    serves: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    base_subscribes: tuple[Name, ...] = ()
    base_serves: tuple[str, ...] = ()
    exchanges: tuple[Name, ...] = ()
    control: bool = True
    clock: bool = True
    status: bool = True


def _everywhere(topic: Topic) -> Topic:
    """A relative topic in all namespaces."""
    return replace(topic, name=f"/*/{topic.name}")


_ODOM = replace(topics.ODOM, name="/*/odom")
_FRAMES = ("/tf", "/tf_static")
"""Where a node hears where the frames of odometry are."""

_STATES = (topics.SWARM_STATE, _ODOM, *_FRAMES)
"""Where a node hears the robots' states: one of the first two, as its parameter ``source`` says."""

_STOPS = (topics.STOP_STATE, topics.STOPPED)
"""What whoever takes part in the emergency stop tells; it hears the first of them."""

_SEEN = tuple(_everywhere(topic) for topic in (topics.TARGETS, topics.STRUCTURE, topics.NEIGHBOURS, topics.ACCELERATION))
"""What is drawn besides the robots."""

_OWNERS = tuple(f"/*/{kind.name}" for kind in KINDS.values() if kind.groups)
"""Nodes with parameters of the ``control`` tree, wherever they are."""

_SET = tuple(f"{node}/set_parameters_atomically" for node in _OWNERS)
_GET = tuple(f"{node}/get_parameters" for node in _OWNERS)
_PLAYED = (topics.NEIGHBOURS, topics.ACCELERATION, topics.TARGETS, topics.STRUCTURE, topics.GOALS)
_PLAYING = ("pause", "reset", "step")
_POSES = ("/*/pose", "/poses", *_FRAMES, topics.CAMERA)
"""What a tracker hears when the scenario names no topic."""

_TABLE = (
    NodeAccess(
        "guard", (topics.CMD_VEL, topics.LEASE_GRANT, *_STOPS), (topics.LEASE_REQUEST, topics.STOP_STATE, topics.JOY),
        base_subscribes=(topics.STOP,), base_serves=("stop",), control=False, clock=False,
    ),
    NodeAccess("neighbourhood", (topics.NEIGHBOURS,), (*_STATES, topics.MAP, topics.COMMANDED)),
    NodeAccess("behaviours", (topics.ACCELERATION, topics.MISSION), (topics.NEIGHBOURS, topics.GOALS, topics.MAP, topics.MISSION)),
    NodeAccess(
        "virtual_structure", (topics.TARGETS, topics.STRUCTURE, topics.STRUCTURE_POSE),
        (
            *_STATES, topics.ACCELERATION, topics.COMMANDED, topics.STRUCTURE_CMD_VEL, topics.GROUP_CMD_VEL, topics.STRUCTURE_PATH,
            topics.GOALS, topics.SENT_GOALS, topics.GOAL_POSE, topics.MAP,
        ),
        exchanges=(topics.STRUCTURE_WORD,),
    ),
    NodeAccess(
        "motion_model", (topics.CMD_VEL, topics.COMMANDED, topics.COMMANDS, topics.LEASE_REQUEST, *_STOPS),
        (*_STATES, topics.ACCELERATION, topics.TARGETS, topics.MAP, topics.LEASE_GRANT, topics.STOP_STATE),
        serves=("stop",), base_subscribes=(topics.STOP,),
    ),
    NodeAccess(
        "director", (topics.GOALS, topics.SENT_GOALS, topics.MISSION, topics.MAP, topics.DIAGNOSTICS, *_STOPS),
        (
            *_STATES, topics.GOAL_POSE, topics.GROUP_GOAL_POSE, topics.STATUS, topics.MISSION, topics.TASK,
            _everywhere(topics.STRUCTURE), topics.STOP_STATE, topics.STOP,
        ),
        serves=("stop",), calls=_SET,
    ),
    NodeAccess(
        "simulator", (topics.SWARM_STATE, topics.ODOM, topics.CLOCK, topics.MAP), (topics.CMD_VEL, topics.COMMANDS, topics.PLACE),
        serves=_PLAYING, clock=False,
    ),
    NodeAccess("floor", (topics.SWARM_STATE, topics.CLOCK, topics.MAP, topics.CAMERA), (topics.CMD_VEL,), clock=False),
    NodeAccess(
        "wheel_driver", (topics.ODOM, topics.WHEEL_ODOM, *_STOPS), (topics.CMD_VEL, topics.STOP_STATE), serves=("~/stop",)
    ),
    NodeAccess("tracker", (topics.ODOM,), _POSES),
    NodeAccess("aggregator", (topics.SWARM_STATE,), (_ODOM, *_FRAMES)),
    NodeAccess(
        "dashboard", (topics.GOAL_POSE, topics.PLACE, *_STOPS), (*_STATES, topics.STATUS, *_STOPS, topics.MAP, topics.GOALS, *_SEEN),
        calls=(*_PLAYING, *_SET, *_GET),
    ),
    NodeAccess("markers", (topics.MARKERS, topics.ROBOT_DESCRIPTION, "/tf"), (*_STATES, topics.GOALS, *_SEEN)),
    NodeAccess("recorder", (), ("/*",)),
    NodeAccess(
        "player", (*_PLAYED, topics.SWARM_STATE, topics.CLOCK, topics.MAP), serves=_PLAYING, clock=False,
    ),
    NodeAccess("state_logger", (), (topics.SWARM_STATE,)),
    NodeAccess(
        "observer", (), (*_STATES, topics.STATUS, topics.MISSION, topics.TARGETS, topics.STRUCTURE, topics.ACCELERATION),
        control=False, status=False,
    ),
    NodeAccess("stop_client", _STOPS, (topics.STOP_STATE,), control=False, clock=False, status=False),
    NodeAccess("parameter_client", calls=(*_SET, *_GET), control=False, clock=False, status=False),
    NodeAccess("mission_client", (topics.TASK,), (topics.MISSION,), control=False, clock=False, status=False),
    NodeAccess(
        "mission_server", (topics.TASK, *(f"mission/_action/{name}" for name in ("feedback", "status"))), (topics.MISSION,),
        serves=tuple(f"mission/_action/{name}" for name in ("send_goal", "cancel_goal", "get_result")), control=False,
    ),
    NodeAccess("echo", (), ("/*",), control=False, clock=False, status=False),
    NodeAccess(
        "watch_client", (), (topics.SWARM_STATE, topics.MISSION, topics.STATUS, topics.MAP, topics.STOPPED), control=False, clock=False,
        status=False,
    ),
    NodeAccess("topic_client", (), ("/*",), control=False, clock=False, status=False),
    NodeAccess("doctor", (), ("/*",), control=False, status=False),
)  # fmt: skip

ACCESS = {access.kind: access for access in _TABLE}
"""By kind; the last ones are no processes of a run's, but belong to commands such as ``swarm stop`` and ``swarm echo``."""
