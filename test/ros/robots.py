"""Robots played by a test."""

import math
import time

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr

ROBOTS = ("robot_0", "robot_1", "robot_2")


class Robots:
    """Three robots that stand still whatever they are commanded; each can be made to misbehave."""

    def __init__(self, graph):
        self.graph = graph
        self.commands = {name: [] for name in ROBOTS}
        self.behave()
        self._writer = cdr.OdometryWriter("map", [f"{name}/base_link" for name in ROBOTS])
        self._publishers = [topics.publisher(graph.node, topics.ODOM, name) for name in ROBOTS]
        for name in ROBOTS:
            topics.subscribe(graph.node, topics.CMD_VEL, lambda data, name=name: self._hear(name, data), name, raw=True)
        graph.node.create_timer(0.05, self._tell)

    def behave(self):
        """Be sound: a metre apart, heard, and in time."""
        self.values = {name: np.array([[k, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] + [0.0] * 6]) for k, name in enumerate(ROBOTS)}
        self.silent, self.age, self.covariance = set(), dict.fromkeys(ROBOTS, 0.0), np.zeros((3, 1, 2, 6, 6))

    def _tell(self):
        for k, name in enumerate(ROBOTS):
            if name not in self.silent:
                said = self._writer.write([k], [time.time() - self.age[name]], self.values[name], self.covariance[k])
                self._publishers[k].publish(said[0])

    def _hear(self, name, data):
        self.commands[name].append((time.monotonic(), cdr.read_twist(data)))

    def speed(self, name):
        heard, twist = self.commands[name][-1] if self.commands[name] else (0.0, (0.0,) * 6)
        return _fast(twist) if time.monotonic() - heard < 0.3 else 0.0

    def only_moves(self, *names, within=60.0, hold=0.4):
        """Wait until just these are commanded to move, beginning ``within`` s from now, and it stays so for ``hold`` s."""

        def so():
            since = time.monotonic() - hold
            for name in ROBOTS:
                lately = [_fast(twist) > 0.1 for heard, twist in reversed(self.commands[name][-100:]) if heard > since]
                if set(lately) != {name in names}:
                    return False
            return True

        self.graph.watch(hold)
        try:
            self.graph.until(so, timeout=within)
        except AssertionError as missed:
            heard = {name: [f"{time.monotonic() - when:.2f} s ago {_fast(twist):.2f} m/s" for when, twist in told[-8:]]
                     for name, told in self.commands.items()}  # fmt: skip
            raise AssertionError(f"{names} alone were to move; the last commands: {heard}\n{missed}") from None


def _fast(twist):
    """Speed (m/s) of a command, all of whose numbers must be finite."""
    assert all(map(math.isfinite, twist))
    return math.hypot(*twist[:2])
