"""Walking insects in MuJoCo, all of a model at once: sensors, control, muscles. CGS units. McKenna & Zeltzer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.gait.controller import control
from swarm_control.gait.leg import JOINTS, Chains
from swarm_control.gait.odometry import Felt, feel
from swarm_control.gait.oscillators import NONE, phases
from swarm_control.gait.programs import EXPONENTIAL, held, spring, strength_left
from swarm_control.gait.walker import WalkerState
from swarm_control.robots.hexapod.body import DEFAULTS, TRUNK, anatomy, parts, walker
from swarm_control.robots.mujoco import Parts
from swarm_control.robots.sensors import BodySensors

UPSIDE_DOWN = 0.3
"""Height of the tip of the body's unit vertical below which an insect lies on its side or back."""
FIRM = "10"
"""How much firmer friction is than contacts give; with 1, feet that stick to a slope of 20° creep down it by 5 mm/s."""
SLOW = 2.0
"""Frequency (Hz) whose pattern the oscillators begin with."""


class Hexapods:
    """Insects of one make, a :class:`~swarm_control.robots.mujoco.Kind`; L legs each. The oscillators begin at a random phase.

    ``anatomy``, ``walker``, ``felt`` and ``memory`` (what the controllers know, by readings alone, and remember) may be read; both are new
    after every reset. Springs of joints are muscles: they act on the joints as they are.
    """

    unit = 0.01

    def __init__(
        self, names: Sequence[str], pose: Array, velocity: Array, radius: Array, bodies: Any, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self.params, self.names = bodies.hexapod, tuple(names)
        self.step = self.params.time_step
        self.option = {
            "integrator": "implicitfast", "cone": "elliptic", "impratio": FIRM, "solver": "Newton", "iterations": "20", "tolerance": "1e-8",
        }  # fmt: skip
        self.anatomy = anatomy(self.params)
        self.walker = walker(self.anatomy)
        self._start = np.column_stack((pose[:, :2] / self.unit, pose[:, 2]))
        self._moved = np.zeros((len(self.names), 6))
        self._moved[:, :2], self._moved[:, 5] = velocity[:, :2] / self.unit, velocity[:, 2]
        begin, interval = rng.uniform(0.0, 1.0, len(self.names)), self.params.gait.interval
        self._phases = np.array([phases(len(self.anatomy.legs), SLOW, interval, common) for common in begin])
        self._chains, self._sensors = Chains.of(self.anatomy.legs), BodySensors(self.params.sensors, len(self.names), rng)
        self._forget()
        self._trunk = np.array([*self.params.springs.trunk[:2], self.params.springs.most])

    def parts(self) -> Parts:
        """Their description."""
        made = Parts("", defaults=DEFAULTS)
        for name, pose in zip(self.names, self._start):
            made += parts(name, pose, self.anatomy)
        return made

    def bind(self, model: Any) -> None:
        """Find the robots in the compiled ``model``; it is told to collide by libccd, as MuJoCo's own way catches feet in height fields."""
        import mujoco

        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
        made, n, self._dt = self.anatomy, len(self.names), float(model.opt.timestep)
        self.alive: IntArray = np.flatnonzero(made.alive)
        legs = [[f"{name}/{made.names[k]}" for k in self.alive] for name in self.names]
        joints = [model.joint(f"{leg}/{joint}") for robot in legs for leg in robot for joint in JOINTS]
        hinges = [model.joint(f"{name}/{hinge}") for name in self.names for hinge in TRUNK]
        shape = (n, len(self.alive))
        self.bodies: IntArray = np.array([model.body(name).id for name in self.names])
        self.roots: IntArray = np.array([model.joint(name).qposadr[0] for name in self.names])
        self.speeds: IntArray = np.array([model.joint(name).dofadr[0] for name in self.names])
        self.angles: IntArray = np.array([joint.qposadr[0] for joint in joints]).reshape(*shape, 5)
        self.rates: IntArray = np.array([joint.dofadr[0] for joint in joints]).reshape(*shape, 5)
        self.trunk: IntArray = np.array([[joint.qposadr[0], joint.dofadr[0]] for joint in hinges]).reshape(n, 2, 2)
        self.tips: IntArray = np.array([model.site(leg).id for robot in legs for leg in robot]).reshape(shape)
        self.touch: IntArray = np.array([model.sensor(leg).adr[0] for robot in legs for leg in robot]).reshape(shape)
        sticky = self.params.feet.adhesion > 0.0
        self.pads: IntArray = np.array([model.actuator(leg).id for robot in legs for leg in robot if sticky], np.int64).reshape(n, -1)
        self._every = max(round(self.params.period / self._dt), 1)
        self._tick = self._every * self._dt
        self._sensors.bind(self.roots, self.speeds, self.angles.reshape(n, -1), self.rates.reshape(n, -1), self._tick)
        self.straight = self._straight(model)

    def reset(self, data: Any) -> None:
        """Put them where they start, a little over the ground, springs at rest; the control forgets what it knew."""
        self._forget()
        for root, (x, y, yaw) in zip(self.roots, self._start):
            turned = np.cos(0.5 * yaw), 0.0, 0.0, np.sin(0.5 * yaw)
            data.qpos[root : root + 7] = x, y, self.params.trunk.height + self.walker.press.max(), *turned
        data.qpos[self.angles] = self.walker.standing()[self.alive]
        data.qvel[self.speeds[:, None] + np.arange(6)] = self._moved

    def forget(self, row: int, yaw: float) -> None:
        """The control of one insect forgets what it knew."""
        self.memory.forget(row, self._begun())
        self.felt.moving[row], self._before[row] = 0.0, self.memory.rest[row]
        self._sensors.forget(row)

    def control(self, data: Any, twist: Array) -> None:
        """Set the springs' torques and the feet's adhesion for the next time step; ``twist`` (n, 3): m/s, m/s, rad/s, robots' frames."""
        if self._count % self._every == 0:
            self._read(data)
            self._before[:] = self.memory.rest
            control(self.walker, self.memory, self.felt, twist * (1.0 / self.unit, 1.0 / self.unit, 1.0), self._tick)
        self._count += 1
        w, way = self.walker, ((self._count - 1) % self._every + 1) / self._every
        _act(
            len(self.names), data.qpos, data.qvel, data.qfrc_applied, data.ctrl, self._before, self.memory.rest, way, self.memory.step,
            self.alive, self.angles, self.rates, w.strength, w.rise, w.most, w.law, w.fastest, self.trunk, self.straight, self._trunk,
            self.pads,
        )  # fmt: skip

    def _read(self, data: Any) -> None:
        """Take up what the sensors read."""
        n, legs = self.memory.phase.shape
        read = self._sensors.read(data, load=self.loads(data)[:, self.alive])
        joint, rate, load = np.zeros((n, legs, 5)), np.zeros((n, legs, 5)), np.zeros((n, legs))
        joint[:, self.alive], rate[:, self.alive] = (values.reshape(n, -1, 5) for values in (read.joint, read.rate))
        load[:, self.alive] = read.load
        share = self._tick / (self.params.odometry + self._tick)
        self._told.append(self.memory.step.copy())  # what legs were told when that which is read now was so
        del self._told[: -1 - round(self.params.sensors.delay / self._tick)]
        feel(self._chains, self.walker.alive, self.felt, joint, rate, read.gyro, load, self._told[0], self.walker.bare, share)

    def loads(self, data: Any) -> Array:
        """What feet bear (n, L) dyn, in truth; a foot's stickiness is no load."""
        load = np.zeros(self.memory.phase.shape)
        load[:, self.alive] = data.sensordata[self.touch]
        if self.pads.size:
            load[:, self.alive] -= self.params.feet.adhesion * data.ctrl[self.pads]
        return np.maximum(load, 0.0)

    def pose(self, data: Any) -> Array:
        """(n, 3): x, y (m), yaw (rad), world frame."""
        q = data.qpos[self.roots[:, None] + np.arange(7)]
        w, x, y, z = q[:, 3:].T
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return np.column_stack((q[:, :2] * self.unit, yaw))

    def velocity(self, data: Any) -> Array:
        """(n, 3): vx, vy (m/s), ω (rad/s), world frame; ω about the body's own vertical."""
        v = data.qvel[self.speeds[:, None] + np.arange(6)]
        return np.column_stack((v[:, :2] * self.unit, v[:, 5]))

    def fallen(self, data: Any) -> BoolArray:
        """(n,): who lies on its side or back."""
        _, x, y, _ = data.qpos[self.roots[:, None] + np.arange(3, 7)].T
        return np.asarray(1.0 - 2.0 * (x * x + y * y) < UPSIDE_DOWN)

    @property
    def limited(self) -> BoolArray:
        """(n,): whose last command was beyond what feet can do and was cut to it, or not finite, so that it stands."""
        return self.memory.limited.copy()

    def _begun(self) -> WalkerState:
        return WalkerState(self._phases.copy(), np.tile(self.walker.standing(), (len(self.names), 1, 1)))

    def _forget(self) -> None:
        n, legs = len(self.names), len(self.anatomy.legs)
        self.memory = self._begun()
        self._before, self._told = self.memory.rest.copy(), list[Array]()
        self.felt, self._count = Felt.nothing(n, legs), 0
        self._sensors.reset()

    def _straight(self, model: Any) -> Array:
        """Rest angles (2,) at which neck and waist are held straight against gravity."""
        import mujoco

        data = mujoco.MjData(model)
        self.reset(data)
        mujoco.mj_forward(model, data)
        strength, rise, _ = self.params.springs.trunk
        return np.array([held(load, strength, rise, EXPONENTIAL) for load in data.qfrc_bias[self.trunk[0, :, 1]]])


def _act_loop(  # type: ignore[no-untyped-def]
    qpos, qvel, force, ctrl, before, rest, way, step, alive, angles, rates, strength, rise, most, law, fastest, trunk, straight, springs,
    pads,
):  # fmt: skip
    """The torques of legs' muscles, rest angles a share ``way`` of theirs from ``before``; those of neck and waist; which feet stick."""
    for r in prange(len(trunk)):
        for k in range(len(alive)):
            for j in range(rates.shape[2]):
                at = before[r, alive[k], j] + way * (rest[r, alive[k], j] - before[r, alive[k], j])
                torque = spring(at - qpos[angles[r, k, j]], strength[j], rise[j], most, law)
                force[rates[r, k, j]] = torque * strength_left(qvel[rates[r, k, j]], torque, fastest)
            if pads.shape[1] > 0:
                ctrl[pads[r, k]] = 1.0 if step[r, alive[k]] == NONE else 0.0
        for h in range(len(straight)):
            bent = straight[h] - qpos[trunk[r, h, 0]]
            force[trunk[r, h, 1]] = spring(bent, springs[0], springs[1], springs[2], EXPONENTIAL)


_act = Kernel(_act_loop)
