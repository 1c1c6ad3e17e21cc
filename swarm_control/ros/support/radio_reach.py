"""Whom a robot hears in simulation, where all nodes hear everything: those within the scenario's ``simulator.radio_range``."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.state import SwarmState
from swarm_control.scenario.schema import Simulator


class RadioReach:
    """The robot ``own`` hears robots within ``reach`` (m), as their odometry has them, and itself. ``now`` (N,): whom it hears now."""

    def __init__(self, own: int, reach: float, robots: int) -> None:
        self.now: BoolArray = np.arange(robots) == own
        self._own, self._reach = own, reach
        self._position = np.full((robots, 2), np.nan)
        self._pose, self._velocity, self._stamps = np.full((robots, 3), np.nan), np.full((robots, 3), np.nan), np.full(robots, -np.inf)

    def note(self, robots: int | slice, position: Array) -> None:
        """Where ``robots`` are now, (n, 2) m."""
        self._position[robots] = position
        self.now = norm(self._position - self._position[self._own]) <= self._reach
        self.now[self._own] = True

    def heard(self, state: SwarmState, stamps: Array) -> tuple[SwarmState, Array]:
        """The ``state`` of all with its ``stamps`` (N,) s, as the robot has it: of those out of reach what it heard last."""
        self.note(slice(None), state.position)
        fresh = self.now & state.valid
        self._pose, self._velocity = (np.where(fresh[:, None], new, old) for new, old in (
            (state.pose, self._pose), (state.velocity, self._velocity)))  # fmt: skip
        self._stamps = np.where(fresh, stamps, self._stamps)
        return SwarmState.of(state.time, self._pose, self._velocity, fallen=state.fallen), self._stamps


def reach_of(served: IntArray, robots: int, simulator: Simulator, simulated: bool) -> RadioReach | None:
    """Whom the one robot ``served`` of several hears; None: everybody, or nature knows, as time is not ``simulated``."""
    alone = len(served) == 1 < robots
    return RadioReach(int(served[0]), simulator.radio_range, robots) if alone and simulated and simulator.radio_range > 0.0 else None
