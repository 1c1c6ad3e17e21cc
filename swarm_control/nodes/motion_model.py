"""Node ``motion_model``: from wished accelerations to velocity commands within limits, and the place where robots are stopped."""

import argparse
import sys
from typing import Any, ClassVar

import numpy as np
from std_srvs.srv import SetBool

from swarm_control.core.motion.command import command, restrain
from swarm_control.core.state import SwarmState
from swarm_control.nodes import cdr, convert, topics
from swarm_control.nodes.base import SwarmNode, serve
from swarm_control.nodes.freshness import Freshness
from swarm_control.nodes.inputs import StateInput
from swarm_control.nodes.latch import StopLatch
from swarm_control.nodes.maps import MapInput
from swarm_control.nodes.plan import HOSTED
from swarm_control.nodes.status import shown
from swarm_control.sim.director import Orders

WATCH = 0.02
"""Time (s) between looks at what is overdue."""

REPEAT = 3
"""A robot that is held is told so at the first look and at every third one after that."""


class MotionModel(SwarmNode):
    """Commands the robots' velocities; stops those whose odometry or acceleration is missing, and all on request."""

    kind: ClassVar[str] = "motion_model"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        n = self.robots
        stamped = self.option("stamped", False, "publish TwistStamped in place of Twist")
        names = [self.setup.fleet.names[k] for k in self.served]
        topic = topics.CMD_VEL_STAMPED if stamped else topics.CMD_VEL
        self._commands = [topics.publisher(self, topic, name) for name in names]
        self._writer = cdr.TwistWriter([f"{topics.robot_name(name)}/base_link" for name in names], stamped)
        self._serves = convert.mask(self.served, n)
        self._acceleration, self._twist = np.zeros((n, 2)), np.zeros((n, 3))
        self._wished = Freshness(n, self.now)
        self._own_stop, self._halted, self._moved = False, np.zeros(n, bool), np.zeros(n, bool)
        self._looks_held = np.zeros(len(self.served), np.int64)
        self._last_pose, self._seen = np.zeros((n, 3)), np.zeros(n, bool)
        self._nowhere = Orders(np.full((n, 2), np.nan), np.full(2, np.nan), 0, np.zeros(n, bool), False)
        self._filtered = self._fenced = self._ticks = self._behind = 0
        self._map = MapInput(self)
        self._input = StateInput(self)
        topics.subscribe(self, topics.ACCELERATION, self._tick, raw=True)
        topics.subscribe(self, topics.TARGETS, self._follow, raw=True)
        self._latch = StopLatch(self, self._watch)
        self.create_service(SetBool, "stop", self._stop)
        self.every(WATCH, self._watch)

    def _tick(self, data: bytes) -> None:
        """Accelerations have come; in a formation they are no more than deviations from it, and its targets are obeyed."""
        if self.control.formation.enabled:
            return
        stamp, rows = cdr.read_cloud(data)
        robots, acceleration = convert.acceleration_of(rows, self.robots)
        self._acceleration[robots] = acceleration
        self._wished.hear(robots[np.isfinite(acceleration).all(axis=1)], self.now)
        self._command(stamp, command, self._acceleration)

    def _follow(self, data: bytes) -> None:
        """A formation's targets have come."""
        if not self.control.formation.enabled:
            return
        stamp, rows = cdr.read_cloud(data)
        robots, twist = convert.twists_of(rows, self.robots)
        good = np.asarray(np.isfinite(twist).all(axis=1))
        self._twist[robots] = np.where(good[:, None], twist, 0.0)
        self._wished.hear(robots[good], self.now)
        self._command(stamp, restrain, self._twist)

    def _command(self, stamp: float, make: Any, wish: Any) -> None:
        state, control = self._input.state(), self.control
        self._behind += stamp < state.time
        around = self._map.reader.surroundings(self._nowhere, control)
        limits = (control.motion, control.separation_filter, control.period, control.safety)
        commands, changed = make(self._presumed(state), wish, around.fleet, around.map, *limits)
        if not self._latch.known:
            return
        self._halted, _ = self._must_halt(state)
        self._moved |= ~self._halted
        counted, fenced = self._serves & ~self._halted, np.asarray(commands.fenced)
        self._filtered += int((changed & ~fenced & counted).sum())
        self._fenced += int((fenced & counted).sum())
        self._ticks += 1
        self._publish(np.where(self._halted[:, None], 0.0, commands.twist)[self.served], range(len(self.served)))

    def _presumed(self, state: SwarmState) -> SwarmState:
        """The state in which robots that have fallen silent stand where they were last heard: the others must not run into them."""
        self._last_pose = np.where(state.valid[:, None], state.pose, self._last_pose)
        self._seen |= state.valid
        if state.complete:
            return state
        return SwarmState.of(state.time, self._last_pose, np.where(state.valid[:, None], state.velocity, 0.0), self._seen, state.fallen)

    @property
    def _stopped(self) -> bool:
        return self._own_stop or self._latch.stopped

    def _must_halt(self, state: SwarmState) -> Any:
        """Which robots (N,) must not move now, and which of them because their acceleration is overdue."""
        wished = self._wished.fresh(self.now, self.control.safety.command_timeout)
        return self._stopped | ~state.valid | ~wished, ~wished

    def _watch(self) -> None:
        """Tell robots that must not move to stop, as their next command may never come; not those of which nothing has been heard yet."""
        self._halted, overdue = self._must_halt(self._input.state())
        told = (self._halted & (self._stopped | overdue | self._moved))[self.served]
        self._looks_held = np.where(told, self._looks_held + 1, 0)
        held = np.flatnonzero(told & (self._looks_held % REPEAT == 1))
        if held.size:
            self._publish(np.zeros((len(self.served), 3)), held)

    def _publish(self, twist: Any, which: Any) -> None:
        messages = self._writer.write(self.now, convert.twist_values(twist))
        for k in which:
            self._commands[k].publish(messages[k])

    def _stop(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """``/swarm/stop``: true stops everything at once and holds, false lets go; ``/<robot>/stop``: this robot only."""
        if self.get_namespace() == HOSTED:
            self._latch.set(bool(request.data))
        else:
            self._own_stop = bool(request.data)
        self._watch()
        response.success, response.message = True, "stopped" if self._stopped else "running"
        return response

    def report(self) -> None:
        """Ticks in the last second, interventions of separation filter and fence, and who is held."""
        held = [self.setup.fleet.names[k] for k in self.served if self._halted[k]]
        values = {
            "ticks_per_second": self._ticks, "ticks_behind": self._behind, "filter_interventions": self._filtered,
            "fence_interventions": self._fenced, "robots_held": len(held), "held": shown(held),
        }  # fmt: skip
        self.status.write(values, "stopped" if self._own_stop else self._latch.word, "warn" if held else "ok")
        self._ticks = 0

    def close(self) -> None:
        """Leave no robot moving."""
        self._publish(np.zeros((len(self.served), 3)), range(len(self.served)))


def main() -> int:
    """Run the node."""
    return serve(MotionModel)


if __name__ == "__main__":
    sys.exit(main())
