"""Backing off: robots that cannot turn while they stand, and get nowhere, go the other way a bit and turn there."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.state import Fleet, SwarmState

PATIENCE = 1.0
"""A robot that stands for so long (s) though it wants to go backs off."""

DURATION = 1.5
"""It backs off for so long (s)."""

SPEED = 0.3
"""How fast, of the top speed."""

RESPONSE = 0.3
"""It takes up that speed within so long (s)."""

STANDS = 0.02
"""It stands below this share of the top speed, and wants to go above this share of the greatest acceleration."""


class BackOff:
    """Remembers for how long N robots have stood, and until when they back off."""

    def __init__(self, robots: int) -> None:
        self._moved, self._until = np.full(robots, np.inf), np.full(robots, -np.inf)
        self._way, self._last = np.zeros(robots), np.inf

    def __call__(self, state: SwarmState, acceleration: Array, fleet: Fleet) -> Array:
        """The accelerations (N, 2) m/s², world frame, of robots that back off, and of the others as they are."""
        stuck = _cannot_turn_in_place(fleet)
        if not stuck.any():
            return acceleration
        ahead = np.column_stack((np.cos(state.pose[:, 2]), np.sin(state.pose[:, 2])))
        along = (acceleration * ahead).sum(axis=1)
        backs = self._backs(stuck, state, norm(acceleration) > STANDS * fleet.max_acceleration, along, fleet)
        if not backs.any():
            return acceleration
        aside = acceleration - along[:, None] * ahead
        back = (SPEED * fleet.max_speed * self._way - (state.velocity[:, :2] * ahead).sum(axis=1)) / RESPONSE
        return np.where(backs[:, None], back[:, None] * ahead + aside, acceleration)

    def turned(self, state: SwarmState, twist: Array, fleet: Fleet) -> tuple[Array, BoolArray]:
        """The twists (N, 3) of robots in formation: who backs off turns as it wished, at full lock. Also who (N,) does."""
        stuck = _cannot_turn_in_place(fleet)
        if not stuck.any():
            return twist, stuck
        backs = self._backs(stuck, state, np.abs(twist[:, 0]) > STANDS * fleet.max_speed, twist[:, 0], fleet)
        turn = np.sign(twist[:, 2]) * fleet.max_turn_rate
        back = SPEED * np.column_stack((self._way * fleet.max_speed, np.zeros(len(fleet)), turn))
        return np.where(backs[:, None], back, twist), backs

    def _backs(self, stuck: BoolArray, state: SwarmState, wants: BoolArray, along: Array, fleet: Fleet) -> BoolArray:
        """Who (N,) backs off now, of those that may get ``stuck``, where ``wants`` tells who wants to go and ``along`` which way."""
        if state.time < self._last:
            self._moved[:], self._until[:] = state.time, -np.inf
        self._last = state.time
        stands: BoolArray = norm(state.velocity[:, :2]) < STANDS * fleet.max_speed
        tries = stands & wants & state.valid & (state.time >= self._until)
        self._moved = np.where(tries, np.minimum(self._moved, state.time), state.time)
        begins = stuck & (state.time - self._moved > PATIENCE)
        self._until[begins], self._way[begins] = state.time + DURATION, np.where(along[begins] < 0.0, 1.0, -1.0)
        return stuck & (state.time < self._until)


def _cannot_turn_in_place(fleet: Fleet) -> BoolArray:
    found = np.zeros(len(fleet), bool)
    for model, rows, _ in fleet.parts:
        found[rows] = model.turns_on_the_move
    return found
