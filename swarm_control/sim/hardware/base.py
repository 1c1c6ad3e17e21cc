"""What an emulated robot's wheels turn: the protocol that a robot in any engine can fulfil, and a simple one on the floor."""

from typing import Protocol

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.robots.differential.wheels import point_of_arc


class Base(Protocol):
    """The moving part of a robot with two wheels."""

    def step(self, dt: float, left: float, right: float) -> tuple[float, float]:
        """Drive for ``dt`` (s) at wheel rates ``left`` and ``right`` (rad/s, positive: ahead); return the wheels' angles so far, rad."""

    def where(self) -> tuple[float, float, float]:
        """Where the robot truly is: x, y (m) and yaw (rad)."""


class SlippingBase:
    """Two wheels that turn as they are told, on a floor on which they slip.

    In each step each wheel loses a share of its way, drawn evenly from 0 to twice ``slip``; the encoders do not see it.
    """

    def __init__(self, wheel_radius: float, wheel_base: float, pose: Array, slip: float, rng: np.random.Generator) -> None:
        self._radius, self._half, self._slip, self._rng = wheel_radius, 0.5 * wheel_base, slip, rng
        self._x, self._y, self._yaw = map(float, pose)
        self._left = self._right = 0.0

    def step(self, dt: float, left: float, right: float) -> tuple[float, float]:
        """Drive for ``dt`` (s)."""
        self._left += left * dt
        self._right += right * dt
        grip = self._radius * (1.0 - self._slip * self._rng.uniform(0.0, 2.0, 2))
        ahead, aside, turn = point_of_arc(left * grip[0], right * grip[1], self._half, dt)
        c, s = np.cos(self._yaw), np.sin(self._yaw)
        self._x, self._y = self._x + c * ahead - s * aside, self._y + s * ahead + c * aside
        self._yaw += turn
        return self._left, self._right

    def where(self) -> tuple[float, float, float]:
        """The true pose."""
        return self._x, self._y, self._yaw

    def put(self, pose: Array) -> None:
        """Be at ``pose`` (3,): x, y (m) and yaw (rad), world frame. The wheels, and what they have counted, stay as they are."""
        self._x, self._y, self._yaw = map(float, pose)
