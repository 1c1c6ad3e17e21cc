"""The publishers of robots' commands. Each robot is told in the type that its driver subscribes to, Twist or TwistStamped."""

import contextlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.status import shown

LOOK, AT_ONCE, LONGEST = 0.1, 40, 0.01
"""Time (s) between looks at the graph, for how many robots at a time, and how long (s) a look lasts: it must not hold up a tick."""

ASIDE, PATIENCE = 3.0, 5.0
"""How long (s) nobody may subscribe to a robot's commands before a publisher is there all the same, as Fast DDS' discovery server tells of
a topic only those who have an end of it, and before a line says so."""

TYPES = {"geometry_msgs/msg/Twist": False, "geometry_msgs/msg/TwistStamped": True}
"""The types of commands as the graph names them, and whether they are stamped."""

CHOICES: dict[str, bool | None] = {"auto": None, "twist": False, "twist_stamped": True}
"""What the parameter may be; None: as the driver has it."""

ONLOOKERS = ("recorder", "rosbag2_recorder", "foxglove_bridge", "rosbridge_websocket")
"""Nodes that subscribe to whatever type is there, as hidden ones do; they are no drivers."""

UNKNOWN, NAMING = "_NODE_NAME_UNKNOWN_", 1.0
"""What the middleware calls a node whose name has not come yet, and after how long (s) it will not: programs of DDS have none."""


def driver_types(node: Any, robot: str, unnamed: bool) -> dict[str, str]:
    """The types with which the commands of a ``robot`` are subscribed to, except by onlookers, and one node for each.

    ``unnamed``: whether a node without a name is a driver.
    """
    found = {}
    for end in node.get_subscriptions_info_by_topic(node.rooted(topics.CMD_VEL.of(robot))):
        hidden = end.node_name.startswith("_") and not (unnamed and end.node_name == UNKNOWN)
        if not hidden and end.node_name not in ONLOOKERS:
            found[end.topic_type] = f"{end.node_namespace.rstrip('/')}/{end.node_name}"
    return found


