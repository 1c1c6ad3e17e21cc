"""Node ``director``: from the swarm's progress to goals, and to parameters by phase."""

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped

from swarm_control.core.state import SwarmState
from swarm_control.nodes import cdr, convert, topics
from swarm_control.nodes.base import SwarmNode, serve
from swarm_control.nodes.inputs import StateInput
from swarm_control.nodes.latch import StopLatch
from swarm_control.nodes.remote import RemoteParameters, StopRelay
from swarm_control.nodes.status import read_status
from swarm_control.scenario.tree import change, flatten
from swarm_control.sim.director import Director, Orders, Stage

PATIENCE = 3.0
"""How long (s, real time) the node waits at its start to hear from ``behaviours``, once a second, how far things have come."""

JUMP = 1.0
"""The clock was set back when time falls by more than this (s)."""


class DirectorNode(SwarmNode):
    """Takes the flock from goal to goal and applies the scenario's phases through the nodes' parameter services."""

    kind: ClassVar[str] = "director"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        onboard = self.option("onboard", False, "whether the nodes that phases set are in the robots' namespaces")
        own = self.get_namespace().rstrip("/")
        spaces = [f"/{topics.robot_name(name)}" for name in self.setup.fleet.names] if onboard else [own]
        self._remote = RemoteParameters(self, spaces)
        self._latch = StopLatch(self, first=True)
        if onboard:
            self._stop = StopRelay(self, spaces, self._latch)
        self._core = Director(self.scenario, self.setup.society)
        self._ordered: dict[str, Any] = {}
        self._processes: dict[str, str] = {}
        self._time = -np.inf
        self._orders: Orders | None = None
        self._rows, self._said = b"", ""
        self._ready = False
        self._writer = cdr.CloudWriter(topics.FRAME, convert.GOALS)
        self._publisher = topics.publisher(self, topics.GOALS)
        topics.subscribe(self, topics.GOAL_POSE, self._move_goal)
        topics.subscribe(self, topics.STATUS, self._hear_status)
        self._visits: dict[str, tuple[int, int]] = {}
        for space in spaces:
            structure = replace(topics.STRUCTURE, name=f"{space}/structure")
            topics.subscribe(self, structure, partial(self._hear_structure, space), raw=True)
        self._patience = self.every(PATIENCE, self._begin)
        self._input = StateInput(self, self._tick)
        if self._input.source == "odom":
            self.every(self.control.period, self._tick)

    def _tick(self) -> None:
        if not self._ready:
            return
        state = self._input.state()
        if state.time < self._time - JUMP:
            self._start_again()
        self._time = state.time
        self._apply_phases(state.time)
        self._orders = self._progress(state)
        self._publish(state)

    def _progress(self, state: SwarmState) -> Orders:
        """Who has arrived; of a formation, what its keepers say."""
        if not self.control.formation.enabled:
            return self._core.update(state, self.control)
        total = len(self._core.goals) * self.control.formation.repeat
        said = self._visits.values()
        visits, missed = min((visits for visits, _ in said), default=0), max((missed for _, missed in said), default=0)
        return self._core.follow(state, visits, total, missed)

    def _hear_structure(self, keeper: str, data: bytes) -> None:
        row = cdr.read_cloud(data)[1][0]
        self._visits[keeper] = int(row["visits"]), int(row["missed"])

    def _publish(self, state: SwarmState) -> None:
        assert self._orders is not None
        rows = convert.goal_rows(self._orders.goal, self._orders.target, self._orders.goal_index)
        if rows.tobytes() != self._rows:
            self._rows = rows.tobytes()
            self._publisher.publish(self._writer.write(state.time, rows))
        said = json.dumps(self._core.results())
        if said != self._said:
            self._said = said
            self.report()

    def _apply_phases(self, time: float) -> None:
        # nodes in other namespaces are not heard: what has been ordered stands for what they have
        now = change(self.control, self._ordered, "phases")
        control = self._core.control(now, time)
        if control is now:
            return
        before = {name: value for name, _, value in flatten(now)}
        after = {name: value for name, _, value in flatten(control)}
        self._order({name: value for name, value in after.items() if value != before[name]})

    def _order(self, changes: dict[str, Any]) -> None:
        if changes:
            self._ordered.update(changes)
            self.parameters.set(changes)
            self._remote.set(changes)

    def _start_again(self) -> None:
        """Time was set back: from the first goal again, with the parameters that phases have changed put back."""
        self._core = Director(self.scenario, self.setup.society)
        first = {name: value for name, _, value in flatten(self.scenario.control)}
        self._order({name: first[name] for name in self._ordered})
        self._ordered.clear()

    def _hear_status(self, message: DiagnosticArray) -> None:
        for name, (process, _, values) in read_status(message).items():
            if self._processes.get(name, process) != process and self._ordered:
                self._remote.set(self._ordered, only=name)
            self._processes[name] = process
            if not self._ready and name.rpartition("/")[2] == "behaviours":
                self._resume(values)
                self._begin()

    def _resume(self, values: dict[str, str]) -> None:
        """Take over where a former director was: ``behaviours`` knows what events had come to, and where it had sent the flock."""
        moves = change(self.control, {"social.moves": json.loads(values["moves"])}, "status of behaviours").social.moves
        self._core.resume(moves, self.now)
        index, x, y = int(values["goal_index"]), float(values["target_x"]), float(values["target_y"])
        if not np.isfinite([x, y]).all() or not 0 <= index < max(len(self._core.goals), 1):
            return
        self._core.index = index
        if not self._core.goals or not np.allclose(self._core.goals[index].position, (x, y), rtol=1e-5, atol=1e-6):
            self._core.move_goal(x, y)
        if index > 0:
            self._core.history.append(Stage(f"goal {index + 1}", self.now))
            self.get_logger().info(f"resuming at goal {index + 1} of {len(self._core.goals)}")

    def _begin(self) -> None:
        self._ready = True
        self._patience.cancel()

    def _move_goal(self, message: PoseStamped) -> None:
        """``/goal_pose``, as RViz sends it."""
        x, y = message.pose.position.x, message.pose.position.y
        if message.header.frame_id not in ("", topics.FRAME) or not np.isfinite([x, y]).all():
            found = f"goal at ({x:g}, {y:g}) in frame {message.header.frame_id!r} refused"
            self.get_logger().error(f"{found}, expected finite numbers in frame {topics.FRAME!r}")
            return
        self._core.move_goal(x, y)
        self.get_logger().info(f"goal {self._core.index + 1} moved to ({x:g}, {y:g})")
        self._tick()

    def report(self) -> None:
        """Progress: the present goal, who has arrived, and the results so far."""
        self._remote.retry()
        if self._orders is None:
            self.status.write({}, "waiting for the robots' states")
            return
        values = {"goal_index": self._orders.goal_index, "goals": len(self._core.goals), "done": self._orders.done, "time": self._time}
        self.status.write({**values, "results": json.dumps(self._core.results())}, "arrived" if self._orders.done else "running")


def main() -> int:
    """Run the node."""
    return serve(DirectorNode)


if __name__ == "__main__":
    sys.exit(main())
