"""Node ``neighbourhood``: from the robots' odometry to whom each of them perceives."""

import argparse
import copy
import sys
from typing import ClassVar

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import MapInput
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.runtime.stages import PerceptionStage


class NeighbourhoodNode(SwarmNode):
    """Publishes whom each robot perceives: when a simulator's swarm_state comes, else once a period, whatever has come or was lost."""

    kind: ClassVar[str] = "neighbourhood"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.NEIGHBOURS)
        self._publisher = topics.publisher(self, topics.NEIGHBOURS)
        self._perceive = PerceptionStage(self.setup.fleet, self.squads, self.scenario.seed)
        self._map = MapInput(self)
        self._input = StateInput(self, self._hear, reach=self.reach)
        topics.subscribe(self, topics.COMMANDED, self._hear_commands, raw=True)
        self._ticks = 0
        if self._input.source == "odom" or self._input.real:
            self.every(self.control.period, self._tick)

    def _hear(self) -> None:
        if not self._input.real:
            self._tick()

    def _hear_commands(self, data: bytes) -> None:
        stamp, rows = cdr.read_cloud(data)
        robots, commanded = convert.twists_of(rows, self.robots)
        twist = np.full((self.robots, 3), np.nan)
        twist[robots] = commanded
        self._input.estimator.note_commands(stamp, twist)

    def _tick(self) -> None:
        if not self.active:
            return
        newest, state = self._input.state().time, self.present(self._input.estimate())
        seen = self._perceive(state, self.controls, self._map.knowledge.grid)
        rows = convert.neighbour_rows(state, seen, self.served)
        self._publisher.publish(self._writer.write(newest, rows))
        self._ticks += 1
        self._lost = int((~state.valid).sum()) - (0 if self.away is None else int(self.away.sum()))

    def warm(self) -> None:
        """Look once at the robots where they start."""
        self._input.estimator.warm(self.setup.start)
        copy.deepcopy(self._perceive)(self.setup.start, self.controls, self._map.knowledge.grid)

    def report(self) -> None:
        """Ticks in the last second, and robots without usable odometry."""
        lost = self._lost if self._ticks else self.robots
        self.status.write({"ticks_per_second": self._ticks, "robots_lost": lost}, level="warn" if lost else "ok")
        self._ticks = 0


def main() -> int:
    """Run the node."""
    return serve(NeighbourhoodNode)


if __name__ == "__main__":
    sys.exit(main())
