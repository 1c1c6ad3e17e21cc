"""Node ``holding_robots``: simulated robots without a watchdog of their own. They obey their last command for ever, as in Gazebo."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.state import Commands
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert, maps
from swarm_control.ros.support.base_node import executor
from swarm_control.ros.support.door import Door
from swarm_control.ros.support.stop_state import StopState
from swarm_control.ros.support.transport import sockets_only
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup
from swarm_control.sim.engines import make_engine
from swarm_control.sim.plant import Plant

MOVING = 0.01
"""A robot that is faster (m/s) is not at rest."""


class HoldingRobots(Door):
    """Moves the robots of a scenario in real time by what they were last told; takes part in the emergency stop, too.

    ``homes``: namespaces in which permission to command them is asked for. ``writer``: of their odometry, by default in the map's frame.
    """

    def __init__(self, loaded: Loaded, setup: Setup, homes: Sequence[str], writer: cdr.OdometryWriter | None = None) -> None:
        with sockets_only():
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            super().__init__("holding_robots", namespace="/swarm")
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._plant = Plant(loaded.scenario, setup, make_engine(loaded, setup))
        self._plant.step(Commands(np.zeros((len(setup.fleet), 3))))
        self._plant.reset()
        names = setup.fleet.names
        self._twist = np.zeros((len(names), 3))
        self._writer = writer or cdr.OdometryWriter(topics.FRAME, [f"{topics.robot_name(name)}/base_link" for name in names])
        self._odom = [topics.publisher(self, topics.ODOM, name) for name in names]
        for k, name in enumerate(names):
            topics.subscribe(self, topics.CMD_VEL, partial(self._obey, k), name, raw=True)
        if setup.grid is not None:
            self._map = topics.publisher(self, topics.MAP)
            message = maps.grid_message(setup.grid, topics.MAP.kind())
            message.header.frame_id = topics.FRAME
            self._map.publish(message)
        self.stops = StopState(self)
        self.at_rest_since = np.full(len(names), time.monotonic())
        self._heard, self._turn = np.full(len(names), time.monotonic()), time.monotonic()
        self.uncommanded = self.lease = 0.0
        for home in set(homes):
            request = replace(topics.LEASE_REQUEST, name=f"{home}/{topics.LEASE_REQUEST.name}")
            topics.subscribe(self, request, self._hear_request)
        self._period = loaded.scenario.control.period
        self.every(self._period, self._tick)
        self._executor = executor(self)

    def every(self, period: float, callback: Callable[[], None]) -> Any:
        """Call back every ``period`` (s) of real time."""
        return self.create_timer(period, callback, clock=self._steady)

    @property
    def moving(self) -> bool:
        """Whether some robot is not at rest."""
        return bool(self.under_way.any())

    @property
    def under_way(self) -> BoolArray:
        """Which robots (N,) are not at rest."""
        return np.asarray(norm(self._plant.truth.velocity[:, :2]) > MOVING)

    @property
    def pose(self) -> Array:
        """Where the robots truly are, (N, 3): m, m, rad, world frame."""
        return self._plant.truth.pose

    @property
    def contacts(self) -> int:
        """Contact episodes so far."""
        return int(self._plant.collisions.sum())

    def forget(self) -> None:
        """Measure anew :attr:`uncommanded`, the longest time (s) that a robot moved without having heard a command; what this process was
        late itself does not count. And :attr:`lease`, the longest for which permission to command robots was asked (s).
        """
        self.uncommanded = self.lease = 0.0

    def _hear_request(self, message: String) -> None:
        self.lease = max(self.lease, float(json.loads(message.data)["duration"]))

    def _obey(self, robot: int, data: bytes) -> None:
        x, y, _, _, _, turn = cdr.read_twist(data)
        self._twist[robot] = x, y, turn
        self._heard[robot] = time.monotonic()

    def _tick(self) -> None:
        self._plant.step(Commands(self._twist.copy()))
        under_way, now = self.under_way, time.monotonic()
        self._heard = np.minimum(self._heard + max(now - self._turn - self._period, 0.0), now)
        self._turn = now
        self.uncommanded = max(self.uncommanded, float((now - self._heard)[under_way].max(initial=0.0)))
        self.at_rest_since = np.where(under_way, np.inf, np.minimum(self.at_rest_since, now))
        state, n = self._plant.observe().state, len(self._twist)
        messages = self._writer.write(list(range(n)), [time.time()] * n, convert.odometry_values(state))
        for publisher, message in zip(self._odom, messages):
            publisher.publish(message)

    def spin(self, seconds: float) -> None:
        """Serve everything that comes for ``seconds``."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self.destroy_node()
        rclpy.try_shutdown()
