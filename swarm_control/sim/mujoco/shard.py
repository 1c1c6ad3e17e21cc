"""A shard: some robots of one kind in a world of MuJoCo of their own, so that shards can be stepped by several threads at once."""

from typing import Any

import numpy as np

from swarm_control.core.compiled import Compiled
from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.robots.mujoco import HULL, Kind
from swarm_control.sim.mujoco.herd_model import HerdWorld
from swarm_control.sim.mujoco.losses import Losses


class Shard:
    """The ``robots`` (n,) of a fleet, of one ``kind``, in a ``world`` with walls and the pucks of those moved elsewhere.

    ``fallen`` (n,): who has fallen; ``work`` (n,): what motors have done, in the model's unit; ``struck``: pairs of a row of ``robots``
    and a puck, or −1 for a wall, that have touched since the last ``begin``. The robots do not touch each other here: see
    :class:`~.hulls.Hulls`.
    """

    def __init__(self, robots: IntArray, kind: Kind, world: HerdWorld) -> None:
        import mujoco

        self._mujoco, self.robots, self.kind = mujoco, robots, kind
        self.model: Any = world.with_robots([kind])
        self.data: Any = mujoco.MjData(self.model)
        model = self.model
        pucks = [model.body(name).id for name, _ in world.others]
        self._mocap: IntArray = model.body_mocapid[pucks] if pucks else np.empty(0, np.int64)
        kind.bind(model)
        joints = np.searchsorted(model.jnt_qposadr, kind.roots)
        self.bodies: IntArray = model.jnt_bodyid[joints]
        holder = np.full(model.nbody, -1)
        holder[self.bodies] = np.arange(len(robots))
        self._owner: IntArray = holder[model.body_rootid[model.dof_bodyid]]
        self.holder: IntArray = holder[model.body_rootid[model.geom_bodyid]]
        """Whose each geom is (ngeom,), as a row of ``robots``; −1: the world's."""
        self.hull: IntArray = np.flatnonzero((self.holder >= 0) & (model.geom_contype & HULL > 0))
        """Geoms that meet other robots and walls."""
        self._hard: BoolArray = (self.holder < 0) & (model.geom_conaffinity & HULL > 0)
        self._puck: IntArray = np.full(model.nbody, -1)
        self._puck[pucks] = np.arange(len(pucks))
        self._meets = bool(self._hard.any())
        self.fallen: BoolArray = np.zeros(len(robots), bool)
        self.work: Array = np.zeros(len(robots))
        self.struck: set[tuple[int, int]] = set()
        own = np.flatnonzero(holder[model.body_rootid[model.jnt_bodyid]] >= 0)
        own = own[model.jnt_type[own] > int(mujoco.mjtJoint.mjJNT_BALL)].reshape(len(robots), -1)
        self._joint_names = [model.joint(k).name.rpartition("/")[2] for k in own[0]]
        self._joints: IntArray = model.jnt_qposadr[own]
        self._views = tuple(getattr(self.data, name) for name in ("qfrc_actuator", "qfrc_applied", "qvel"))

    @property
    def lost(self) -> BoolArray:
        """Who cannot be integrated any more (n,)."""
        return self._losses.lost

    def joint_names(self) -> list[str]:
        """Names of the joints of a robot that turn or slide (J,)."""
        return self._joint_names

    def joints(self) -> Array:
        """Where these are (n, J): rad, or in the model's unit."""
        found: Array = self.data.qpos[self._joints]
        return found

    def reset(self, lift: Array, place: Array, quaternion: Array) -> None:
        """Put every robot back to where it started, higher by ``lift`` (n,), in the model's unit; the pucks as by :meth:`begin`."""
        self._mujoco.mj_resetData(self.model, self.data)
        self.kind.reset(self.data)
        self.data.qpos[self.kind.roots + 2] += lift
        self.fallen[:], self.work[:] = False, 0.0
        self._losses = Losses(self._mujoco, self.model, self.data, self._owner, len(self.robots))
        self.begin(place, quaternion)
        self._mujoco.mj_forward(self.model, self.data)
        self._start = self.data.qpos.copy(), self.data.qvel.copy()

    def set_up(self, row: int, start: Array, pose: Array, lift: float) -> None:
        """Put a robot that started at ``start`` (3,) at ``pose`` (3,), x, y and yaw, otherwise as it started, but higher by ``lift``.

        Lengths are in the model's unit.
        """
        qpos, qvel = self._start
        places, speeds = np.flatnonzero(self._losses.holder == row), np.flatnonzero(self._owner == row)
        self.data.qpos[places], self.data.qvel[speeds] = qpos[places], qvel[speeds]
        self.data.qacc_warmstart[speeds] = self.data.qfrc_applied[speeds] = 0.0
        root, first, turn = int(self.kind.roots[row]), int(self.model.body_dofadr[self.bodies[row]]), pose[2:] - start[2:]
        self.data.qpos[root : root + 2] = pose[:2] + rotate(qpos[None, root : root + 2] - start[:2], turn)[0]
        self.data.qpos[root + 2] += lift
        turned = np.array([np.cos(0.5 * turn[0]), 0.0, 0.0, np.sin(0.5 * turn[0])])
        self._mujoco.mju_mulQuat(self.data.qpos[root + 3 : root + 7], turned, qpos[root + 3 : root + 7])
        self.data.qvel[first : first + 2] = rotate(qvel[None, first : first + 2], turn)[0]
        self.fallen[row] = False
        self._losses.let_go(row)
        self.kind.forget(row, float(pose[2]))
        self._mujoco.mj_forward(self.model, self.data)

    def begin(self, place: Array, quaternion: Array) -> None:
        """Before some time steps: the pucks are at ``place`` (K, 2), turned by ``quaternion`` (K, 4)."""
        self.data.mocap_pos[self._mocap, :2], self.data.mocap_quat[self._mocap] = place, quaternion
        self._losses.note()
        self.struck.clear()

    def control(self, twist: Array) -> None:
        """Tell the robots to obey ``twist`` (n, 3) in the next time step: m/s, m/s, rad/s, their frames."""
        self.kind.control(self.data, twist)

    def integrate(self) -> None:
        """One time step."""
        self._losses.advance()
        add_work(*self._views, self._owner, self.model.opt.timestep, self.work)
        if self._meets and self.data.ncon:
            pair = self.data.contact.geom
            for one, other in pair[self._hard[pair].any(axis=1)]:
                robot, thing = (other, one) if self._hard[one] else (one, other)
                self.struck.add((int(self.holder[robot]), int(self._puck[self.model.geom_bodyid[thing]])))

    def advance(self, twist: Array, steps: int) -> None:
        """So many time ``steps``, all told ``twist`` (n, 3)."""
        for _ in range(steps):
            self.control(twist)
            self.integrate()

    def end(self) -> None:
        """After some time steps: see who has fallen."""
        self.fallen |= self.kind.fallen(self.data) | self._losses.lost


def _work_loop(actuator, applied, speed, owner, dt, work):  # type: ignore[no-untyped-def]
    """Add to ``work`` (n,) what motors did in ``dt``: what they took up in braking is not given back."""
    for dof in range(len(owner)):
        if owner[dof] >= 0:
            work[owner[dof]] += max((actuator[dof] + applied[dof]) * speed[dof], 0.0) * dt


add_work = Compiled(_work_loop, nogil=True)
