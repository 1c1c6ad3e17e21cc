"""Node ``behaviours``: from whom each robot perceives to the acceleration that it wants, and each behaviour's share of it."""

import argparse
import sys
import time
from dataclasses import replace
from typing import ClassVar

from swarm_control.core.behaviour import BEHAVIOURS, active
from swarm_control.core.pipeline import desired_accelerations
from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import MapInput
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.mission import MissionRepeater
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.sources import EPOCH
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.orders import no_orders, orders_from
from swarm_control.runtime.stages import PerceptionStage


class BehavioursNode(SwarmNode):
    """Publishes the acceleration that each robot wants; works whenever neighbours come, once the goals are known."""

    kind: ClassVar[str] = "behaviours"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._orders = no_orders(self.robots, len(self.flocks))
        self._ordered = not any(flock.goals for flock in self.flocks)
        self._map = MapInput(self)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.acceleration_kind(()))
        self._names: tuple[str, ...] = ()
        self._publisher = topics.publisher(self, topics.ACCELERATION)
        topics.subscribe(self, topics.GOALS, self._hear_goals, raw=True)
        topics.subscribe(self, topics.NEIGHBOURS, self._tick, raw=True)
        self._mission = MissionRepeater(self)
        self._ticks, self._busy = 0, 0.0
        self._swarm: StateInput | None = None
        self._began: float | None = None

    def _hear_goals(self, data: bytes) -> None:
        _, rows = cdr.read_cloud(data)
        self._orders = orders_from(*convert.goals_of(rows, self.robots, len(self.flocks)))
        self._ordered = True

    def _tick(self, data: bytes) -> None:
        if not (self._ordered and self.active):
            return
        began = time.perf_counter()
        stamp, rows = cdr.read_cloud(data)
        state, seen = convert.neighbourhoods_of(stamp - self._origin(stamp), rows, self.robots)
        parts = self._map.knowledge.parts(self._orders, self.controls, swarm=self._everybody())
        _, accumulated, total = desired_accelerations(state, seen, parts)
        if accumulated.names != self._names:
            self._names = accumulated.names
            self._writer = cdr.CloudWriter(topics.FRAME, convert.acceleration_kind(self._names))
        robots = self.served[state.valid[self.served]]
        self._publisher.publish(self._writer.write(stamp, convert.acceleration_rows(replace(accumulated, total=total), robots)))
        self._ticks += 1
        self._busy += time.perf_counter() - began

    def warm(self) -> None:
        """Ask the behaviours once, of the robots where they start, with their first goals: what they make of the map is made then."""
        start = self.setup.start
        seen = PerceptionStage(self.setup.fleet, self.squads, 0)(start, self.controls, self.setup.grid)
        orders = Mission(self.scenario, self.setup.society, self.squads, self.setup.grid).update(start, self.controls)
        desired_accelerations(start, seen, self._map.knowledge.parts(orders, self.controls))

    def _origin(self, stamp: float) -> float:
        """When the run began: at the first stamp that is the time of day; simulated time begins at zero."""
        self._began = stamp if self._began is None and stamp > EPOCH else self._began
        return self._began or 0.0

    def _everybody(self) -> SwarmState | None:
        """All robots' states, for behaviours that want them; None where ``neighbours`` tells of all, or nobody needs to know."""
        trees = [self.controls.of(squad.name) for squad in self.squads]
        if len(self.served) == self.robots or not any(BEHAVIOURS[name].hears_all(tree) for tree in trees for name in active(tree)):
            return None
        self._swarm = self._swarm or StateInput(self, reach=self.reach)
        return self._swarm.state()

    def report(self) -> None:
        """Ticks in the last second, and what one took; what the director has said of the mission is repeated."""
        mean = 1e3 * self._busy / self._ticks if self._ticks else 0.0
        self.status.write({"ticks_per_second": self._ticks, "tick_ms": mean}, "running" if self._ordered else "waiting for goals")
        self._ticks, self._busy = 0, 0.0
        self._mission.look()


def main() -> int:
    """Run the node."""
    return serve(BehavioursNode)


if __name__ == "__main__":
    sys.exit(main())
