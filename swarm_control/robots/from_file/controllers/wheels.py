"""Robots on two driven wheels, or on two rows of them: each side's wheels turn at ``v ∓ ω·track/2`` over their radius."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.parameters import param
from swarm_control.errors import InputError
from swarm_control.robots.from_file.controller import JointController, Servo, register_controller
from swarm_control.robots.from_file.machine import Machine
from swarm_control.robots.sensors import Readings

SKID = 20.0
"""So many times the turn rate may be added to that of rows of wheels, which skid sideways as they turn; of two wheels, once."""
SLACK = 1e-3
"""Turn rates below this are to go straight, rad/s."""


@dataclass(frozen=True)
class WheelsParameters:
    """Two wheels, or two rows; castors swing freely, and what else has a motor keeps its posture."""

    left: tuple[str, ...] = param((), "joints of the wheels on the left")
    right: tuple[str, ...] = param((), "joints of the wheels on the right")
    radius: float = param(0.0, "of the wheels; 0: as described", unit="m", low=0.0, high=10.0)
    track: float = param(0.0, "distance between left and right wheels; 0: as described", unit="m", low=0.0, high=100.0)
    gain: float = param(2.0, "of the wheels' motors: weights times radius for 1 m/s", low=0.01, high=1000.0)
    hold: float = param(1.0, "of the other motors: weights times a metre for 1 rad", low=0.0, high=1000.0)
    integral: float = param(3.0, "how fast a lasting error of the turn rate is made up for", unit="1/s", low=0.0, high=100.0)
    acceleration: float = param(1.0, "most that the speed of a command changes", unit="m/s²", low=0.01, high=100.0)
    turning: float = param(3.0, "most that the turn rate of a command changes", unit="rad/s²", low=0.01, high=100.0)


class WheelRows:
    """Two rows of wheels, for n robots. A :class:`~swarm_control.robots.from_file.controller.JointDrive`."""

    def __init__(self, machine: Machine, params: WheelsParameters, n: int) -> None:
        self._params, self._n, joints = params, n, len(machine.joints)
        left, right = (_numbers(machine, names, side) for names, side in ((params.left, "left"), (params.right, "right")))
        driven: IntArray = np.array([*left, *right])
        place = np.array([_hub(machine, joint) for joint in driven])
        self._radius = params.radius or float(np.mean([_radius(machine, joint) for joint in driven]))
        self.track = params.track or float(place[: len(left), 1].mean() - place[len(left) :, 1].mean())
        if self.track <= 0.0:
            raise InputError(f"{machine.where}.wheels", "the left wheels are on the right, or all in the middle: left and right swapped?")
        self.middle = float(place[:, 0].mean()), float(0.5 * (place[: len(left), 1].mean() + place[len(left) :, 1].mean()))
        self._side = np.array([-0.5] * len(left) + [0.5] * len(right))
        self._sense = np.array([_sense(machine, joint) for joint in driven])
        self.posture = machine.rest
        self.height = self._radius - float(place[:, 2].mean())
        weight = machine.mass * 9.81
        held = [k for k in range(joints) if k not in driven and np.isfinite(machine.low[k])]
        self._held = np.array(held, np.int64)
        gain = params.gain * weight * self._radius**2
        servos = [Servo(int(joint), 0.0, gain) for joint in driven]
        self.servos = (*servos, *(Servo(k, params.hold * weight, 0.1 * params.hold * weight) for k in held))
        self._skid = SKID if len(driven) > 2 else 1.0
        machine.polish(driven)
        self.reset()

    def reset(self) -> None:
        """All stand."""
        self._told, self._lasting = np.zeros((self._n, 3)), np.zeros(self._n)

    def forget(self, row: int) -> None:
        """One robot stands."""
        self._told[row], self._lasting[row] = 0.0, 0.0

    def targets(self, readings: Readings, twist: Array, period: float) -> Array:
        """Speeds of the wheels, rad/s, then angles of what keeps its posture (n, servos)."""
        most = period * np.array([self._params.acceleration, 0.0, self._params.turning])
        self._told += np.clip(twist - self._told, -most, most)
        rate = self._told[:, 2]
        turning = (readings.up * readings.gyro).sum(axis=1)
        most = self._skid * np.abs(rate) + SLACK
        self._lasting = np.clip(self._lasting + self._params.integral * period * (rate - turning), -most, most) * (np.abs(rate) > SLACK)
        rim = self._told[:, :1] + (rate + self._lasting)[:, None] * self.track * self._side
        return np.hstack((self._sense * rim / self._radius, np.tile(self.posture[self._held], (self._n, 1))))


def _numbers(machine: Machine, names: tuple[str, ...], side: str) -> list[int]:
    """Which joints are those of the wheels on a ``side``."""
    if not names:
        raise InputError(f"{machine.where}.wheels.{side}", f"none found, expected joints among {', '.join(machine.joints)}")
    return [machine.number(name, f"wheels.{side}") for name in names]


def _hub(machine: Machine, joint: int) -> Array:
    """Where a wheel's axle is (3,), in the base's frame, m."""
    return _pose(machine, joint)[0]


def _sense(machine: Machine, joint: int) -> float:
    """1 where a wheel that turns forward goes forward: its axle points to the left."""
    return float(np.sign(_pose(machine, joint)[1][1])) or 1.0


def _pose(machine: Machine, joint: int) -> tuple[Array, Array]:
    """Place and direction (3,) of a joint's axis in the base's frame, all joints at zero."""
    import mujoco

    data = mujoco.MjData(machine.model)
    mujoco.mj_kinematics(machine.model, data)
    base = machine.model.body(machine.base).id
    turn = data.xmat[base].reshape(3, 3).T
    number = int(np.flatnonzero(machine.model.jnt_bodyid == machine.body_of(joint))[0])
    return turn @ (data.xanchor[number] - data.xpos[base]), turn @ data.xaxis[number]


def _radius(machine: Machine, joint: int) -> float:
    """How large a wheel is, by what of it collides, m."""
    import mujoco

    shapes = machine.shapes(machine.body_of(joint))
    if not shapes:
        raise InputError(f"{machine.where}.wheels.radius", f"nothing of {machine.joints[joint]} collides; expected a number")
    sizes = {mujoco.mjtGeom.mjGEOM_MESH: lambda k: float(np.max(machine.model.geom_aabb[k, 3:]))}
    return max(sizes.get(int(machine.model.geom_type[k]), lambda k: float(machine.model.geom_size[k, 0]))(k) for k in shapes)


def moves(params: Any) -> str:
    """As a differential drive."""
    return "differential"


register_controller(
    JointController(
        name="wheels", help="Two driven wheels, or two rows of them, as a differential drive.", params=WheelsParameters, make=WheelRows,
        moves=moves,
    )
)  # fmt: skip
