"""Robots of a herd that are put elsewhere: the fallen stand again."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.sim.mujoco.ground import Ground
from swarm_control.sim.mujoco.shard import Shard


class SettingUp:
    """Puts robots of ``fleet``, in ``shards``, that began at ``start``, where there is room between ``walls`` on ``ground``.

    ``unit`` (m) of the shards' models.
    """

    def __init__(
        self, fleet: Fleet, start: SwarmState, shards: Sequence[Shard], walls: WallDistance | None, ground: Ground, unit: float
    ) -> None:  # fmt: skip
        self._radius, self._start, self._shards, self._walls, self._ground, self._unit = fleet.radius, start, shards, walls, ground, unit

    def place(self, robot: int, pose: Array, state: SwarmState) -> bool:
        """Put a robot at ``pose`` (3,): x, y (m), yaw (rad), as it was at the start; false where there is no room for it in ``state``."""
        apart = np.hypot(*(state.position - pose[:2]).T) - self._radius - self._radius[robot]
        apart[robot] = np.inf
        wall = np.inf if self._walls is None else float(self._walls.distance(pose[None, :2])[0])
        if not (apart.min() > 0.0 and wall > self._radius[robot]):
            return False
        shard = next(shard for shard in self._shards if robot in shard.robots)
        start, scale = self._start.pose[robot], np.array([self._unit, self._unit, 1.0])
        before, now = self._ground.under(np.array([start[:2], pose[:2]]), np.full(2, self._radius[robot]))
        shard.set_up(int(np.searchsorted(shard.robots, robot)), start / scale, pose / scale, float(now - before) / self._unit)
        return True
