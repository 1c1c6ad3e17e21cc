"""Node ``neighbourhood``: from the robots' odometry to whom each of them perceives."""

import argparse
import sys
from typing import ClassVar

import numpy as np

from swarm_control.core.perception import Memory, perceive
from swarm_control.nodes import cdr, convert, topics
from swarm_control.nodes.base import SwarmNode, serve
from swarm_control.nodes.inputs import StateInput
from swarm_control.nodes.maps import MapInput


class Neighbourhood(SwarmNode):
    """Publishes whom each robot perceives, from swarm_state as it comes, or from every robot's odom once a period."""

    kind: ClassVar[str] = "neighbourhood"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._rng = np.random.default_rng([self.scenario.seed, 2])
        self._writer = cdr.CloudWriter(topics.FRAME, convert.NEIGHBOURS)
        self._publisher = topics.publisher(self, topics.NEIGHBOURS)
        self._memory, self._map = Memory(), MapInput(self)
        self._input = StateInput(self, self._tick)
        self._ticks = 0
        if self._input.source == "odom":
            self.every(self.control.period, self._tick)

    def _tick(self) -> None:
        state = self._input.state()
        params = self.control.perception
        past = self._memory.recall(state, params.delay)
        seen = perceive(state, params, self._rng, self.setup.fleet.radius, past, self._map.reader.grid)
        rows = convert.neighbour_rows(state, seen, self.served)
        self._publisher.publish(self._writer.write(state.time, rows))
        self._ticks += 1
        self._valid = int(state.valid.sum())

    def report(self) -> None:
        """Ticks in the last second, and robots without usable odometry."""
        lost = self.robots - self._valid if self._ticks else self.robots
        self.status.write({"ticks_per_second": self._ticks, "robots_lost": lost}, level="warn" if lost else "ok")
        self._ticks = 0


def main() -> int:
    """Run the node."""
    return serve(Neighbourhood)


if __name__ == "__main__":
    sys.exit(main())
