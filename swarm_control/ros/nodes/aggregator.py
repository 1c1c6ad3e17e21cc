"""Node ``aggregator``: everybody's odometry in one message, so that N robots do not each have to hear N streams."""

import argparse
import sys
from typing import ClassVar

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.node import SwarmNode, serve


class AggregatorNode(SwarmNode):
    """Hears every ``/<robot>/odom`` and publishes ``swarm_state`` once a period, with the time at which each robot was measured.

    A robot whose odometry is overdue has no numbers in it. Whoever obeys it gives it up like any odometry that is missing, so that
    the end of this node stops the robots.
    """

    kind: ClassVar[str] = "aggregator"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._input = StateInput(self, source="odom")
        used = self._input.deviation is not None
        self._writer = cdr.CloudWriter(topics.FRAME, convert.UNCERTAIN_STATE if used else convert.SWARM_STATE)
        self._publisher = topics.publisher(self, topics.SWARM_STATE)
        self._heard = 0
        self.every(self.control.period, self._publish)

    def _publish(self) -> None:
        state = self._input.state()
        self._heard = int(state.valid.sum())
        if self._heard:
            rows = convert.state_rows(state, None, self._input.stamps(), self._input.deviation)
            self._publisher.publish(self._writer.write(state.time, rows))

    def report(self) -> None:
        """How many robots are heard."""
        silent = self._heard < self.robots
        self.status.write({"robots_heard": self._heard, "robots": self.robots}, "running", "warn" if silent else "ok")


def main() -> int:
    """Run the node."""
    return serve(AggregatorNode)


if __name__ == "__main__":
    sys.exit(main())
