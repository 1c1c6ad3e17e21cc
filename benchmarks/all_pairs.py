"""The same five behaviours, accumulation, motion and collisions by all pairs in plain numpy: the cell list's rival."""

import numpy as np
from numpy.typing import NDArray
from ours import Swarm

from swarm_control.core.geometry import limit_norm, norm, unit

Array = NDArray[np.float64]


class AllPairs:
    """Takes the place of a :class:`Swarm`: same robots, map and parameters, (N, N) arrays throughout. Separation law: inverse."""

    def __init__(self, swarm: Swarm) -> None:
        truth = swarm.engine.truth()
        self.control, self.around, self.fleet = swarm.control, swarm.around, swarm.setup.fleet
        self.x, self.v = truth.position.copy(), truth.velocity[:, :2].copy()
        self.yaw = truth.pose[:, 2].copy()

    def requests(self) -> dict[str, Array]:
        """What each behaviour wants, (N, 2), by name, before weights."""
        c = self.control
        offset = self.x[None] - self.x[:, None]
        distance = np.linalg.norm(offset, axis=2)
        seen = distance <= c.perception.radius
        np.fill_diagonal(seen, False)
        count = np.maximum(seen.sum(axis=1), 1)[:, None]
        near = seen & (distance <= c.separation.distance)
        push = np.minimum(c.separation.distance / np.maximum(distance, 1e-9) - 1.0, 9.0) / np.maximum(distance, 1e-9) * near
        speed = norm(self.v)[:, None]
        heading = np.stack((np.cos(self.yaw), np.sin(self.yaw)), axis=-1)
        return {
            "separation": -(push[..., None] * offset).sum(axis=1) / np.maximum(near.sum(axis=1), 1)[:, None],
            "alignment": (seen[..., None] * (self.v[None] - self.v[:, None])).sum(axis=1) / count,
            "cohesion": (seen[..., None] * offset).sum(axis=1) / count,
            "steer_to_avoid": self._steer(),
            "cruise": np.where(speed > 1e-3, unit(self.v), heading) * (c.cruise.speed - speed),
        }

    def _steer(self) -> Array:
        """Turn to the first free of the headings 0, +s, −s, +2s, …, the way sampled every half cell."""
        p, map = self.control.steer_to_avoid, self.around.map
        assert map is not None
        x0, x1, y0, y1 = map.grid.extent
        course = np.where(norm(self.v) > 1e-3, np.arctan2(self.v[:, 1], self.v[:, 0]), self.yaw)
        samples = np.arange(0.0, p.look_ahead, 0.5 * map.grid.resolution)
        wish, open_ = -self.v.copy(), np.ones(len(self.x), bool)
        room = np.minimum(self.fleet.radius + p.margin, self._clearance(self.x) - 1e-3)
        tries = int(180.0 / p.step + 1e-9)
        for k in range(2 * tries + 1):
            way = course + np.deg2rad(p.step) * ((k + 1) // 2) * (1 if k % 2 else -1)
            direction = np.stack((np.cos(way), np.sin(way)), axis=-1)
            points = self.x[:, None] + samples[:, None] * direction[:, None]
            inside = ((points > (x0, y0)) & (points < (x1, y1))).all(axis=(1, 2))
            free = open_ & inside & (self._clearance(points) >= room[:, None]).all(axis=1)
            wish[free] = norm(self.v)[free, None] * direction[free] - self.v[free]
            open_ &= ~free
            if not open_.any():
                break
        return wish

    def _clearance(self, points: Array) -> Array:
        """Bilinear reading of the clearance at ``points`` (…, 2)."""
        map = self.around.map
        assert map is not None
        field, limits = map.clearance, np.array(map.clearance.shape[::-1]) - 1.0
        uv = np.clip((points - map.grid.origin) / map.grid.resolution - 0.5, 0.0, limits)
        j, i = np.minimum(uv.astype(int), limits.astype(int) - 1).transpose(-1, *range(points.ndim - 1))
        a, b = uv[..., 0] - j, uv[..., 1] - i
        low = field[i, j] * (1 - a) + field[i, j + 1] * a
        high = field[i + 1, j] * (1 - a) + field[i + 1, j + 1] * a
        return np.asarray(low * (1 - b) + high * b)

    def step(self) -> None:
        """One tick: requests, prioritised accumulation, v = u + a·t, and a move from which who would touch is held back."""
        c, wanted = self.control, self.requests()
        left, total = self.fleet.max_acceleration.copy(), np.zeros_like(self.x)
        for name in c.accumulation.priority:
            request = c.accumulation.gain * getattr(c, name).weight * wanted[name]
            share = limit_norm(request, left)
            left = np.maximum(left - norm(share), 0.0)
            total += share
        v = limit_norm(self.v + total * c.period, self.fleet.max_speed)
        turn = (np.arctan2(v[:, 1], v[:, 0]) - self.yaw + np.pi) % (2.0 * np.pi) - np.pi
        self.yaw = self.yaw + np.clip(c.motion.heading_gain * turn, -self.fleet.max_turn_rate, self.fleet.max_turn_rate) * c.period
        after = self.x + v * c.period
        touch = np.linalg.norm(after[None] - after[:, None], axis=2) < self.fleet.radius[None] + self.fleet.radius[:, None]
        np.fill_diagonal(touch, False)
        held = touch.any(axis=1) | (self._clearance(after) < self.fleet.radius)
        self.x, self.v = np.where(held[:, None], self.x, after), np.where(held[:, None], 0.0, v)
