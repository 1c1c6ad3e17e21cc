"""Node ``state_logger``: writes every ``swarm_state`` that it hears to its output, one line of JSON each, for experiments to read.

It belongs to no run: experiments start it beside the simulator, whose true states it hears over the loopback interface.
"""

import argparse
import json
import sys
import time
from typing import ClassVar

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.node import SwarmNode, serve


class StateLoggerNode(SwarmNode):
    """Writes wall time (s, monotonic), simulated time (s), collisions so far (null: unknown), and each robot's x, y, yaw, vx, vy, ω."""

    kind: ClassVar[str] = "state_logger"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        topics.subscribe(self, topics.SWARM_STATE, self._hear, raw=True)

    def _hear(self, data: bytes) -> None:
        stamp, rows = cdr.read_cloud(data)
        robots = np.column_stack([rows[name] for name in ("x", "y", "yaw", "vx", "vy", "wz")])
        line = {"wall": time.monotonic(), "time": stamp, "collisions": convert.collisions_of(rows), "robots": robots.tolist()}
        print(json.dumps(line), flush=True)


def main() -> int:
    """Run the node."""
    return serve(StateLoggerNode)


if __name__ == "__main__":
    sys.exit(main())