class CommandPublishers:
    """Tells the robots ``names`` their twists as ``commands`` says, one of :data:`CHOICES`.

    With ``auto`` a robot whose driver nobody knows yet is told nothing. ``stamped``: for each robot, whether its commands are; None: not
    known. ``heard`` (n,): whether it is known. ``listened`` (n,): whether others than one hear it, as far as is known. ``changed``:
    whether ``stamped`` is another than when it was last asked for. ``lent`` (n,): robots that others command: these are told nothing.
    """

    def __init__(self, node: Any, names: Sequence[str], commands: str) -> None:
        if commands not in CHOICES:
            raise InputError("parameter commands", f"{commands!r} found, expected one of {', '.join(CHOICES)}")
        self._node, self._names = node, list(names)
        self._topics = [str(node.known_as(topics.CMD_VEL.of(name))) for name in names]
        self._frames = [f"{topics.robot_name(name)}/base_link" for name in names]
        self._writers = {stamped: cdr.TwistWriter(self._frames, stamped) for stamped in (False, True)}
        self.stamped: list[bool | None] = [None] * len(self._names)
        self.heard, self.lent = np.zeros((2, len(self._names)), bool)
        self.listened = np.ones(len(self._names), bool)
        self._publishers: list[Any] = [None] * len(self._names)
        self._kinds: list[bool | None] = [None] * len(self._names)
        self._since: dict[int, float] = {}
        self._next, self._began, self._said = 0, time.monotonic(), set[tuple[int, str]]()
        self._taken = np.full(len(self._names), self._began)
        self._lost: set[int] = set()
        self.changed = True
        wanted = CHOICES[commands]
        if wanted is not None:
            for k in range(len(self._names)):
                self._use(k, wanted)
        else:
            node.every(LOOK, self.look)

    @property
    def told(self) -> tuple[list[str], list[str | None]]:
        """The robots' topics within the root, with two slashes those beside it, and the frame of each one's commands: empty where they have
        none, None where nothing is known. For guards, which publish stops there.
        """
        known = [None if lent else stamped for stamped, lent in zip(self.stamped, self.lent)]
        frames = [None if kind is None else frame if kind else "" for kind, frame in zip(known, self._frames)]
        return [self._node.within(topic) or f"/{topic}" for topic in self._topics], frames

    @property
    def missing(self) -> list[str]:
        """Robots that nobody is known to drive."""
        return [name for name, heard, lent in zip(self._names, self.heard, self.lent) if not (heard or lent)]

    def lend(self, now: float, lent: BoolArray) -> None:
        """Command all but the ``lent`` (n,) from ``now`` (s) on; whoever was commanded is told to stand first."""
        if not np.array_equal(lent, self.lent):
            self.publish(now, np.zeros((len(lent), 3)), np.flatnonzero(lent))
            self.lent, self.changed = lent, True

    def publish(self, now: float, twist: Array, which: IntArray) -> None:
        """Tell the robots ``which`` (positions in ``names``) their twists, of those for all (n, 3)."""
        values, which = convert.twist_values(twist), which[~self.lent[which]]
        kinds = {self.stamped[k] for k in which} - {None}
        messages = {kind: self._writers[bool(kind)].write(now, values) for kind in kinds}
        for k in which:
            if self.heard[k]:
                self._publishers[k].publish(messages[self.stamped[k]][k])

    def look_who_listens(self) -> None:
        """Look for each robot whether its commands are heard by others than one."""
        self.listened = np.array([one is None or one.get_subscription_count() != 1 for one in self._publishers])

    def look(self) -> None:
        """Look what the next robots' drivers subscribe to."""
        until = time.monotonic() + LONGEST
        for _ in range(min(AT_ONCE, len(self._names))):
            self._find(self._next)
            self._next = (self._next + 1) % len(self._names)
            if time.monotonic() > until:
                break
        self._complain(time.monotonic())

    def _complain(self, now: float) -> None:
        """Say whose commands nobody takes, once until somebody does."""
        lost = set(np.flatnonzero((now - self._taken > PATIENCE) & ~self.lent).tolist())
        if new := sorted(lost - self._lost):
            where = f"{self._topics[new[0]]}{' …' if len(new) > 1 else ''}"
            why = "drivers are not there, or call it by another name, see hardware.topics.cmd_vel"
            self._node.get_logger().error(f"{shown([self._names[k] for k in new])}: nobody subscribes to {where}: {why}")
        self._lost = lost

    def _find(self, k: int) -> None:
        """Use the type that the driver of robot ``k`` subscribes to; while all who subscribe are heard, there is nothing to find."""
        publisher, subscribers = self._publishers[k], self._node.subscribers_of(self._topics[k])
        if subscribers:
            self._taken[k] = time.monotonic()
        if self.heard[k] and subscribers == publisher.get_subscription_count():
            return
        now = time.monotonic()
        if not subscribers:
            self._since[k] = now
        waited = now - self._since.setdefault(k, now)
        found = driver_types(self._node, self._names[k], waited > NAMING) if subscribers else {}
        kinds = {TYPES[kind] for kind in found if kind in TYPES}
        if len(kinds) == 1:
            self._use(k, kinds.pop())
        elif kinds:
            self._use(k, bool(self.stamped[k]))
            self._say(k, f"both as Twist and as TwistStamped, by {' and '.join(found.values())}; set hardware.topics.stamped")
        elif found:
            kind, driver = next(iter(found.items()))
            self._say(k, f"by {driver} as {kind}, expected {' or '.join(TYPES)}")
        elif not self.heard[k] and now - self._began > ASIDE:
            self._make(k, False)

    def _use(self, k: int, stamped: bool) -> None:
        """Publish commands of robot ``k`` of this type from now on. A participant has one type for a topic, until the executor has let go
        of all its publishers: what replaces one is made at the next look.
        """
        if self.stamped[k] == stamped:
            return
        self.stamped[k], self.heard[k], self.changed = None, False, True
        if self._kinds[k] not in (None, stamped):
            self._node.destroy_publisher(self._publishers[k])
            self._publishers[k] = self._kinds[k] = None
        elif self._make(k, stamped):
            self.stamped[k], self.heard[k] = stamped, True

    def _make(self, k: int, stamped: bool) -> bool:
        """Have a publisher of this type for robot ``k``; false while one of the other type is still in use."""
        if self._kinds[k] is None:
            with contextlib.suppress(RuntimeError):
                topic = topics.CMD_VEL_STAMPED if stamped else topics.CMD_VEL
                self._publishers[k] = topics.publisher(self._node, topic, self._names[k])
                self._kinds[k] = stamped
        return self._kinds[k] == stamped

    def _say(self, k: int, what: str) -> None:
        """Say once how the commands of robot ``k`` are subscribed to."""
        if (k, what) not in self._said:
            self._said.add((k, what))
            self._node.get_logger().error(f"{self._names[k]}: {self._topics[k]} is subscribed to {what}")
