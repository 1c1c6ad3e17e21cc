"""Legs of n robots at once: where feet are for joint angles, and the angles that put them where they shall be."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.robots.from_file.machine import Limb

MOST_TURN = 0.3
"""Largest change of a joint in one step of the search, rad."""


class LegChains:
    """L legs, of up to K joints each: ``joints`` (L, K), −1 where a leg has fewer. Points are in the base's frame, m.

    ``low`` and ``high`` (L, K): the joints' limits, rad.
    """

    def __init__(self, limbs: Sequence[Limb], low: Array, high: Array) -> None:
        most = max(len(limb.joints) for limb in limbs)
        count = len(limbs)
        self.joints: IntArray = np.full((count, most), -1)
        self.low, self.high = np.zeros((count, most)), np.zeros((count, most))
        self._places, self._axes = np.zeros((count, most, 3)), np.zeros((count, most, 3))
        self._turns = np.tile(np.eye(3), (count, most, 1, 1))
        self._tips = np.array([limb.tip for limb in limbs])
        for k, limb in enumerate(limbs):
            own = slice(0, len(limb.joints))
            self.joints[k, own] = limb.joints
            self._places[k, own], self._turns[k, own], self._axes[k, own] = limb.places, limb.turns, limb.axes
            self.low[k, own], self.high[k, own] = low[limb.joints], high[limb.joints]
        cross = np.zeros((count, most, 3, 3))
        for row, column, axis, sign in ((0, 1, 2, -1), (0, 2, 1, 1), (1, 0, 2, 1), (1, 2, 0, -1), (2, 0, 1, -1), (2, 1, 0, 1)):
            cross[..., row, column] = sign * self._axes[..., axis]
        self._cross, self._square = cross, cross @ cross

    def of(self, joint: Array) -> Array:
        """Angles (n, L, K) of the legs' joints among all joints' (n, J)."""
        return np.where(self.joints >= 0, joint[:, self.joints], 0.0)

    def feet(self, angle: Array, from_tip: Array | float = 0.0) -> tuple[Array, Array, Array]:
        """Feet (n, L, 3), their Jacobians (n, L, 3, K) and the joints' places (n, L, K, 3) for angles (n, L, K), rad.

        ``from_tip`` (n, L, 3): from where the legs end to the points of theirs that are meant, m. Rodrigues' formula along the chain; a
        column of the Jacobian is axis × (foot − joint).
        """
        n, count, most = angle.shape
        turn, place = np.broadcast_to(np.eye(3), (n, count, 3, 3)), np.zeros((n, count, 3))
        axes, places = np.empty((n, count, most, 3)), np.empty((n, count, most, 3))
        sine, less = np.sin(angle)[..., None, None], (1.0 - np.cos(angle))[..., None, None]
        own = np.eye(3) + sine * self._cross + less * self._square
        for k in range(most):
            place = place + (turn @ self._places[:, k, :, None])[..., 0]
            turn = turn @ self._turns[:, k]
            axes[:, :, k], places[:, :, k] = (turn @ self._axes[:, k, :, None])[..., 0], place
            turn = turn @ own[:, :, k]
        foot = place + (turn @ self._tips[..., None])[..., 0] + from_tip
        return foot, np.cross(axes, foot[:, :, None] - places).swapaxes(-1, -2), places

    def angles(self, start: Array, foot: Array, steps: int = 2, damping: float = 0.02) -> Array:
        """Angles (n, L, K) that put the feet at ``foot`` (n, L, 3), or near, from ``start`` on; within the joints' limits.

        Damped least squares (Wampler 1986): δ = Jᵀ(J·Jᵀ + λ²·1)⁻¹·e; ``damping`` λ in m.
        """
        angle = start
        for _ in range(steps):
            at, jacobian, _ = self.feet(angle)
            square = jacobian @ jacobian.swapaxes(-1, -2) + damping**2 * np.eye(3)
            change = (jacobian.swapaxes(-1, -2) @ np.linalg.solve(square, (foot - at)[..., None]))[..., 0]
            angle = np.clip(angle + np.clip(change, -MOST_TURN, MOST_TURN), self.low, self.high)
        return np.asarray(angle)


def turns(home: Array) -> Array:
    """When in the cycle each leg begins (L,): neighbours around the body by turns."""
    out = home[:, :2] - home[:, :2].mean(axis=0)
    order = np.argsort(np.arctan2(out[:, 1], out[:, 0]))
    turn = np.empty(len(home))
    turn[order] = 0.5 * (np.arange(len(home)) % 2)
    return turn


def level_frames(up: Array) -> Array:
    """Rotations (n, 3, 3) from the body's frame to the level one: the shortest that stands ``up`` (n, 3) upright."""
    x, y, z = up.T / np.linalg.norm(up, axis=1)
    k = 1.0 / np.maximum(1.0 + z, 1e-6)
    rows = ((1.0 - k * x * x, -k * x * y, -x), (-k * x * y, 1.0 - k * y * y, -y), (x, y, z))
    return np.array(rows).transpose(2, 0, 1)


def around(rate: Array, foot: Array) -> Array:
    """Velocity (n, L, 2) of points of a body that turns with ``rate`` (n,)."""
    return np.stack((-rate[:, None] * foot[..., 1], rate[:, None] * foot[..., 0]), axis=-1)


def limited(velocity: Array, longest: float) -> Array:
    """Velocities (n, L, 2), all of a robot's shortened alike so that none is above ``longest``: the way of its feet is kept."""
    most = np.linalg.norm(velocity, axis=2).max(axis=1)
    return np.asarray(velocity * np.minimum(1.0, longest / np.maximum(most, 1e-9))[:, None, None])
