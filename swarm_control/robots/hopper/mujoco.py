"""One-legged robots in MuJoCo: named readings and control of a herd in one model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.robots.hopper.body import FOOT, JOINTS, LENGTH, parts
from swarm_control.robots.hopper.control import AIR, CLOCK, FALLEN, FLIGHT, PHASE, STANCE, control_all
from swarm_control.robots.hopper.control_gains import gains
from swarm_control.robots.hopper.estimate import BELIEFS, SPEED, touching
from swarm_control.robots.motors import Motors
from swarm_control.robots.mujoco import Parts
from swarm_control.robots.sensors import BodySensors

STANCE_SHARE = 0.625
"""How long stance lasts, in periods of the body on the leg's spring: what the control expects before it has seen one. More than half
of one, as there is weight on the spring."""


class Hoppers:
    """Robots that hop on one leg; they obey any velocity in the plane. A :class:`~swarm_control.robots.mujoco.Kind`.

    Each starts somewhere in flight, by chance, and knows how fast. After that its control knows what its sensors read.
    """

    step = 0.002
    unit = 1.0
    option = {"cone": "elliptic"}  # noqa: RUF012 - a constant

    def __init__(
        self, names: Sequence[str], pose: Array, velocity: Array, radius: Array, bodies: Any, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self.names, self.hopper, self._radius = tuple(names), bodies.hopper, radius
        self._friction = float(bodies.terrain.friction)
        self._start, self._velocity = np.array(pose, float), np.array(velocity, float)
        self._moment = rng.uniform(-0.9, 0.9, len(self.names))
        n, h = len(self.names), self.hopper
        self._memory, self._belief, self._count = np.zeros((n, 8)), np.zeros((n, BELIEFS)), np.zeros((n, 2), np.int64)
        self._force, self._sensors = np.zeros((n, 4)), BodySensors(h.sensors, n, rng)
        self._motors = Motors((*3 * (h.hip_torque,), h.thrust_force), (*3 * (h.hip_speed,), h.thrust_speed), 4 * (0.0,))

    def parts(self) -> Parts:
        """Their description."""
        return parts(self.names, self._radius, self.hopper, self._friction)

    def bind(self, model: Any) -> None:
        """Find the robots in the compiled ``model``."""
        base = [model.joint(name) for name in self.names]
        hips = [model.joint(f"{name}/{JOINTS[0]}") for name in self.names]
        self._timestep = float(model.opt.timestep)
        self.roots: IntArray = np.array([joint.qposadr[0] for joint in base], np.int64)
        self._at = np.array(
            [(b.qposadr[0], h.qposadr[0], b.dofadr[0], h.dofadr[0]) for b, h in zip(base, hips)], np.int64
        ).reshape(-1, 4)  # fmt: skip
        self._motors.bind(model, [[f"{name}/{joint}" for joint in JOINTS] for name in self.names])
        joints, gravity = self._at[:, 1:2] + np.arange(4), np.array(model.opt.gravity)
        self._sensors.bind(self.roots, self._at[:, 2].copy(), joints, self._at[:, 3:4] + np.arange(4), self._timestep, gravity)
        self._touches = np.full((model.ngeom, 2), -1, np.int64)
        for k, name in enumerate(self.names):
            self._touches[model.geom(f"{name}/foot").id, 0] = self._touches[model.geom(f"{name}/trunk").id, 1] = k
        self._gains = gains(self.hopper, float(np.linalg.norm(gravity)), self._friction)

    def reset(self, data: Any) -> None:
        """Put them where they start, with the speed that they start with; the control forgets what it knew."""
        q, v, g = self._at[:, 0], self._at[:, 2], self._gains
        half_flight = g.lift / g.gravity
        since = self._moment * half_flight  # the apex, s
        data.qpos[q[:, None] + np.arange(2)] = self._start[:, :2]
        data.qpos[q + 2] = LENGTH + FOOT + self.hopper.apex - 0.5 * g.gravity * since**2
        half = 0.5 * self._start[:, 2]
        data.qpos[q[:, None] + np.arange(3, 7)] = np.column_stack((np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)))
        stance = STANCE_SHARE * 2.0 * np.pi * np.sqrt(g.mass / g.spring)
        data.qpos[self._at[:, 1:2] + np.arange(4)] = self._first_step(stance)
        data.qvel[v[:, None] + np.arange(2)] = self._velocity[:, :2]
        data.qvel[v + 2] = -g.gravity * since
        data.qvel[v + 5] = self._velocity[:, 2]
        self._count[:], self._told = 0, np.zeros(len(self.names), np.int64)
        self._memory[:] = 0.0
        self._memory[:, CLOCK] = self._memory[:, AIR] = half_flight + since
        self._memory[:, STANCE] = stance
        self._belief[:], self._force[:] = 0.0, 0.0
        self._belief[:, SPEED : SPEED + 2] = rotate(self._velocity[:, :2], -self._start[:, 2])
        self._belief[:, SPEED + 2] = -g.gravity * since
        self._sensors.reset()
        self._fresh = self._memory.copy(), self._belief.copy()

    def forget(self, row: int, yaw: float) -> None:
        """The control of one robot, which has been put elsewhere, forgets what it knew; it has no use for ``yaw`` (rad)."""
        self._memory[row], self._belief[row], self._force[row] = self._fresh[0][row], self._fresh[1][row], 0.0
        self._sensors.forget(row)

    def _first_step(self, stance: float) -> Array:
        """Coordinates of hip and leg (n, 4) with the foot where it lands to keep the speed that the robot starts with."""
        ahead = rotate((0.5 * stance - self.hopper.step_bias) * self._velocity[:, :2], -self._start[:, 2]) / LENGTH
        x, y = np.clip(ahead, -0.5, 0.5).T
        down = np.sqrt(1.0 - x * x - y * y)
        return np.column_stack((np.arctan2(y, down), -np.arcsin(x), 0.0 * x, 0.0 * x))

    def control(self, data: Any, twist: Array) -> None:
        """Set actuators and forces for the next time step, so that the robots obey ``twist`` (n, 3): m/s, m/s, rad/s, their frames."""
        self._told = self._count[:, 0].copy()
        read = self._sensors.read(data, self._touching(data))
        control_all(
            read.up, read.gyro, read.joint, read.rate, read.touch, np.asarray(twist, float), self._timestep, self._gains,
            self._memory, self._belief, self._count, self._force,
        )  # fmt: skip
        data.ctrl[self._motors.motor] = self._force
        self._motors.hold(data)

    def _touching(self, data: Any) -> BoolArray:
        """(n, 2): whose foot, whose body touches the ground."""
        found = np.zeros((len(self.names), 2), bool)
        touching(data.contact.geom, self._touches, found)
        return found

    def pose(self, data: Any) -> Array:
        """(n, 3): x, y (m), yaw (rad), world frame."""
        q = data.qpos
        w, x, y, z = (q[self._at[:, 0] + k] for k in (3, 4, 5, 6))
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return np.column_stack((q[self._at[:, 0]], q[self._at[:, 0] + 1], yaw))

    def velocity(self, data: Any) -> Array:
        """(n, 3): vx, vy (m/s) of the body, ω (rad/s) about the vertical, world frame."""
        q, v = data.qpos, self._at[:, 2]
        w, x, y, z = (q[self._at[:, 0] + k] for k in (3, 4, 5, 6))
        a, b, c = (data.qvel[v + k] for k in (3, 4, 5))
        turn = 2.0 * (x * z - w * y) * a + 2.0 * (y * z + w * x) * b + (1.0 - 2.0 * (x * x + y * y)) * c
        return np.column_stack((data.qvel[v], data.qvel[v + 1], turn))

    def fallen(self, data: Any) -> BoolArray:
        """(n,): who lies on the ground and will not get up."""
        found: BoolArray = self._memory[:, PHASE] == FALLEN
        return found

    def height(self, data: Any) -> Array:
        """(n,) m: of the body above the world's zero."""
        found: Array = data.qpos[self._at[:, 0] + 2]
        return found

    def stance(self) -> BoolArray:
        """(n,): who stands on the ground."""
        return (self._memory[:, PHASE] != FLIGHT) & (self._memory[:, PHASE] != FALLEN)

    @property
    def limited(self) -> BoolArray:
        """(n,): whose last command was to go or turn faster than it can, and was cut."""
        return np.asarray(self._count[:, 0] > self._told)

    @property
    def refused(self) -> IntArray:
        """(n,): in how many time steps the command of each was not finite, so that it hopped on the spot."""
        return self._count[:, 1].copy()
