"""What the dashboard draws besides the robots: goals, formation, and, while a page wants them, neighbours and behaviours' shares."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import SwarmState
from swarm_control.dashboard.frames import FALLEN, LEADER, VALID, Table
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.runtime.gathering import Gathering
from swarm_control.scenario.groups import Controls, Flock, in_formation
from swarm_control.scenario.schema import Control
from swarm_control.social.rings import rings

T = TypeVar("T")


class Scene:
    """Keeps the newest messages of the nodes in ``spaces`` as bytes and makes tables of them when a frame is due."""

    def __init__(self, node: Any, spaces: tuple[str, ...], forms: bool) -> None:
        self._node, self._spaces = node, spaces
        self._gathering = Gathering(FreeGround(node.setup.grid), float(node.setup.fleet.radius.max(initial=0.0)))
        self.names: list[str] = []
        self.error = float("nan")
        self._goals: tuple[Array, IntArray, Array, IntArray] | None = None
        self._news: dict[tuple[str, str], bytes] = {}
        self._details: list[Any] = []
        topics.subscribe(node, topics.GOALS, self._hear_goals, raw=True)
        for topic in (topics.TARGETS, topics.STRUCTURE) if forms else ():
            self._listen(topic)

    def _listen(self, topic: topics.Topic) -> list[Any]:
        made = []
        for space in self._spaces:
            placed = replace(topic, name=f"{space}/{topic.name}")
            made.append(topics.subscribe(self._node, placed, partial(self._hear, topic.name, space), raw=True))
        return made

    def _hear(self, topic: str, space: str, data: bytes) -> None:
        self._news[topic, space] = data

    def _hear_goals(self, data: bytes) -> None:
        self._goals = convert.goals_of(cdr.read_cloud(data)[1], self._node.robots, len(self._node.flocks))

    def attend(self, wanted: bool) -> None:
        """Listen to what robots see and want only while a page asks for it: these messages are large."""
        if wanted and not self._details:
            self._details = self._listen(topics.NEIGHBOURS) + self._listen(topics.ACCELERATION)
        elif not wanted and self._details:
            for subscription in self._details:
                self._node.destroy_subscription(subscription)
            self._details = []
            self._forget(topics.NEIGHBOURS, topics.ACCELERATION)

    def forget(self) -> None:
        """Time was set back."""
        self._forget(topics.TARGETS, topics.STRUCTURE, topics.NEIGHBOURS, topics.ACCELERATION)
        self.error = float("nan")

    def _forget(self, *gone: topics.Topic) -> None:
        names = {topic.name for topic in gone}
        self._news = {key: data for key, data in self._news.items() if key[0] not in names}

    def _read(self, topic: topics.Topic, read: Callable[[convert.Rows], T]) -> list[T]:
        """What ``read`` makes of the newest rows from each namespace; rows of which it can make nothing are forgotten."""
        found = []
        for name, space in [key for key in self._news if key[0] == topic.name]:
            try:
                found.append(read(cdr.read_cloud(self._news[name, space])[1]))
            except Exception as error:  # what a message holds may make anything fail
                del self._news[name, space]
                self._node.refuse(f"{space}/{name}", error)
        return found

    def tables(self, state: SwarmState, controls: Controls) -> dict[Table, Array]:
        """Tables for everybody."""
        control, flocks = controls.common, self._node.flocks
        leads: BoolArray = np.zeros(len(state), bool)
        found: dict[Table, Array] = {}
        if self._goals is not None:
            goal, _, target, index = self._goals
            for flock in flocks:
                leads[flock.robots] = controls.of(flock.name).leaders.count > 0 or any(one.each for one in flock.goals)
            leads &= np.isfinite(goal).all(axis=1)
            radius = [self._radius(flock, controls.of(flock.name), number) for flock, number in zip(flocks, index)]
            found[Table.GOALS] = _goal_table(goal, target, np.array(radius), leads)
        flags = VALID * state.valid + LEADER * leads + (0 if state.fallen is None else FALLEN * state.fallen)
        found[Table.ROBOTS] = np.column_stack((np.where(state.valid[:, None], np.hstack((state.pose, state.velocity)), np.nan), flags))
        if control.social.weight > 0.0:
            found[Table.RINGS] = rings(state.position, self._node.setup.society, control.social.laws)
        if in_formation(flocks, controls):
            targets = self._read(topics.TARGETS, partial(self._of_robots, ("id",), ("id", "x", "y")))
            structure = self._read(topics.STRUCTURE, partial(_columns, ("x", "y", "yaw", "error", "robots")))
            if targets:
                found[Table.TARGETS] = np.vstack(targets)
            if structure:
                found[Table.STRUCTURE] = structure[0][:, :4]
                error, robots = structure[0][:, 3:].T
                self.error = float((error * robots).sum() / robots.sum()) if robots.sum() > 0.0 else float("nan")
        return found

    def _radius(self, flock: Flock, control: Control, index: int) -> float:
        """Radius (m) within which robots have arrived; of a goal that the scenario does not have, NaN."""
        known = 0 <= index < len(flock.goals) and not control.formation.enabled
        return self._gathering.radius(flock.goals[index], control, len(flock.robots)) if known else float("nan")

    def details(self) -> dict[Table, Array]:
        """Tables for pages that have picked a robot; the behaviours' numbers are places in :attr:`names`."""
        seen = self._read(topics.NEIGHBOURS, partial(self._of_robots, ("observer", "id"), ("observer", "id", "x", "y")))
        arrows = [part for parts in self._read(topics.ACCELERATION, self._shares) for part in parts]
        found = {Table.NEIGHBOURS: seen, Table.ARROWS: arrows}
        return {kind: np.vstack(parts) for kind, parts in found.items() if parts}

    def _of_robots(self, ids: tuple[str, ...], names: tuple[str, ...], rows: convert.Rows) -> Array:
        """Columns of the rows whose ``ids`` are robots."""
        return _columns(names, self._known(rows, *ids))

    def _known(self, rows: convert.Rows, *ids: str) -> convert.Rows:
        return rows[np.all([(rows[name] >= 0) & (rows[name] < self._node.robots) for name in ids], axis=0)]

    def _shares(self, rows: convert.Rows) -> list[Array]:
        rows = self._known(rows, "id")
        names = [name[:-2] for name in rows.dtype.names or () if name.endswith("_x")]
        self.names += [name for name in names if name not in self.names]
        pairs = [(-1, "ax", "ay"), *((self.names.index(name), f"{name}_x", f"{name}_y") for name in names)]
        return [np.column_stack((rows["id"], np.full(len(rows), k), rows[x], rows[y])) for k, x, y in pairs]


def _columns(names: tuple[str, ...], rows: convert.Rows) -> Array:
    return np.column_stack([rows[name] for name in names]).astype(float)


def _goal_table(goal: Array, target: Array, radius: Array, leads: BoolArray) -> Array:
    """The flocks' goals first, then the leaders' own."""
    own = np.flatnonzero(leads)
    subgoals = np.column_stack((goal[own], np.full(len(own), np.nan), own))
    common = np.column_stack((target, radius, np.full(len(target), -1.0)))[np.isfinite(target).all(axis=1)]
    return np.vstack((common, subgoals))
