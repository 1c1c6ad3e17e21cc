"""Node ``floor``: a lab floor in MuJoCo. R3s that speak the wheel protocol over TCP, a camera over them, and simulated time."""

import argparse
import sys
import time
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

import numpy as np
from nav_msgs.msg import OccupancyGrid

from swarm_control.errors import Failed, InputError
from swarm_control.hardware.link import urls
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert, maps
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.sim.floor.floor import LabFloor
from swarm_control.sim.floor.world import DT
from swarm_control.sim.hardware.ports import TcpPort

STEPS = 10
"""Steps of MuJoCo between two looks at the robots' ports; the clock ticks as often."""
TURN = STEPS * DT
PATIENCE = 1.0
"""So long (s, real time) time stands still for commands that have not come."""


class FloorNode(SwarmNode):
    """Moves R3s as they are told over their links, and takes pictures of them; ``swarm_state`` is the truth, for those who judge.

    Nobody else knows where robots are. A picture is published ``simulator.delay`` after it was taken. The next one is not taken before
    every robot has been commanded since: where computers are slow, time is too.
    """

    kind: ClassVar[str] = "floor"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._speed = float(self.option("speed", 1.0, "simulated seconds per second, at most"))
        self._wait = float(self.option("wait", 10.0, "longest wait (s, real time) for the robots' drivers and for listeners"))
        self._listeners = int(self.option("listeners", 0, "subscribers of each robot's odom that must be there before time starts"))
        names, n = self.setup.fleet.names, self.robots
        self._ports = [_port(url) for url in urls(self.scenario.hardware.wheels.link, dict(enumerate(names)))]
        self._floor = _floor(self.scenario, self.setup)
        self._time_topic, self._camera = topics.publisher(self, topics.CLOCK), topics.publisher(self, topics.CAMERA)
        self._truth = topics.publisher(self, topics.SWARM_STATE)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.SWARM_STATE)
        if self.setup.grid is not None:
            self._map, map = topics.publisher(self, topics.MAP), maps.grid_message(self.setup.grid, OccupancyGrid())
            map.header.frame_id = topics.FRAME
            self._map.publish(map)
        for k, name in enumerate(names):
            topics.subscribe(self, topics.CMD_VEL, partial(self._note, k), name, raw=True)
        self._commanded, self._ready = np.ones(n, bool), False
        self._began = self._due = time.monotonic()
        self._every = round(self.control.period / TURN)
        self._late = min(round(self.scenario.simulator.delay / TURN), self._every - 1)
        self._turns = self._pictures = 0
        self._held, self._rendering = 0.0, 0.0
        self._taken: tuple[float, Any] | None = None

    def _note(self, robot: int, data: bytes) -> None:
        """Somebody commands this robot; what, it hears over its link."""
        self._commanded[robot] = True

    def work(self, serving: Any) -> None:
        """Listen until the next turn is due, then make it."""
        left = self._due - time.monotonic()
        if left > 0.0 or not (self._ready or self._anybody()):
            serving.spin_once(timeout_sec=max(left, 0.01))
            return
        serving.spin_once(timeout_sec=0.0)
        now = time.monotonic()
        if self._turns % self._every == 0:
            if not self._commanded.all() and now - self._due < PATIENCE:
                serving.spin_once(timeout_sec=0.005)
                return
            self._held += now - self._due
            self._look()
        self._due = max(self._due + TURN / self._speed, now)
        self._advance()

    def _anybody(self) -> bool:
        """Whether the drivers and the listeners are there, or have been waited for long enough."""
        self._serve()
        last = topics.ODOM.of(self.setup.fleet.names[-1])
        there = all(port.connected for port in self._ports) and self._camera.get_subscription_count() > 0
        there = there and self.count_subscribers(last) >= self._listeners
        if not there and time.monotonic() - self._began > self._wait:
            self.get_logger().warning("not everybody who was expected is there; starting without")
            there = True
        if there:
            self._ready, self._began = True, time.monotonic()
            self._due = self._began
        return there

    def _advance(self) -> None:
        """Let a turn pass."""
        self._serve()
        for _ in range(STEPS):
            self._floor.step()
        self._turns += 1
        self._time_topic.publish(cdr.clock(self._turns * TURN))
        if self._taken is not None and self._turns % self._every == self._late:
            self._show()

    def _serve(self) -> None:
        """Let robots hear what has come for them, and say what they have to say."""
        now = self._floor.time
        for firmware, port in zip(self._floor.firmware, self._ports):
            for line in port.read_lines():
                firmware.hear(line, now)
            told = firmware.tell(now)
            if told is not None:
                port.write(told)

    def _look(self) -> None:
        """Tell the truth, and take a picture."""
        now = self._turns * TURN
        rows = convert.state_rows(self._floor.world.truth(), self._floor.world.collisions, None)
        self._truth.publish(self._writer.write(now, rows))
        self._time_topic.publish(cdr.clock(now))
        began = time.process_time()
        self._taken = now, self._floor.picture()
        self._rendering += time.process_time() - began
        self._pictures += 1
        if self._late == 0:
            self._show()

    def _show(self) -> None:
        """Publish the picture; whoever is commanded from now on may have been seen in it."""
        assert self._taken is not None
        self._commanded[:] = False
        self._camera.publish(cdr.image(self._taken[0], "camera", self._taken[1]))
        self._taken = None

    def report(self) -> None:
        """Simulated time, how well real time is kept, and what rendering takes."""
        now, passed = self._turns * TURN, time.monotonic() - self._began
        values = {
            "time": now, "real_time_factor": now / max(passed, 1e-9), "pictures": self._pictures,
            "render_ms": 1e3 * self._rendering / max(self._pictures, 1), "waited_for_commands": self._held,
            "collisions": int(self._floor.world.collisions.sum()), "lines_bad": sum(firmware.bad for firmware in self._floor.firmware),
            "stopped": sum(firmware.stopped for firmware in self._floor.firmware),
        }  # fmt: skip
        self.status.write(values, "running" if self._ready else "waiting for drivers and listeners")

    def close(self) -> None:
        """Hang up."""
        for port in self._ports:
            port.close()
        self._floor.close()


def _floor(scenario: Scenario, setup: Setup) -> LabFloor:
    try:
        return LabFloor(scenario, setup)
    except (Failed, ImportError) as error:
        raise InputError("this machine", str(error)) from None


def _port(url: str) -> TcpPort:
    parts = urlsplit(url)
    if parts.scheme != "tcp" or not parts.hostname or not parts.port:
        raise InputError("hardware.wheels.link", f"{url!r} found, expected tcp://HOST:PORT: so the floor's robots are reached")
    return TcpPort(parts.port, parts.hostname)


def main() -> int:
    """Run the node."""
    return serve(FloorNode)


if __name__ == "__main__":
    sys.exit(main())
