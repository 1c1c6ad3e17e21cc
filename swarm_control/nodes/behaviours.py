"""Node ``behaviours``: from whom each robot perceives to the acceleration that it wants, and each behaviour's share of it."""

import argparse
import json
import sys
import time
from dataclasses import replace
from typing import ClassVar

import numpy as np

from swarm_control.core.accumulation import accumulate
from swarm_control.core.motion.drive import drive
from swarm_control.core.pipeline import request
from swarm_control.core.state import SwarmState
from swarm_control.nodes import cdr, convert, topics
from swarm_control.nodes.base import SwarmNode, serve
from swarm_control.nodes.inputs import StateInput
from swarm_control.nodes.maps import MapInput
from swarm_control.nodes.sources import EPOCH
from swarm_control.scenario.tree import to_text
from swarm_control.sim.director import Orders


class Behaviours(SwarmNode):
    """Publishes the acceleration that each robot wants; works whenever neighbours come, once the goals are known."""

    kind: ClassVar[str] = "behaviours"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._goal, self._target, self._index = np.full((self.robots, 2), np.nan), np.full(2, np.nan), 0
        self._ordered = not self.scenario.goals
        self._map = MapInput(self)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.acceleration_kind(()))
        self._names: tuple[str, ...] = ()
        self._publisher = topics.publisher(self, topics.ACCELERATION)
        topics.subscribe(self, topics.GOALS, self._hear_goals, raw=True)
        topics.subscribe(self, topics.NEIGHBOURS, self._tick, raw=True)
        self._ticks, self._busy = 0, 0.0
        self._swarm: StateInput | None = None
        self._began: float | None = None

    def _hear_goals(self, data: bytes) -> None:
        _, rows = cdr.read_cloud(data)
        self._goal, self._target, self._index = convert.goals_of(rows, self.robots)
        self._ordered = True

    def _tick(self, data: bytes) -> None:
        if not self._ordered:
            return
        began = time.perf_counter()
        stamp, rows = cdr.read_cloud(data)
        state, seen = convert.neighbourhoods_of(stamp - self._origin(stamp), rows, self.robots)
        orders = Orders(self._goal, self._target, 0, np.zeros(self.robots, bool), False)
        around = replace(self._map.reader.surroundings(orders, self.control), swarm=self._everybody())
        requests = request(state, seen, around, self.control)
        accumulated = accumulate(requests, around.fleet.max_acceleration, self.control.accumulation)
        total = drive(state, accumulated.total, around.fleet, self.control.motion, self.control.period, around.society)
        if accumulated.names != self._names:
            self._names = accumulated.names
            self._writer = cdr.CloudWriter(topics.FRAME, convert.acceleration_kind(self._names))
        robots = self.served[state.valid[self.served]]
        self._publisher.publish(self._writer.write(stamp, convert.acceleration_rows(replace(accumulated, total=total), robots)))
        self._ticks += 1
        self._busy += time.perf_counter() - began

    def _origin(self, stamp: float) -> float:
        """When the run began: at the first stamp that is the time of day; simulated time begins at zero."""
        self._began = stamp if self._began is None and stamp > EPOCH else self._began
        return self._began or 0.0

    def _everybody(self) -> SwarmState | None:
        """All robots' states, for forces that reach however far and bodies that lie in the way; None where ``neighbours`` tells of all,
        or nobody needs to know.
        """
        if len(self.served) == self.robots or (self.control.social.weight == 0.0 and self.control.grouping.weight == 0.0):
            return None
        self._swarm = self._swarm or StateInput(self)
        return self._swarm.state()

    def report(self) -> None:
        """Ticks in the last second, what one took, and where the flock is heading."""
        mean = 1e3 * self._busy / self._ticks if self._ticks else 0.0
        x, y = map(float, self._target)
        moves = json.dumps([to_text(move) for move in self.control.social.moves])
        values = {
            "ticks_per_second": self._ticks, "tick_ms": mean, "goal_index": self._index, "target_x": x, "target_y": y, "moves": moves,
        }  # fmt: skip
        self.status.write(values, "running" if self._ordered else "waiting for goals")
        self._ticks, self._busy = 0, 0.0


def main() -> int:
    """Run the node."""
    return serve(Behaviours)


if __name__ == "__main__":
    sys.exit(main())
