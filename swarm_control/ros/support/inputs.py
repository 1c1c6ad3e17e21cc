"""The swarm's state as a node hears it: from ``swarm_state``, or from every robot's ``odom``."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from swarm_control.core.estimation import EXACT
from swarm_control.core.geometry import Array
from swarm_control.core.state import SwarmState
from swarm_control.core.state_estimator import StateEstimator
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.frames import OdometryFrames
from swarm_control.ros.support.freshness import Freshness
from swarm_control.ros.support.odometry_faults import OdometryFaults
from swarm_control.ros.support.radio_reach import RadioReach
from swarm_control.scenario.safeguards import smoothed_noise

SOURCES = ("swarm_state", "odom")

AHEAD = 60.0
"""How far (s) stamps may be ahead of a simulated clock, which may be late itself."""

COMMAND_DELAY = 0.05
"""How long (s) after a command real robots obey it, where nothing else is said: a link with 50 lines a second, and motors."""


class StateInput:
    """Keeps the newest odometry of all robots, and estimates their states from it.

    ``arrived`` is called when a ``swarm_state`` has come; ``source``: else a parameter. ``reach``: whom the node's robot
    hears; None: everybody. :attr:`deviation` (N, 2): standard deviations of position (m) and heading (rad) that each robot's odometry last
    told of itself; None where that is not used.
    """

    def __init__(self, node: Any, arrived: Callable[[], None] | None = None, source: str = "", reach: RadioReach | None = None) -> None:
        self._node = node
        self._arrived = arrived
        n = node.robots
        self._values = np.full((n, 13), np.nan)
        self._stamp = np.zeros(n)
        self._heard = Freshness(n, -np.inf)
        self._state: SwarmState | None = None
        self.estimator = StateEstimator(node.setup.fleet, node.control.period)
        self._measured = np.full(n, -np.inf)
        self._reach = reach
        self.source: str = source or node.option("source", "odom", "where the robots' states come from: swarm_state or odom")
        if self.source not in SOURCES:
            raise InputError("parameter source", f"{self.source!r} found, expected one of {', '.join(SOURCES)}")
        odometry = node.loaded.scenario.hardware.odometry
        self.deviation: Array | None = np.zeros((n, 2)) if odometry.use_covariance else None
        if self.source == "swarm_state":
            topics.subscribe(node, topics.SWARM_STATE, self._hear_swarm, raw=True)
        else:
            self._faults = OdometryFaults(node)
            self._tells = odometry.max_deviation > 0.0
            self._frames = OdometryFrames(node, odometry, node.setup.start.pose)
            for k, name in enumerate(node.setup.fleet.names):
                topics.subscribe(node, topics.ODOM, partial(self._hear_robot, k), name, raw=True)

    @property
    def real(self) -> bool:
        """Whether time is that of day, not a simulator's."""
        return not self._node.get_parameter("use_sim_time").value

    def state(self) -> SwarmState:
        """The robots' states now; those whose odometry is not finite or not fresh are invalid."""
        now, timeout = self._node.now, self._node.control.safety.odometry_timeout
        fresh = self._heard.fresh(now, timeout)
        if self._state is not None:
            state = self._state
            if self.real or self._reach is not None:
                fresh &= np.abs((now if self.real else state.time) - self._measured) <= timeout
            return SwarmState.of(state.time, state.pose, state.velocity, state.valid & fresh, state.fallen)
        stamped = self._stamp > 0.0
        fresh &= ~stamped | (now - self._stamp <= timeout)
        pose, velocity = convert.motion_of(self._values)
        time = float(self._stamp[fresh].max()) if fresh.any() else now
        time = min(time, now + self._node.control.period) if self.real else time
        return SwarmState.of(time, pose, velocity, fresh, convert.fallen_of(self._values))

    def estimate(self) -> SwarmState:
        """The robots' states now, as far as what was measured of them tells; whom :attr:`estimator` is told the commands of, better."""
        state, stamps, params = self.state(), self.stamps(), self._node.control.estimation
        real = self.real
        if real and params.command_delay < 0.0:
            params = replace(params, command_delay=COMMAND_DELAY)
        if self._state is None or real:  # the time of day passes for robots that a message comes late to
            state = replace(state, time=max(self._node.now, state.time))
        noise = EXACT if real else smoothed_noise(self._node.control, self._node.scenario.simulator)
        self.estimator.deviation = self.deviation
        return self.estimator(state, stamps, params, noise)

    def stamps(self) -> Array:
        """When each robot's odometry was measured (N,) s; −∞ for those not heard of, when it came for those without a stamp."""
        return np.where(self._stamp > 0.0, self._stamp, self._heard.heard) if self._state is None else self._measured

    def _check(self, stamp: float, whose: str) -> None:
        """Refuse what is stamped with a time that has not come."""
        now = self._node.now
        ahead = self._node.control.safety.odometry_timeout if self.real else AHEAD
        if now > 0.0 and not stamp <= now + ahead:
            raise ValueError(f"stamped {stamp - now:.3f} s ahead of now, expected at most {ahead:g} s: {whose} is wrong")

    def _hear_swarm(self, data: bytes) -> None:
        time, rows = cdr.read_cloud(data)
        self._check(time, "the clock of who tells it")
        self._state = convert.state_of(time, rows, self._node.robots)
        self._measured = convert.stamps_of(rows, self._node.robots)
        if self.deviation is not None:
            self.deviation = convert.deviations_of(rows, self._node.robots)
        if self._reach is not None:
            self._state, self._measured = self._reach.heard(self._state, self._measured)
        self._heard.hear(slice(None), self._node.now)
        if self._arrived is not None:
            self._arrived()

    def _hear_robot(self, robot: int, data: bytes) -> None:
        stamp, values = cdr.read_odometry(data)
        deviation = cdr.read_deviation(data) if self._tells else (0.0, 0.0)
        located = self._faults.note(robot, self._node.now, stamp, values, deviation)
        self._check(stamp, f"{self._node.setup.fleet.names[robot]}'s clock")
        placed = self._frames.in_map(robot, cdr.read_frame(data), values, stamp or self._node.now)
        if placed is None or not located:
            return
        if self._reach is not None:
            self._reach.note(robot, np.array(placed[:2]))
            if not self._reach.now[robot]:
                return
        self._stamp[robot], self._values[robot] = stamp, placed
        if self.deviation is not None:
            self.deviation[robot] = deviation
        self._heard.hear(robot, self._node.now)
