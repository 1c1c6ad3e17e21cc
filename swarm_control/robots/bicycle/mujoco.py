"""Bicyclists in MuJoCo: their description, named readings and control, all of a model at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.errors import InputError
from swarm_control.robots.bicycle import control as bicycle_control
from swarm_control.robots.bicycle.body import ARM, LEG, SIDES, TRUNK, flip
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.control import Tables, rider_of
from swarm_control.robots.bicycle.estimate import BELIEFS, SPEED
from swarm_control.robots.bicycle.look import COLOURS, wheels
from swarm_control.robots.bicycle.mjcf import DEFAULTS, Looks, Writer
from swarm_control.robots.bicycle.motors import motors_of
from swarm_control.robots.bicycle.posture import STEERS, TURNS, Posture, posture
from swarm_control.robots.bicycle.rider import rider
from swarm_control.robots.bicycle.stiff import stiff_rider
from swarm_control.robots.mujoco import Parts
from swarm_control.robots.sensors import BodySensors

READ = ("fork", "crank", "rear")
"""Joints with encoders."""


class Bicycles:
    """``n`` bicyclists of one model: a :class:`~swarm_control.robots.mujoco.Kind`. The leftward speed of a command is ignored.

    ``limited`` (n,): whose last command was beyond what can be ridden, and was cut.
    """

    step, unit = 0.002, 1.0
    option = {"integrator": "implicitfast", "cone": "elliptic"}  # noqa: RUF012 - a constant

    def __init__(
        self, names: Sequence[str], pose: Array, velocity: Array, radius: Array, bodies: Any, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self.names, self._pose, self._velocity = tuple(names), np.asarray(pose, float), np.asarray(velocity, float)
        self.bicycle, self._rider = bodies.bicycle, rider_of(bodies.bicycle)
        self._posture, n = posture(bodies.bicycle), len(self.names)
        self._phase = rng.uniform(0.0, 2.0 * np.pi, n)
        self._tables = tables_of(self._posture, self.bicycle)
        self._sensors, self._motors = BodySensors(self.bicycle.sensors, n, rng), motors_of(self.bicycle)
        self._off, self._lean, self._turn, self._wish = (np.zeros(n) for _ in range(4))
        self._belief, self.limited = np.zeros((n, BELIEFS)), np.zeros(n, bool)
        slowest = float(self._ahead().min(initial=np.inf))
        if slowest < self._rider.min_speed:
            expected = f"expected at least bodies.bicycle.min_speed, {self._rider.min_speed:g} m/s ahead: a bicycle that stands falls"
            raise InputError("robots.start.speed", f"{slowest:g} m/s found, {expected}")

    def parts(self) -> Parts:
        """Their description."""
        b, total = self.bicycle, Parts("", wheels(self.bicycle.wheel_radius), DEFAULTS)
        for k, name in enumerate(self.names):
            jersey, paint = COLOURS[k % len(COLOURS)], COLOURS[(k // len(COLOURS) + k + 1) % len(COLOURS)]
            looks = Looks(float(self._phase[k]), jersey, paint, self._posture.rest)
            writer = Writer(name, b, looks)
            frame, person = stiff_rider(writer) if b.rider == "rigid" else (writer.frame(), rider(writer))
            total += writer.parts(self._pose[k], frame, person)
        return total

    def bind(self, model: Any) -> None:
        """Find the robots in the compiled ``model``."""
        import mujoco

        joints = [model.joint(name) for name in self.names]
        self.roots = np.array([joint.qposadr[0] for joint in joints])
        self._v = np.array([joint.dofadr[0] for joint in joints])
        self._motor = np.array([model.actuator(f"{name}/fork").id for name in self.names])
        self._motors.bind(model, [[model.actuator(int(first) + k).name for k in range(len(self._motors.most))] for first in self._motor])
        self._joint: dict[str, tuple[Array, Array]] = {}
        for name in self._joints():
            self._joint[name] = self._q_of(model, name), np.array([model.joint(f"{robot}/{name}").dofadr[0] for robot in self.names])
        self._dt = float(model.opt.timestep)
        angle, rate = (np.array([self._joint[name][which] for name in READ], np.int64).T.copy() for which in range(2))
        self._sensors.bind(self.roots, self._v, angle, rate, self._dt, model.opt.gravity)
        data = mujoco.MjData(model)
        self.reset(data)
        mujoco.mj_forward(model, data)
        self._height = data.subtree_com[[model.body(name).id for name in self.names], 2]

    def _q_of(self, model: Any, joint: str) -> Array:
        return np.array([model.joint(f"{name}/{joint}").qposadr[0] for name in self.names])

    def _joints(self) -> list[str]:
        own = ["rear", "front", "fork", "crank"]
        if self.bicycle.rider == "rigid":
            return own
        return [*own, *TRUNK, *(f"{joint}_{side}" for side, _ in SIDES for joint in (*ARM, *LEG))]

    def reset(self, data: Any) -> None:
        """Let them ride, from where their description puts them; the control forgets what it knew."""
        ahead, yaw = self._ahead(), self._pose[:, 2]
        data.qvel[self._v], data.qvel[self._v + 1] = ahead * np.cos(yaw), ahead * np.sin(yaw)
        spin = ahead / self.bicycle.wheel_radius
        self._place(data, "rear", 0.0, spin)
        self._place(data, "front", 0.0, spin)
        self._place(data, "fork", 0.0, 0.0)
        self._place(data, "crank", self._phase, spin / self.bicycle.gear)
        if self.bicycle.rider == "articulated":
            self._sit(data, spin / self.bicycle.gear)
        self._off, self._wish, self._lean, self._turn = np.zeros(len(yaw)), ahead.copy(), np.zeros(len(yaw)), np.zeros(len(yaw))
        self._belief[:], self.limited = 0.0, np.zeros(len(yaw), bool)
        self._belief[:, SPEED] = ahead
        self._sensors.reset()

    def forget(self, row: int, yaw: float) -> None:
        """The control of one bicycle, which has been put elsewhere, forgets what it knew; it has no use for ``yaw`` (rad)."""
        ahead = self._ahead()[row]
        self._off[row], self._wish[row], self._lean[row], self._turn[row] = 0.0, ahead, 0.0, 0.0
        self._belief[row] = 0.0, 0.0, 0.0, ahead
        self._sensors.forget(row)

    def _ahead(self) -> Array:
        """Speeds ahead (n,) m/s at the start."""
        yaw = self._pose[:, 2]
        speed: Array = self._velocity[:, 0] * np.cos(yaw) + self._velocity[:, 1] * np.sin(yaw)
        return speed

    def _place(self, data: Any, joint: str, angle: Any, rate: Any) -> None:
        q, v = self._joint[joint]
        data.qpos[q], data.qvel[v] = angle, rate

    def _sit(self, data: Any, cadence: Array) -> None:
        """Seat the riders: hands on the grips, feet on the pedals, which turn with ``cadence`` (n,) rad/s."""
        for name, angle in zip(TRUNK, self._posture.trunk):
            self._place(data, name, angle, 0.0)
        place, leg = np.linspace(0.0, 2.0 * np.pi, TURNS + 1), self._tables.leg
        slope = np.gradient(np.vstack((leg[-2], leg, leg[1])), place[1], axis=0)[1:-1]
        for half, (side, sign) in enumerate(SIDES):
            for k, name in enumerate(ARM):
                self._place(data, f"{name}_{side}", flip(name, sign) * self._posture.arm[STEERS // 2, k], 0.0)
            crank = (self._phase + half * np.pi) % (2.0 * np.pi)
            for k, name in enumerate(LEG):
                angle, rate = (flip(name, sign) * np.interp(crank, place, values[:, k]) for values in (leg, slope))
                self._place(data, f"{name}_{side}", angle, rate * cadence)

    def control(self, data: Any, twist: Array) -> None:
        """Set the motors for the next time step."""
        read = self._sensors.read(data)
        _, crank, wheel = read.rate.T
        made = bicycle_control.steer(
            read.up, read.gyro, wheel, crank, np.ascontiguousarray(twist), self._rider, self._dt,
            self._belief, self._off, self._lean, self._turn, self._wish, self.limited,
        )  # fmt: skip
        data.ctrl[self._motor] = made[:, 0]
        if self.bicycle.rider == "rigid":
            data.ctrl[self._motor + 1] = made[:, 1]
        else:
            bicycle_control.ride(made, read.joint[:, 1], self._motor, self.bicycle.crank_length, self._tables, data.ctrl)
        self._motors.hold(data)

    def pose(self, data: Any) -> Array:
        """(n, 3): x, y (m), yaw (rad), world frame, of the point on the ground below the centre of mass, half-way between the wheels.

        Leaning takes that point to the side of the line between the wheels: it is where the robot is, for others too.
        """
        roll, _, yaw, _, _ = self.attitude(data).T
        aside = self._height * np.sin(roll)
        x, y = data.qpos[self.roots] + aside * np.sin(yaw), data.qpos[self.roots + 1] - aside * np.cos(yaw)
        return np.column_stack((x, y, yaw))

    def velocity(self, data: Any) -> Array:
        """(n, 3): vx, vy (m/s), ω (rad/s), world frame, of that point."""
        roll, fall, yaw, turn, _ = self.attitude(data).T
        aside, drift = self._height * np.sin(roll), self._height * np.cos(roll) * fall
        x = data.qvel[self._v] + drift * np.sin(yaw) + aside * turn * np.cos(yaw)
        y = data.qvel[self._v + 1] - drift * np.cos(yaw) + aside * turn * np.sin(yaw)
        return np.column_stack((x, y, turn))

    def attitude(self, data: Any) -> Array:
        """(n, 5): roll (rad, to the right), its rate, yaw, its rate, speed ahead (m/s)."""
        return np.asarray(bicycle_control.attitudes(data.qpos, data.qvel, self.roots, self._v))

    def angle(self, data: Any, joint: str) -> Array:
        """(n,) rad of a joint: ``fork`` (to the left), ``crank``, ``rear``, ``front``, or one of the rider's."""
        angle: Array = data.qpos[self._joint[joint][0]]
        return angle

    def rate(self, data: Any, joint: str) -> Array:
        """(n,) rad/s of a joint."""
        rate: Array = data.qvel[self._joint[joint][1]]
        return rate

    def fallen(self, data: Any) -> BoolArray:
        """(n,): who lies on the ground, or will in a moment."""
        return np.abs(self.attitude(data)[:, 0]) > self._rider.fallen


def tables_of(found: Posture, bicycle: Bicycle) -> Tables:
    """What the control looks up of a posture."""
    leg, push = (np.vstack((values, values[:1])) for values in (found.leg, found.push))
    return Tables(found.reach, found.arm, leg, push, found.hang / max(bicycle.arm_gain, 1e-9), 1.0 / max(bicycle.limb_gain, 1e-9))
