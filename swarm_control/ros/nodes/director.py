"""Node ``director``: from the swarm's progress to goals, and to parameters by phase."""

import argparse
import sys
import time
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray

from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.goal_pose import goals_for
from swarm_control.ros.support.announcements import Announcements
from swarm_control.ros.support.freshness import JUMP
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.mission import MissionInput, MissionOutput
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.remote import RemoteParameters
from swarm_control.ros.support.status import read_status
from swarm_control.ros.support.stop_state import StopState
from swarm_control.ros.support.structure_reports import StructureReports
from swarm_control.ros.support.task_desk import TaskDesk
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.mission_state import MissionState, settings_of
from swarm_control.runtime.orders import SwarmOrders
from swarm_control.runtime.task_settings import as_read
from swarm_control.scenario.groups import controls_of, in_formation
from swarm_control.scenario.schema import Goal

PATIENCE = 30.0
"""How long (s, real time) it waits at its start to hear how far things have come, from ``behaviours``: without it no robot drives."""
SETTLING = 1.0
"""How long (s, real time) it listens to several of them from the first on."""


class DirectorNode(SwarmNode):
    """Takes the flock from goal to goal and applies the scenario's phases through the nodes' parameter services."""

    kind: ClassVar[str] = "director"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        onboard = self.option("onboard", False, "whether the nodes that phases set are in the robots' namespaces")
        own = self.space
        spaces = [f"/{topics.robot_name(name)}" for name in self.setup.fleet.names] if onboard else [own]
        self._remote = RemoteParameters(self, spaces)
        guarded = bool(self.option("guarded", False, "whether guards answer for the robots"))
        self._stops = StopState(self, first=True, guards=[f"{space}/guard" for space in spaces] if guarded else ())
        self._stops.serve()
        self._core = Mission(self.scenario, self.setup.society, self.squads, self.setup.grid)
        self._ordered: dict[str, Any] = {}
        self._processes: dict[str, str] = {}
        self._time = -np.inf
        self._orders: SwarmOrders | None = None
        self._rows, self._ready = b"", False
        self._writer = cdr.CloudWriter(topics.FRAME, convert.GOALS)
        self._publisher = topics.publisher(self, topics.GOALS)
        topics.subscribe(self, topics.GOAL_POSE, goals_for(self, self._move_goal))
        topics.subscribe(self, topics.STATUS, self._hear_status)
        self._reports = StructureReports(self, spaces, lambda stamp: stamp < self._time + JUMP)  # before a reset others were later
        self._announcements = Announcements(self)
        self._desk = TaskDesk(self, self._core, self._reports, self._order, self._remote)
        self._spaces, self._settling = spaces, None
        self._number, self._said = 0, None  # type: int, MissionState | None
        self._mission, self._known = MissionOutput(self, keep=True), MissionInput(self, self._hear_mission, own=True)
        self._patience = self.every(self.control.period if self._known.heard else PATIENCE, self._begin)
        self._input = StateInput(self, self._tick)
        if self._input.source == "odom":
            self.every(self.control.period, self._tick)

    def _tick(self) -> None:
        if not (self._ready and self.active):
            return
        state = self.present(self._input.state())
        if state.time < self._time - JUMP:
            self._start_again()
        self._time = state.time
        self._apply_phases(state.time)
        self._orders = self._progress(state)
        self._desk.update(state, in_formation(self.flocks, self.controls), self._stops.stopped)
        self._publish(state)

    def _progress(self, state: SwarmState) -> SwarmOrders:
        """Who has arrived; of formations, what the nodes say that keep them."""
        progress = {}
        for number in in_formation(self.flocks, self.controls):
            director = self._core.directors[number]
            total = len(director.goals) * self.controls.of(self.flocks[number].name).formation.repeat
            progress[number] = self._reports.progress(number, total, None if director.sent is None else director.sent[0])
        return self._core.update(state, self.controls, progress, self.away)

    def _publish(self, state: SwarmState) -> None:
        assert self._orders is not None
        rows = convert.goal_rows(*self._orders.table(self.flocks))
        if rows.tobytes() != self._rows:
            self._rows = rows.tobytes()
            self._publisher.publish(self._writer.write(state.time, rows))
        said = MissionState(0, 0.0, *self._core.progress(), self._desk.states(), settings_of(self._ordered))
        if said != self._said:
            self._said = said
            self._mission.publish(replace(said, number=self._next_number(), time=state.time))
            self.report()

    def _next_number(self) -> int:
        """Greater than any heard, and than those of a former director that nobody remembers: milliseconds since 1970."""
        self._number = max(self._number + 1, self._known.state.number + 1, time.time_ns() // 1_000_000)
        return self._number

    def _apply_phases(self, time: float) -> None:
        # nodes in other namespaces are not heard: what has been ordered stands for what they have
        now = self.controls.change(self._ordered, "phases")
        then = self._core.controls(now, time)
        if then is not now:
            self._order(then.differences(now))

    def _order(self, changes: dict[str, Any]) -> None:
        if changes:
            self._ordered.update(changes)
            self.parameters.set(changes)
            self._remote.set(changes)

    def _start_again(self) -> None:
        """Time was set back: from the first goal again, with the parameters that phases have changed put back."""
        self._core = Mission(self.scenario, self.setup.society, self.squads, self.setup.grid)
        self._reports.forget()
        self._desk.begin(self._core)
        first = {name: value for name, _, value in controls_of(self.scenario, self.scenario.name).flatten()}
        self._order({name: first[name] for name in self._ordered})
        self._ordered.clear()

    def _hear_status(self, message: DiagnosticArray) -> None:
        self._announcements.pass_on(message)
        status = read_status(message)
        self._reports.note_status(status)
        for name, (process, _, _) in status.items():
            if self._processes.get(name) != process and self._ordered:  # restarted, or heard for the first time
                self._remote.set(self._ordered, only=name)
            self._processes[name] = process

    def _hear_mission(self, state: MissionState) -> None:
        """Somebody who repeats a former director has been found; where each robot has one, they may not all be equally up to date."""
        if self._ready or self._settling is not None:
            return
        if len(self._spaces) == 1:
            self._begin()
        else:
            self._settling = self.every(SETTLING, self._begin)

    def _begin(self) -> None:
        """Begin, where a former director was if anybody knows."""
        for timer in (self._patience, self._settling):
            if timer is not None:
                timer.cancel()
        if self._ready:
            return
        self._ready, known = True, self._known.state
        if known.number == 0:
            if not self._known.heard:
                self.get_logger().warning(f"nobody has said how far things have come in {PATIENCE:g} s; the mission begins anew")
            return
        try:
            settings = as_read(known.settings or {}, self.controls)
            self._core.resume(known.swarm, known.groups, self._desk.board.resume(known.tasks), known.settings is not None)
        except (InputError, ValueError) as error:
            self.get_logger().warning(f"{topics.MISSION.name}: {error}; the mission begins anew")
            return
        self._order(settings)
        self._time = known.time if self.now > 0.0 else self._time
        self.get_logger().info(f"resuming at {self._core.place}")

    def _move_goal(self, goal: Goal) -> None:
        """``/goal_pose``, as RViz sends it."""
        x, y = goal.position
        self._desk.board.moved(self._core.nearest(x, y), self._time)
        self.get_logger().info(f"{self._core.move_goal(x, y)} moved to ({x:g}, {y:g})")
        self._tick()

    def report(self) -> None:
        """Progress: the present goal, and how many have arrived."""
        self._remote.retry()
        self._announcements.look()
        if self._orders is None:
            self.status.write({}, "waiting for the robots' states")
            return
        share = {} if self._core.fraction is None else {"arrived_fraction": self._core.fraction}
        values = {"at": self._core.place, "done": self._orders.done, "time": self._time, **share}
        self.status.write(values, "arrived" if self._orders.done else "running")


def main() -> int:
    """Run the node."""
    return serve(DirectorNode)


if __name__ == "__main__":
    sys.exit(main())
