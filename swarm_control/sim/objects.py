"""Passive objects that the robots of an engine push: where they are, and who cannot go on because of them."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance
from swarm_control.scenario.objects import PassiveObject
from swarm_control.sim.overlaps import in_walls, overlap
from swarm_control.sim.pushing import TOLERANCE, push, rest

GRAVITY = 9.81


class Objects:
    """Boxes and discs on the map ``grid`` that robots with footprints of ``radius`` (N,) m push, see :mod:`~swarm_control.sim.pushing`.

    An object that would get into a wall or into another object stays where it is, and robots that would get into it stay too.
    """

    def __init__(self, objects: Sequence[PassiveObject], radius: Array, grid: Grid | None) -> None:
        walls = None if grid is None else WallDistance(grid)
        self._walls = walls.table if walls is not None and walls.walls else None
        self._radius = radius
        self._start = np.array([(*one.pose[:2], np.deg2rad(one.pose[2])) for one in objects])
        self._shape = np.array([_shape(one) for one in objects])
        self._grip = np.array([one.grip for one in objects])
        self._drag = np.array([GRAVITY * one.mass * one.friction for one in objects])
        self.reset()

    def reset(self) -> None:
        """Put every object back to where it started."""
        self._pose = self._next = self._start
        self._work = np.zeros(len(self._start))

    @property
    def pose(self) -> Array:
        """Where the objects are (K, 3): x, y (m), yaw (rad), which counts whole turns."""
        return self._pose

    @property
    def work(self) -> Array:
        """Work (K,) J that was done against the floor's friction so far: ``μ·m·g`` times the way ``√(v² + c²ω²)·dt``."""
        return self._work.copy()

    def free(self, x: float, y: float, radius: float) -> bool:
        """Whether a disc at (x, y) m overlaps no object."""
        spot = np.array([[x, y]])
        return all(rest(pose, shape, spot, spot, np.array([radius]))[0] <= TOLERANCE for pose, shape in zip(self._pose, self._shape))

    def placed(self, k: int) -> bool:
        """Whether object ``k`` is clear of walls and of the other objects."""
        others = (other for other in range(len(self._pose)) if other != k)
        return not self._walled(k, self._pose) and not any(self._meet(k, other, self._pose) for other in others)

    def held(self, pose: Array, move: Array) -> BoolArray:
        """Of robots at ``pose`` (N, 3) that want to go by ``move`` (N, 2) m those that objects stop (N,).

        To be called again with their moves at zero, until nobody is stopped; :meth:`go` then moves the objects.
        """
        before = np.ascontiguousarray(pose[:, :2])
        after, moving = before + move, move.any(axis=1)
        found = [push(*one, before, after, self._radius) for one in zip(self._pose, self._shape, self._grip)]
        self._next, deep = np.array([pose for pose, _ in found]), np.array([deep for _, deep in found])
        stuck: BoolArray = np.asarray(moving & (deep > TOLERANCE).any(axis=0))
        if stuck.any():
            return stuck
        stays = self._stay(np.asarray((deep > TOLERANCE).any(axis=1)))
        for k in np.flatnonzero(stays):
            deep[k] = rest(self._pose[k], self._shape[k], before, after, self._radius)
        return np.asarray(moving & (deep > TOLERANCE).any(axis=0))

    def go(self) -> None:
        """Move the objects to where the last robots that :meth:`held` was asked about push them."""
        step = self._next - self._pose
        self._work = self._work + self._drag * np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2 + self._shape[:, 3] * step[:, 2] ** 2)
        self._pose = self._next

    def _stay(self, stays: BoolArray) -> BoolArray:
        """Leave where they are the objects that ``stays`` (K,) names, and those that would get into walls or others; returns them all."""
        moved = (self._next != self._pose).any(axis=1)
        stays = stays | np.array([moved[k] and self._walled(k, self._next) for k in range(len(moved))])
        while True:
            self._next[stays] = self._pose[stays]
            going = np.flatnonzero(moved & ~stays).tolist()
            met = [k for k in going if any(k != other and self._meet(k, other, self._next) for other in range(len(moved)))]
            if not met:
                return stays
            stays[met] = True

    def _walled(self, k: int, pose: Array) -> bool:
        return self._walls is not None and bool(in_walls(self._walls, pose[k], self._shape[k]))

    def _meet(self, k: int, other: int, pose: Array) -> bool:
        return bool(overlap(pose[k], self._shape[k], pose[other], self._shape[other]))


def _shape(one: PassiveObject) -> tuple[float, float, float, float]:
    """Half length and width (m), radius (m), and c² (m²), c being the mean distance of the object's floor from its middle."""
    if one.radius > 0.0:
        return 0.0, 0.0, one.radius, (2.0 * one.radius / 3.0) ** 2
    p, q = 0.5 * one.size[0], 0.5 * one.size[1]
    mean = np.hypot(p, q) / 3.0 + p * p / (6.0 * q) * np.arcsinh(q / p) + q * q / (6.0 * p) * np.arcsinh(p / q)
    return p, q, 0.0, float(mean) ** 2
