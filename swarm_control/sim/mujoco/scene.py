"""All of a herd in one world of MuJoCo, for pictures: the shards' robots as they are now."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.sim.mujoco.herd_model import HerdWorld
from swarm_control.sim.mujoco.shard import Shard


class HerdScene:
    """A ``world`` with the robots of all ``shards`` in it: ``model`` and, after ``show``, ``data``. Nothing moves by itself here."""

    def __init__(self, world: HerdWorld, shards: Sequence[Shard]) -> None:
        import mujoco

        self._mujoco, self._shards = mujoco, shards
        self.model: Any = world.with_robots([shard.kind for shard in shards], looks=True)
        self.data: Any = mujoco.MjData(self.model)
        self._mocap: IntArray = np.array([self.model.body(name).mocapid[0] for name, _ in world.others], np.int64)
        self._begin = [self._place(shard) for shard in shards]

    def show(self, place: Array, quaternion: Array) -> None:
        """Put all where they are now, those whom MuJoCo does not move at ``place`` (K, 2), turned by ``quaternion`` (K, 4)."""
        for shard, begin in zip(self._shards, self._begin):
            self.data.qpos[begin : begin + shard.model.nq] = shard.data.qpos
        self.data.mocap_pos[self._mocap, :2], self.data.mocap_quat[self._mocap] = place, quaternion
        self._mujoco.mj_kinematics(self.model, self.data)
        self._mujoco.mj_comPos(self.model, self.data)
        self._mujoco.mj_camlight(self.model, self.data)

    def _place(self, shard: Shard) -> int:
        """Where in ``qpos`` a shard's robots begin."""
        first = int(np.flatnonzero(shard.model.jnt_qposadr == 0)[0])
        return int(self.model.joint(shard.model.joint(first).name).qposadr[0])
