"""Robots that a policy from an ONNX file moves: a network trained elsewhere, from sensor readings and the command to joint angles."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.errors import InputError
from swarm_control.robots.from_file.controller import JointController, Servo, register_controller
from swarm_control.robots.from_file.machine import Machine
from swarm_control.robots.sensors import Readings

TERMS = ("up", "down", "gyro", "command", "joints", "rates", "action")
"""What a policy may be told, by name: the vertical (body frame, 3), its opposite (3), the gyroscope (3), forward and left speed and turn
rate (3), joint angles beyond the posture (J), their speeds (J), its own last action (J)."""


@dataclass(frozen=True)
class PolicyParameters:
    """A policy: its file, what it is told, what its answers mean. It is asked once in each ``period``."""

    file: str = param("", "the ONNX file: one input (robots, numbers), one output (robots, joints)")
    observation: tuple[str, ...] = param(
        ("gyro", "down", "command", "joints", "rates", "action"), "what it is told, in this order", choices=TERMS
    )  # fmt: skip
    scales: tuple[float, ...] = param((), "what each of these is multiplied by; none: 1", low=-1e6, high=1e6)
    joints: tuple[str, ...] = param((), "the joints that it moves, in its order; none: all, in the description's order")
    action_scale: float = param(0.25, "of its answers, which are added to the posture", unit="rad", low=-100.0, high=100.0)
    stiffness: float = param(20.0, "of the servos", unit="N·m/rad", low=0.0, high=1e6)
    damping: float = param(0.5, "of the servos", unit="N·m·s/rad", low=0.0, high=1e6)
    height: float = param(0.0, "of the base above the ground in the posture", unit="m", low=0.0, high=100.0)
    drives_like: str = param("omni", "the robot model that it moves like", choices=("omni", "differential"))


class Policy:
    """``n`` robots that a policy moves. A :class:`~swarm_control.robots.from_file.controller.JointDrive`."""

    track = 0.0
    middle = (0.0, 0.0)

    def __init__(self, machine: Machine, params: PolicyParameters, n: int) -> None:
        self._params, self._n, self.where = params, n, f"{machine.where}.policy"
        names = params.joints or machine.joints
        self._joints = np.array([machine.number(name, "policy.joints") for name in names])
        self.posture, self.height = machine.rest, params.height
        self.servos = tuple(Servo(int(joint), params.stiffness, params.damping) for joint in self._joints)
        if not params.height or not params.stiffness:
            missing = "stiffness" if params.height else "height"
            raise InputError(f"{self.where}.{missing}", "0 found, expected a number above 0")
        if params.scales and len(params.scales) != len(params.observation):
            expected = f"expected {len(params.observation)}, one for each observation"
            raise InputError(f"{self.where}.scales", f"{len(params.scales)} found, {expected}")
        self._session = _session(params.file, self.where)
        self._input = self._session.get_inputs()[0].name
        self.reset()
        self._check()

    def reset(self) -> None:
        """It has not acted yet."""
        self._action = np.zeros((self._n, len(self._joints)))

    def forget(self, row: int) -> None:
        """One robot has not acted yet."""
        self._action[row] = 0.0

    def targets(self, readings: Readings, twist: Array, period: float) -> Array:
        """Angles of the policy's joints (n, len(joints)) for the next ``period`` (s)."""
        self._action = np.asarray(self._session.run(None, {self._input: self.observed(readings, twist)})[0], float)
        return np.asarray(self.posture[self._joints] + self._params.action_scale * self._action)

    def observed(self, readings: Readings, twist: Array) -> Array:
        """What the policy is told (n, numbers), single precision."""
        known = {
            "up": readings.up, "down": -readings.up, "gyro": readings.gyro, "command": twist, "rates": readings.rate[:, self._joints],
            "joints": readings.joint[:, self._joints] - self.posture[self._joints], "action": self._action,
        }  # fmt: skip
        scales = self._params.scales or (1.0,) * len(self._params.observation)
        parts = [scale * known[name] for name, scale in zip(self._params.observation, scales)]
        return np.hstack(parts).astype(np.float32)

    def _check(self) -> None:
        """Ask it once, standing still: a network for another robot is refused before the run."""
        n, count = self._n, len(self.posture)
        still = Readings(np.tile([0.0, 0.0, 1.0], (n, 1)), np.zeros((n, 3)), np.tile(self.posture, (n, 1)), np.zeros((n, count)))
        told = self.observed(still, np.zeros((n, 3)))
        try:
            found = np.asarray(self._session.run(None, {self._input: told})[0])
        except Exception as error:
            said = " ".join(str(error).split())[:160]
            raise InputError(f"{self.where}.file", f"told {told.shape[1]} numbers of each robot: {said}") from None
        if found.shape != (n, len(self._joints)):
            raise InputError(f"{self.where}.file", f"answers of the shape {found.shape} found, expected {(n, len(self._joints))}")
        self.reset()


def _session(file: str, where: str) -> Any:
    """The network, ready to be asked."""
    try:
        import onnxruntime
    except ImportError:
        raise InputError(where, "a policy needs onnxruntime: pip install 'swarm_control[robots]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise InputError(f"{where}.file", f"{file or 'none'}: {' '.join(str(error).split())[:160]}") from None


def moves(params: PolicyParameters) -> str:
    """As it says."""
    return params.drives_like


register_controller(
    JointController(
        name="policy", help="A policy from an ONNX file, trained elsewhere.", params=PolicyParameters, make=Policy, moves=moves,
    )
)  # fmt: skip
