"""Robots that a scenario's nodes take for real ones, played by the experiment, which knows where they truly are."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from swarm_control.core.geometry import norm
from swarm_control.errors import Failed
from swarm_control.ros.messages.cdr import OdometryWriter

if TYPE_CHECKING:
    from swarm_control.ros.support.holding_robots import HoldingRobots

STARTING = 60.0
"""Longest time (s) until the first robot moves or is named."""


class StandIns:
    """The ``robots``, what their nodes have said in ``lines``, and the longest ``way`` (m) of one of them since they began to move."""

    def __init__(self, robots: "HoldingRobots", poll: Callable[[], object], lines: list[str]) -> None:
        self.robots, self.lines = robots, lines
        self._poll = poll
        self._way, self._before = np.zeros(len(robots.pose)), robots.pose

    @property
    def named(self) -> list[str]:
        """The lines that name a robot which stands for its odometry."""
        return [line for line in self.lines if " stands: " in line]

    @property
    def way(self) -> float:
        """The longest way (m) of a robot so far."""
        return float(self._way.max())

    def spin(self) -> None:
        """Let everybody work for a moment."""
        self.robots.spin(0.05)
        self._poll()
        self._way, self._before = self._way + norm(self.robots.pose[:, :2] - self._before[:, :2]), self.robots.pose


@contextmanager
def stand_ins(data: dict[str, Any], domain: int, writer: Callable[[Sequence[str]], OdometryWriter]) -> Iterator[StandIns]:
    """The scenario ``data`` on real nodes in a ROS ``domain``, with robots whose odometry the ``writer`` for their frames' names writes.

    They are given over once one of them moves or is named.
    """
    from swarm_control.ros.graph import topics
    from swarm_control.ros.graph.plan import plan
    from swarm_control.ros.graph.spec import HOSTED
    from swarm_control.ros.support.holding_robots import HoldingRobots
    from swarm_control.ros.support.supervisor import Supervisor
    from swarm_control.scenario.loader import load_prepared

    os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stand_ins.yaml"
        file.write_text(yaml.safe_dump(data))
        loaded, setup = load_prepared(str(file), ())
        supervisor = Supervisor(plan(str(file), (), "none"), lines.append)
        supervisor.start()
        names = setup.fleet.names
        robots = HoldingRobots(loaded, setup, [HOSTED] * len(names), writer([f"{topics.robot_name(name)}/base_link" for name in names]))
        try:
            found, began = StandIns(robots, supervisor.poll, lines), time.monotonic()
            while not (robots.moving or found.named):
                if time.monotonic() > began + STARTING:
                    raise Failed(f"no robot moved or was named within {STARTING:g} s: {' | '.join(lines[-3:])}")
                found.spin()
            yield found
        finally:
            supervisor.stop()
            robots.close()
