"""The swarm's state for those who look on, wherever it comes from: ``swarm_state`` where it is published, else every robot's ``odom``."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.parameter import Parameter

from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.inputs import SOURCES, StateInput

PATIENCE = 2.0
"""How long (s) ``swarm_state`` is waited for before robots' odometry is looked for."""

EPOCH = 1e8
"""A time (s) beyond this is the time of day, not that of a run."""


class StateSource:
    """The newest state, decoded when asked for: :meth:`look` costs nothing when nothing has come.

    ``interval`` (s, real time): the longest time between two states since the last look. ``collisions``: as the simulator counts
    them; None where nobody knows.
    """

    def __init__(self, node: Any, source: str, ready: Callable[[], None]) -> None:
        if source not in (*SOURCES, "auto"):
            raise InputError("parameter source", f"{source!r} found, expected one of auto, {', '.join(SOURCES)}")
        self._node, self._ready, self._began = node, ready, time.monotonic()
        self._data: bytes | None = None
        self._input: StateInput | None = None
        self._origin: float | None = None
        self._arrived: float | None = None
        self.interval, self.source = 0.0, ""
        self.collisions: int | None = None
        self._search: Any = None
        if source == "auto":
            self._search = node.every(0.25, self._find)
        else:
            self._use(source)

    def _find(self) -> None:
        """Choose by what is being published; a graph with a clock is followed by its clock."""
        node, robot = self._node, topics.ODOM.of(self._node.setup.fleet.names[0])
        found = ""
        if node.count_publishers(f"{node.space}/{topics.SWARM_STATE.name}"):
            found = "swarm_state"
        elif time.monotonic() - self._began > PATIENCE and node.count_publishers(robot):
            found = "odom"
        if found:
            self._search.cancel()
            if node.count_publishers(topics.CLOCK.name):
                node.set_parameters([Parameter("use_sim_time", value=True)])
            self._use(found)

    def _use(self, source: str) -> None:
        self.source = source
        if source == "swarm_state":
            topics.subscribe(self._node, topics.SWARM_STATE, self._hear, raw=True)
        else:
            self._input = StateInput(self._node, source="odom")
        self._ready()

    def _hear(self, data: bytes) -> None:
        now = time.monotonic()
        if self._arrived is not None:
            self.interval = max(self.interval, now - self._arrived)
        self._arrived, self._data = now, data

    def look(self) -> SwarmState | None:
        """What has come since the last look; None: nothing new."""
        if self._input is not None:
            return self._look_around(self._input)
        if self._data is None:
            return None
        data, self._data = self._data, None
        try:
            stamp, rows = cdr.read_cloud(data)
            state = convert.state_of(stamp, rows, self._node.robots)
            self.collisions = convert.collisions_of(rows)
        except Exception as error:  # what a message holds may make anything fail
            self._node.refuse(topics.SWARM_STATE.name, error)
            return None
        return state

    @property
    def origin(self) -> float:
        """The clock's time (s) at which the times of states begin: 0, but where robots go by the time of day."""
        return self._origin or 0.0

    def lateness(self, period: float) -> float:
        """How late (s) things are: the longest interval since the last look, beyond ``period``; with odometry, the oldest's age."""
        if self._input is not None:
            state, now = self._input.state(), self._node.now
            return float((now - self._input.stamps()[state.valid]).max(initial=0.0)) if state.valid.any() else float("nan")
        late, self.interval = max(self.interval - period, 0.0), 0.0
        return late

    def _look_around(self, source: StateInput) -> SwarmState | None:
        state = source.state()
        if not state.valid.any():
            return None
        if state.time > EPOCH and self._origin is None:
            self._origin = state.time
        shifted = state.time - (self._origin or 0.0)
        return SwarmState(shifted, state.pose, state.velocity, np.asarray(state.valid))
