"""Robots that MuJoCo cannot integrate any more: they are held where they were, as fallen ones, and the others go on."""

from typing import Any

import numpy as np

from swarm_control.core.compiled import Compiled
from swarm_control.core.geometry import Array, BoolArray, IntArray

FASTEST = 1e10
"""Speeds and accelerations beyond it are no numbers for MuJoCo (``mjMAXVAL``)."""


class Losses:
    """Takes the steps of ``model`` and ``data``, of MuJoCo, and keeps who is lost on the way, ``lost`` (n,).

    ``owner`` (nv,): whose each degree of freedom is, −1 where nobody's; ``holder`` (nq,): whose each coordinate is.
    """

    def __init__(self, mujoco: Any, model: Any, data: Any, owner: IntArray, robots: int) -> None:
        self._mujoco, self._model, self._data, self._owner = mujoco, model, data, owner
        ends = np.append(model.jnt_qposadr[1:], model.nq)
        self.holder = np.repeat(owner[model.jnt_dofadr], ends - model.jnt_qposadr)
        self.lost: BoolArray = np.zeros(robots, bool)
        self._held: Array = np.empty(0)
        self._where: IntArray = np.empty(0, np.int64)
        self._dofs: IntArray = np.empty(0, np.int64)
        self._qpos, self._qvel, self._qacc = data.qpos, data.qvel, data.qacc
        self._sound, self._before = self._qpos.copy(), (self._qpos.copy(), self._qvel.copy())
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)  # or one robot takes all back to their start

    def note(self) -> None:
        """All is well now: who is lost in what follows is held where it is."""
        if np.isfinite(self._qpos).all():
            self._sound[:] = self._qpos

    def advance(self) -> None:
        """One step of MuJoCo's, again without those who cannot be integrated."""
        self._remember()
        self._hold()
        self._mujoco.mj_step(self._model, self._data)
        while not sound(self._qpos, self._qvel, self._qacc):
            if not self._lose().any():
                break
            self._remember()
            self._mujoco.mj_step(self._model, self._data)
        self._hold()

    def let_go(self, robot: int) -> None:
        """A ``robot`` has been set up again: it is held no more."""
        self.lost[robot] = False
        self._keep()

    def _remember(self) -> None:
        self._before[0][:], self._before[1][:] = self._qpos, self._qvel

    def _lose(self) -> BoolArray:
        """Who could not be integrated in the last step (n,), held from now on; all others are put back to before it."""
        data, new = self._data, self._blamed() & ~self.lost
        self.lost |= new
        self._qpos[:], self._qvel[:], data.qacc_warmstart[:] = *self._before, 0.0
        fresh = np.append(new, False)[self.holder]
        self._qpos[fresh] = self._sound[fresh]
        self._keep()
        self._hold()
        return new

    def _keep(self) -> None:
        """The lost ones are held where they are now."""
        who = np.append(self.lost, False)
        self._where, self._dofs = np.flatnonzero(who[self.holder]), np.flatnonzero(who[self._owner])
        self._held = self._qpos[self._where].copy()

    def _hold(self) -> None:
        """Keep the lost ones where they are."""
        if len(self._dofs):
            data = self._data
            self._qpos[self._where] = self._held
            self._qvel[self._dofs] = data.qacc_warmstart[self._dofs] = data.qfrc_applied[self._dofs] = 0.0

    def _blamed(self) -> BoolArray:
        """Whose numbers were not sound before constraints joined them to others'; else who was fastest."""
        data, found = self._data, np.zeros(len(self.lost) + 1, bool)
        for values in (self._before[1], data.qacc_smooth, data.qfrc_applied, data.qfrc_actuator):
            found |= np.bincount(self._owner % len(found), ~(np.abs(values) < FASTEST), len(found)) > 0
        found |= np.bincount(self.holder % len(found), ~np.isfinite(self._before[0]), len(found)) > 0
        if not (found[:-1] & ~self.lost).any():
            speed = np.where(np.append(self.lost, True)[self._owner], -1.0, np.abs(self._before[1]))
            found[self._owner[int(np.argmax(speed))]] = True
        return found[:-1]


def _sound_loop(qpos, qvel, qacc):  # type: ignore[no-untyped-def]
    """Whether places are numbers, and speeds and accelerations are none that are far too large."""
    fine = True
    for value in qpos:
        fine &= -np.inf < value < np.inf
    for k in range(len(qvel)):
        fine &= abs(qvel[k]) < FASTEST and abs(qacc[k]) < FASTEST
    return fine


sound = Compiled(_sound_loop, nogil=True)
