"""Node ``virtual_structure``: keeps robots in formation; from everybody's odometry to each robot's target and command."""

import argparse
import sys
import time
from typing import Any, ClassVar

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist

from swarm_control.core.geometry import Array
from swarm_control.nodes import cdr, convert, topics
from swarm_control.nodes.base import SwarmNode, serve
from swarm_control.nodes.freshness import Freshness
from swarm_control.nodes.inputs import StateInput
from swarm_control.nodes.maps import MapInput
from swarm_control.scenario.schema import Goal
from swarm_control.sim.keepers import Keepers, Kept

JUMP = 1.0
"""The clock was set back when time falls by more than this (s)."""


class VirtualStructure(SwarmNode):
    """Fits the structure to the robots and moves it as far as they can follow; hosted for all, onboard for the one robot served."""

    kind: ClassVar[str] = "virtual_structure"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        n = self.robots
        self._own = int(self.served[0]) if len(self.served) == 1 < n else None
        self._deviation, self._deviates = np.zeros((n, 2)), Freshness(n, -np.inf)
        self._joystick = Freshness(1, -np.inf)
        self._made: Kept | None = None
        self._ticks, self._busy = 0, 0.0
        self._begin()
        self._target_writer = cdr.CloudWriter(topics.FRAME, convert.TARGETS)
        self._structure_writer = cdr.CloudWriter(topics.FRAME, convert.STRUCTURE)
        self._targets = topics.publisher(self, topics.TARGETS)
        self._structure = topics.publisher(self, topics.STRUCTURE)
        self._pose = topics.publisher(self, topics.STRUCTURE_POSE)
        topics.subscribe(self, topics.ACCELERATION, self._hear_acceleration, raw=True)
        topics.subscribe(self, topics.STRUCTURE_CMD_VEL, self._steer)
        topics.subscribe(self, topics.GOAL_POSE, self._move_goal)
        self._map = MapInput(self)
        self._input = StateInput(self, self._tick)
        if self._input.source == "odom":
            self.every(self.control.period, self._tick)

    def _begin(self) -> None:
        self._keeper = Keepers(self.setup.fleet, self.scenario.goals, self.control.period, self._own)
        self._time = -np.inf

    def _tick(self) -> None:
        """One period, unless time stands still; then the last word is repeated."""
        control = self.control
        if not control.formation.enabled:
            return
        began, state = time.perf_counter(), self._input.state()
        if state.time < self._time - JUMP:
            self._begin()
        if state.time > self._time + 0.5 * control.period:
            self._time = state.time
            fresh = self._deviates.fresh(self.now, control.safety.command_timeout)
            if self._joystick.heard[0] > -np.inf and not self._joystick.fresh(self.now, control.safety.odometry_timeout)[0]:
                self._keeper.steer(np.zeros(3))
            deviation = np.where(fresh[:, None], self._deviation, 0.0)
            self._made = self._keeper.step(state, self._input.stamps(), control.formation, deviation, self._map.reader.map(control))
            self._ticks += 1
        self._publish(state.time)
        self._busy += time.perf_counter() - began

    def _publish(self, stamp: float) -> None:
        """Targets of the robots served; until there is a structure they are told to stand."""
        made, n = self._made, self.robots
        target, twist = (np.full((n, 2), np.nan), np.zeros((n, 3))) if made is None else (made.target, made.command)
        self._targets.publish(self._target_writer.write(stamp, convert.target_rows(target, twist, self.served)))
        if made is None:
            return
        self._structure.publish(self._structure_writer.write(stamp, self._rows(made)))
        self._pose.publish(pose_message(made.steps[0].structure.pose, self.get_clock().now().to_msg()))

    def _rows(self, made: Kept) -> convert.Rows:
        """Rows of ``structure``, one for each part; of the goals they say all the same."""
        rows = np.zeros(len(made.steps), convert.STRUCTURE)
        keeper, total = self._keeper, self._keeper.total(self.control.formation)
        for k, step in enumerate(made.steps):
            progress = (k + 1, keeper.visits, keeper.agenda.missed, total, step.memory.rest, len(step.structure))
            rows[k] = (*progress, *step.structure.pose, step.error)
        return rows

    def _hear_acceleration(self, data: bytes) -> None:
        """What behaviours want: deviations from the formation."""
        robots, acceleration = convert.acceleration_of(cdr.read_cloud(data)[1], self.robots)
        self._deviation[robots] = np.where(np.isfinite(acceleration), acceleration, 0.0)
        self._deviates.hear(robots, self.now)

    def _steer(self, message: Twist) -> None:
        """``structure/cmd_vel``, as a joystick sends it: speed ahead and to the left, and turn rate, of the structure."""
        twist = np.array([message.linear.x, message.linear.y, message.angular.z])
        if np.isfinite(twist).all():
            self._joystick.hear(0, self.now)
            self._keeper.steer(twist)

    def _move_goal(self, message: PoseStamped) -> None:
        """``/goal_pose``, as RViz sends it: for the part of the structure that is nearest to it; it ends steering by joystick."""
        p, q = message.pose.position, message.pose.orientation
        if message.header.frame_id not in ("", topics.FRAME) or not np.isfinite([p.x, p.y, q.z, q.w]).all():
            self.get_logger().error("goal refused, expected finite numbers in frame 'map'")
            return
        self._joystick.hear(0, -np.inf)
        heading = float(np.rad2deg(np.arctan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))))
        self._keeper.send(Goal(position=(p.x, p.y), heading=heading))

    def report(self) -> None:
        """How far robots are from their places, who has failed, whom the structure waits for."""
        names, made, mean = self.setup.fleet.names, self._made, 1e3 * self._busy / max(self._ticks, 1)
        values: dict[str, Any] = {"ticks_per_second": self._ticks, "tick_ms": mean, "problem": self._keeper.problem}
        self._ticks, self._busy = 0, 0.0
        if made is None:
            state = self._input.state()
            missing = [names[k] for k in range(self.robots) if not state.valid[k]]
            self.status.write({**values, "not_heard": ", ".join(missing[:8])}, "waiting for the robots")
            return
        failed = [names[k] for k in np.flatnonzero(made.failed)]
        values |= {
            "visits": self._keeper.visits, "robots": sum(len(step.structure) for step in made.steps), "parts": len(made.steps),
            "error_mm": 1e3 * made.error, "rest": made.rest, "failed": ", ".join(failed[:8]),
        }  # fmt: skip
        bad = bool(failed or self._keeper.problem)
        self.status.write(values, "a robot has failed" if failed else "running", "warn" if bad else "ok")


def pose_message(pose: Array, stamp: Any) -> PoseStamped:
    """The structure's pose (3,) for RViz."""
    message = PoseStamped()
    message.header.frame_id, message.header.stamp = topics.FRAME, stamp
    message.pose.position.x, message.pose.position.y = float(pose[0]), float(pose[1])
    message.pose.orientation.z, message.pose.orientation.w = float(np.sin(0.5 * pose[2])), float(np.cos(0.5 * pose[2]))
    return message


def main() -> int:
    """Run the node."""
    return serve(VirtualStructure)


if __name__ == "__main__":
    sys.exit(main())
