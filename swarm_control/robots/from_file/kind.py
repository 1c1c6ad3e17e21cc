"""Robots from a file in a world of MuJoCo: their servos, their sensors, what stands and what has fallen."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.robots.from_file.controller import JointDrive, Servo
from swarm_control.robots.from_file.machine import Machine
from swarm_control.robots.mujoco import Parts
from swarm_control.robots.sensors import BodySensors, Sensors

SLOW = 0.4
"""Most that a servo alone turns in a time step, in radians of its oscillation: a joint whose description says nothing of its rotor gets
as much inertia as that takes. Without any, light legs chatter on the ground."""
UPRIGHT = 0.5
"""Cosine of the tilt from which a robot lies: 60°."""


class FileRobots:
    """``n`` robots of one :class:`~swarm_control.robots.from_file.machine.Machine`. A :class:`~swarm_control.robots.mujoco.Kind`.

    ``drive`` is told what ``sensors`` read every ``period`` (s), never where the simulator has the robots.
    """

    unit = 1.0
    option = {"cone": "elliptic", "integrator": "implicitfast"}  # noqa: RUF012 - a constant

    def __init__(
        self, machine: Machine, drive: JointDrive, sensors: Sensors, times: tuple[float, float], names: Sequence[str], pose: Array,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self.names, self._machine, self._drive = tuple(names), machine, drive
        self.step, self._period = times
        self._start, self._sensors = np.array(pose, float), BodySensors(sensors, len(self.names), rng)

    def parts(self) -> Parts:
        """Nothing in words: they are attached."""
        return Parts("")

    def attach(self, spec: Any) -> None:
        """Put them into the world's ``MjSpec``, each with its name and a stroke before its bodies' names."""
        import mujoco

        machine, effort = self._machine, self._machine.effort
        for joint in machine.spec.joints:
            if joint.name in machine.joints:
                joint.actfrclimited = 0
        for servo in self._drive.servos:
            name = machine.joints[servo.joint]
            motor = machine.spec.actuator(name) or machine.spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            _set(motor, servo, float(effort[servo.joint]))
            joint = machine.spec.joint(name)
            joint.armature = joint.armature or servo.stiffness * (self.step / SLOW) ** 2
        spec.copy_during_attach = True
        for name in ("timestep", "integrator", "cone"):  # or MuJoCo warns that the world's hold
            setattr(machine.spec.option, name, getattr(spec.option, name))
        bodies = [body.name for body in machine.spec.bodies if any(True for _ in body.geoms)]
        for name in self.names:
            spec.attach(machine.spec, prefix=f"{name}/", frame=spec.worldbody.add_frame())
            for k, one in enumerate(bodies):
                for other in bodies[:k]:
                    spec.add_exclude(bodyname1=f"{name}/{one}", bodyname2=f"{name}/{other}")

    def bind(self, model: Any) -> None:
        """Find the robots in the compiled ``model``."""
        base = [model.joint(f"{name}/base") for name in self.names]
        self.roots: IntArray = np.array([joint.qposadr[0] for joint in base], np.int64)
        self._free: IntArray = np.array([joint.dofadr[0] for joint in base], np.int64)
        found = [[model.joint(f"{name}/{joint}") for joint in self._machine.joints] for name in self.names]
        self._angle: IntArray = np.array([[joint.qposadr[0] for joint in row] for row in found], np.int64).reshape(len(found), -1)
        self._rate: IntArray = np.array([[joint.dofadr[0] for joint in row] for row in found], np.int64).reshape(len(found), -1)
        moved = [self._machine.joints[servo.joint] for servo in self._drive.servos]
        self._motor = np.array([[model.actuator(f"{name}/{joint}").id for joint in moved] for name in self.names], np.int64)
        self._every = max(round(self._period / float(model.opt.timestep)), 1)
        self._tick = self._every * float(model.opt.timestep)
        self._sensors.bind(self.roots, self._free, self._angle, self._rate, self._tick)

    def reset(self, data: Any) -> None:
        """Put them where they start, at rest; the control forgets what it knew."""
        q, half = self.roots[:, None], 0.5 * self._start[:, 2]
        data.qpos[q + np.arange(2)] = self._start[:, :2] - rotate(np.tile(self._drive.middle, (len(half), 1)), self._start[:, 2])
        data.qpos[self.roots + 2] = self._drive.height
        data.qpos[q + np.arange(3, 7)] = np.column_stack((np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)))
        data.qpos[self._angle] = self._drive.posture
        data.qvel[self._free[:, None] + np.arange(6)] = 0.0
        data.qvel[self._rate] = 0.0
        self._drive.reset()
        self._sensors.reset()
        self._count = 0

    def forget(self, row: int, yaw: float) -> None:
        """The control of one robot forgets what it knew."""
        self._drive.forget(row)
        self._sensors.forget(row)

    def control(self, data: Any, twist: Array) -> None:
        """Set what the servos are told for the next time step, so that the robots obey ``twist`` (n, 3): m/s, m/s, rad/s, their frames."""
        if self._count % self._every == 0:
            finite = np.where(np.isfinite(twist).all(axis=1, keepdims=True), twist, 0.0)
            data.ctrl[self._motor] = self._drive.targets(self._sensors.read(data), finite, self._tick)
        self._count += 1

    def pose(self, data: Any) -> Array:
        """(n, 3): x, y (m), yaw (rad), world frame."""
        turn = self._turn(data)
        place = data.qpos[self.roots[:, None] + np.arange(2)] + turn[:, :2, :2] @ self._drive.middle
        return np.column_stack((place, np.arctan2(turn[:, 1, 0], turn[:, 0, 0])))

    def velocity(self, data: Any) -> Array:
        """(n, 3): vx, vy (m/s), ω (rad/s) about the vertical, world frame."""
        v, turn = self._free, self._turn(data)
        spin = (turn[:, 2] * data.qvel[v[:, None] + np.arange(3, 6)]).sum(axis=1)
        out = turn[:, :2, :2] @ self._drive.middle
        return np.column_stack((data.qvel[v] - spin * out[:, 1], data.qvel[v + 1] + spin * out[:, 0], spin))

    def fallen(self, data: Any) -> BoolArray:
        """(n,): who lies on the ground."""
        return np.asarray(self._turn(data)[:, 2, 2] < UPRIGHT)

    def _turn(self, data: Any) -> Array:
        """The bases' rotations (n, 3, 3), from their frames to the world's."""
        w, x, y, z = (data.qpos[self.roots + k] for k in (3, 4, 5, 6))
        rows = (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
        return np.array(rows).transpose(2, 0, 1)


def _set(motor: Any, servo: Servo, effort: float) -> None:
    """Make a motor of MuJoCo's the servo of a joint."""
    if servo.stiffness:
        motor.set_to_position(servo.stiffness, kv=servo.damping)
    else:
        motor.set_to_velocity(servo.damping)
    if np.isfinite(effort):
        motor.forcerange, motor.forcelimited = [-effort, effort], 1
