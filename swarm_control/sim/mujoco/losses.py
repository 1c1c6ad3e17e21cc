"""Robots that MuJoCo cannot integrate any more: they are held where they were, as fallen ones, and the others go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.errors import Failed


@dataclass
class Moment:
    """The positions and velocities of a model, before a step."""

    qpos: Array
    qvel: Array


class Losses:
    """Takes the steps of ``model`` and ``data``, of MuJoCo, and keeps who is lost on the way, ``lost`` (N,).

    ``owner`` (nv,): whose each degree of freedom is, N where nobody's; ``kinds``: the robots of each kind (indices).
    """

    def __init__(self, mujoco: Any, model: Any, data: Any, owner: IntArray, kinds: Sequence[IntArray], robots: int) -> None:
        self._mujoco, self._model, self._data, self._kinds = mujoco, model, data, kinds
        self._owner, self._robots = owner, robots
        ends = np.append(model.jnt_qposadr[1:], model.nq)
        self._holder = np.repeat(owner[model.jnt_dofadr], ends - model.jnt_qposadr)
        self.lost: BoolArray = np.zeros(robots, bool)
        self._held: Array = np.empty(0)
        self._where: IntArray = np.empty(0, np.int64)
        self._dofs: IntArray = np.empty(0, np.int64)
        self._sound = self._now()
        warnings = mujoco.mjtWarning
        self._warnings = [int(kind) for kind in (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC)]
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)  # or one robot takes all back to their start

    def note(self) -> None:
        """All is well now: who is lost in what follows is held where it is."""
        if np.isfinite(self._data.qpos).all():
            self._sound = self._now()

    def advance(self, time: float) -> None:
        """One step of MuJoCo's, again without those who cannot be integrated. ``Failed`` at ``time`` (s) when these are all of a kind."""
        before = self._now()
        self._hold()
        self._mujoco.mj_step(self._model, self._data)
        while self._unstable():
            lost = self._lose(before)
            if not lost.any() or any(self.lost[robots].all() for robots in self._kinds):
                raise Failed(f"the simulation is unstable at {time:.2f} s, expected bodies that MuJoCo can integrate: see bodies.*")
            for warning in self._data.warning:
                warning.number = 0
            before = self._now()
            self._mujoco.mj_step(self._model, self._data)
        self._hold()

    def _now(self) -> Moment:
        return Moment(self._data.qpos.copy(), self._data.qvel.copy())

    def _unstable(self) -> bool:
        """Whether MuJoCo has met numbers that are none, or that are far too large."""
        return any(self._data.warning[kind].number for kind in self._warnings) or not np.isfinite(self._data.qpos).all()

    def _lose(self, before: Moment) -> BoolArray:
        """Who cannot be integrated in the step that began with ``before`` (N,), held from now on; all others are put back to then."""
        data, new = self._data, self._blamed(before) & ~self.lost
        self.lost |= new
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = before.qpos, before.qvel, 0.0
        fresh = np.append(new, False)[self._holder]
        data.qpos[fresh] = self._sound.qpos[fresh]
        who = np.append(self.lost, False)
        self._where, self._dofs = np.flatnonzero(who[self._holder]), np.flatnonzero(who[self._owner])
        self._held = data.qpos[self._where].copy()
        self._hold()
        return new

    def _hold(self) -> None:
        """Keep the lost ones where they are."""
        if len(self._dofs):
            data = self._data
            data.qpos[self._where] = self._held
            data.qvel[self._dofs] = data.qacc_warmstart[self._dofs] = data.qfrc_applied[self._dofs] = 0.0

    def _blamed(self, before: Moment) -> BoolArray:
        """Whose numbers were not sound before constraints joined them to others'; else who was fastest."""
        data, found = self._data, np.zeros(self._robots + 1, bool)
        for values in (before.qvel, data.qacc_smooth, data.qfrc_applied, data.qfrc_actuator):
            found |= np.bincount(self._owner, ~(np.abs(values) < self._mujoco.mjMAXVAL), self._robots + 1) > 0
        found |= np.bincount(self._holder, ~np.isfinite(before.qpos), self._robots + 1) > 0
        if not (found[:-1] & ~self.lost).any():
            speed = np.where(np.append(self.lost, True)[self._owner], -1.0, np.abs(before.qvel))
            found[self._owner[int(np.argmax(speed))]] = True
        return found[:-1]
