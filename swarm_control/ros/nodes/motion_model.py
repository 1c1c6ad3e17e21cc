"""Node ``motion_model``: from accelerations to velocity commands within limits, and the place where robots are stopped."""

import argparse
import copy
import sys
import time
from typing import Any, ClassVar

import numpy as np
from std_srvs.srv import SetBool

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.pipeline import FormationLaw, commanded
from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import HOSTED
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import MapInput
from swarm_control.ros.support.command_publishers import CommandPublishers
from swarm_control.ros.support.command_tables import CommandTables
from swarm_control.ros.support.freshness import Freshness
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.permit import Permit
from swarm_control.ros.support.status import shown
from swarm_control.ros.support.stop_state import StopState
from swarm_control.runtime.motion import MotionStage
from swarm_control.runtime.orders import no_orders
from swarm_control.scenario.groups import in_formation

STOPPED = "stopped"
"""What is stored in the run's folder while a robot's own stop holds."""

WATCH = 0.02
"""Time (s) between looks at what is overdue."""

REPEAT = 3
"""A robot that is held is told so at the first look and at every third one after that."""


class MotionModelNode(SwarmNode):
    """Commands the robots' velocities; stops those whose odometry or acceleration is missing, and all on request."""

    kind: ClassVar[str] = "motion_model"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        n = self.robots
        stamped = self.option("stamped", False, "publish TwistStamped, whatever the parameter commands says")
        names = [self.setup.fleet.names[k] for k in self.served]
        commands = self.option("commands", "twist", "what robots are told in, auto, twist or twist_stamped; auto: as their drivers have it")
        self._commands = CommandPublishers(self, names, "twist_stamped" if stamped else commands)
        self._serves = convert.mask(self.served, n)
        self._acceleration, self._twist = np.zeros((n, 2)), np.zeros((n, 3))
        gathered = self.option("gathered", False, "whether a simulator is told of many robots at once, but for those whom others listen to")
        self._tables = CommandTables(self, bool(gathered))
        self._wished = Freshness(n, self.now)
        self._memory = f"{self.place}/stop"
        self._own_stop = self.session.stored(self._memory) == STOPPED
        self._halted, self._moved = np.zeros(n, bool), np.zeros(n, bool)
        self._looks_held = np.zeros(len(self.served), np.int64)
        self._motion = MotionStage(n, self.scenario.simulator)
        self._nowhere = no_orders(n, len(self.flocks))
        self._filtered = self._fenced = self._ticks = self._behind = 0
        self._map = MapInput(self)
        self._input = StateInput(self, reach=self.reach)
        self._motion.presume(self._input.estimator)
        topics.subscribe(self, topics.ACCELERATION, self._tick, raw=True)
        topics.subscribe(self, topics.TARGETS, self._follow, raw=True)
        guarded = bool(self.option("guarded", False, "whether robots move only while the guard in this namespace permits it"))
        guards = [f"{self.space}/guard"] if guarded else []
        self._stops = StopState(self, self._watch, guards=guards, holds=None if guarded else lambda: self._stopped)
        self._permit = Permit(self, self._stops, self._commands, guarded)
        if self.space == HOSTED:
            self._stops.serve()
        else:
            self.create_service(SetBool, "stop", self._stop)
        self.every(WATCH, self._watch)

    @property
    def _forming(self) -> BoolArray:
        """Which robots (N,) keep a formation: their accelerations are deviations from it, and its targets are obeyed."""
        keeping = in_formation(self.flocks, self.controls)
        return convert.mask(np.concatenate([np.empty(0, np.int64), *(self.flocks[k].robots for k in keeping)]), self.robots)

    def _tick(self, data: bytes) -> None:
        """Accelerations have come."""
        stamp, rows = cdr.read_cloud(data)
        robots, acceleration = convert.acceleration_of(rows, self.robots)
        free = ~self._forming
        if not free[robots].any():
            return
        self._acceleration[robots] = acceleration
        self._wished.hear(robots[free[robots] & np.isfinite(acceleration).all(axis=1)], self.now)
        self._command(stamp, free)

    def _follow(self, data: bytes) -> None:
        """Formations' targets have come."""
        stamp, rows = cdr.read_cloud(data)
        robots, twist = convert.twists_of(rows, self.robots)
        forming = self._forming
        if not forming[robots].any():
            return
        good = np.asarray(np.isfinite(twist).all(axis=1))
        self._twist[robots] = np.where(good[:, None], twist, 0.0)
        self._wished.hear(robots[forming[robots] & good], self.now)
        self._command(stamp, forming)

    def _laws(self) -> dict[int, FormationLaw]:
        """How the flocks (numbers) that keep a formation do so: as their targets tell."""
        return {k: lambda state, deviation: self._twist for k in in_formation(self.flocks, self.controls)}

    def _command(self, stamp: float, told: BoolArray) -> None:
        """Command the robots that are to be ``told`` (N,)."""
        began, heard, state = time.monotonic(), self._input.state(), self.present(self._input.estimate())
        self._behind += stamp < heard.time
        parts = self._map.knowledge.parts(self._nowhere, self.controls, self._laws())
        commands, changed = commanded(state, self._acceleration, parts, self._motion)
        twist, fenced = commands.twist, np.asarray(commands.fenced)
        self._permit.took(time.monotonic() - began)
        if not self._permit.granted:
            return
        self._halted, _ = self._must_halt(state)
        self._moved |= ~self._halted
        counted = self._serves & ~self._halted & told
        self._filtered += int((changed & ~fenced & counted).sum())
        self._fenced += int((fenced & counted).sum())
        self._ticks += 1
        self._publish(np.where(self._halted[:, None], 0.0, twist)[self.served], np.flatnonzero(told[self.served]))

    @property
    def _stopped(self) -> bool:
        return self._own_stop or self._stops.stopped

    def _must_halt(self, state: SwarmState) -> Any:
        """Which robots (N,) must not move now, and which of them because their acceleration is overdue."""
        wished = self._wished.fresh(self.now, self.control.safety.command_timeout)
        driverless = convert.mask(self.served[~self._commands.heard], self.robots)
        return self._stopped | (not self.active) | (not self._permit.granted) | ~state.valid | ~wished | driverless, ~wished

    def _watch(self) -> None:
        """Tell robots that must not move to stop, as their next command may never come; not those of which nothing has been heard yet."""
        self._commands.lend(self.now, np.zeros(len(self.served), bool) if self.away is None else self.away[self.served])
        self._permit.look()
        self._halted, overdue = self._must_halt(self._input.state())
        told = (self._halted & (self._stopped | overdue | self._moved))[self.served]
        self._looks_held = np.where(told, self._looks_held + 1, 0)
        held = np.flatnonzero(told & (self._looks_held % REPEAT == 1))
        if held.size:
            self._publish(np.zeros((len(self.served), 3)), held)

    def warm(self) -> None:
        """Make commands once, of the robots where they start."""
        self._input.estimator.warm(self.setup.start)
        parts = self._map.knowledge.parts(self._nowhere, self.controls, self._laws())
        commanded(self.setup.start, self._acceleration, parts, copy.deepcopy(self._motion))

    def _publish(self, twist: Array, which: IntArray) -> None:
        """Tell the robots ``which`` (positions in ``served``) their twists, of those for all that are served (n, 3)."""
        one_by_one = self._tables.tell(self.now, twist, which, self._commands.lent, self._commands.listened)
        self._commands.publish(self.now, twist, one_by_one)
        self._input.estimator.note_commands(self.now, self._tables.told.copy())
        self._tables.show(self.now)

    def _stop(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """``/<robot>/stop``: true stops this robot at once and holds, false lets it go."""
        self._own_stop = bool(request.data)
        self.session.store(self._memory, STOPPED if self._own_stop else "")
        self._watch()
        response.success, response.message = True, "stopped" if self._stopped else "running"
        return response

    def report(self) -> None:
        """Ticks in the last second, interventions of separation filter and fence, and who is held."""
        held = [self.setup.fleet.names[k] for k in self.served[~self._commands.lent] if self._halted[k]]
        values = {
            "ticks_per_second": self._ticks, "ticks_behind": self._behind, "filter_interventions": self._filtered,
            "fence_interventions": self._fenced, "robots_held": len(held), "held": shown(held),
            "watchdog": self._permit.duration, "drivers_missing": shown(self._commands.missing),
        }  # fmt: skip
        self._commands.look_who_listens()
        word = "stopped" if self._stopped else "running" if self._permit.granted else "waiting"
        self.status.write(values, word, "warn" if held else "ok")
        self._ticks = 0

    def close(self) -> None:
        """Leave no robot moving."""
        self._publish(np.zeros((len(self.served), 3)), np.arange(len(self.served)))


def main() -> int:
    """Run the node."""
    return serve(MotionModelNode)


if __name__ == "__main__":
    sys.exit(main())
