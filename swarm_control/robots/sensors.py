"""What robots that MuJoCo moves know of themselves: attitude, turn rate, joints, contacts and loads, as their own sensors read them.

Low-level control goes by these readings alone. It never sees where the simulator has the robot, nor how fast.
"""

from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from swarm_control.core.compiled import jit
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.parameters import param

DOWN = (0.0, 0.0, -1.0)
"""Where gravity points on level ground."""


@dataclass(frozen=True)
class Sensors:
    """What the robot's own sensors are worth: attitude filter, gyroscope, joint encoders, contact switches, load cells in feet."""

    tilt_noise: float = param(0.005, "standard deviation of the attitude filter's vertical", unit="rad", low=0.0, high=1.0)
    gyro_noise: float = param(0.01, "standard deviation of the gyroscope's readings", unit="rad/s", low=0.0, high=10.0)
    gyro_bias: float = param(0.005, "standard deviation of a gyroscope's bias, which it keeps", unit="rad/s", low=0.0, high=1.0)
    encoder_noise: float = param(0.001, "standard deviation of joint angles", unit="rad", low=0.0, high=1.0)
    rate_noise: float = param(0.05, "standard deviation of joint speeds", unit="rad/s", low=0.0, high=10.0)
    contact_error: float = param(0.001, "share of a contact switch's readings that are wrong", low=0.0, high=0.5)
    load_noise: float = param(0.05, "standard deviation of loads on feet, as a share of them", low=0.0, high=1.0)
    delay: float = param(0.004, "age of what is read", unit="s", low=0.0, high=0.5)


@dataclass(frozen=True)
class Readings:
    """What the sensors of n robots read. Body frame: x forward, y left, z up.

    ``up`` (n, 3): direction of the vertical in the body's frame, from an attitude filter; ``gyro`` (n, 3) rad/s; ``joint`` (n, J) and
    ``rate`` (n, J): angles (rad) and speeds (rad/s) of the joints in the robot's order (m and m/s of those that slide); ``touch`` (n, C):
    which contact switches are pressed, and ``load`` (n, C) in units of the model: what feet bear; None of robots that have none.
    """

    up: Array
    gyro: Array
    joint: Array
    rate: Array
    touch: BoolArray | None = None
    load: Array | None = None


class BodySensors:
    """The sensors of n robots in a world of MuJoCo. ``rng``: of noise and bias; a reset begins its numbers again."""

    def __init__(self, sensors: Sensors, n: int, rng: "np.random.Generator") -> None:
        self._sensors, self._n, self._rng = sensors, n, rng
        self._bias = rng.normal(size=(n, 3)) * sensors.gyro_bias
        self._first = rng.bit_generator.state

    def bind(self, root: IntArray, free: IntArray, angle: IntArray, rate: IntArray, period: float, gravity: Any = DOWN) -> None:
        """Where in ``qpos`` the free joints (n,) and the others (n, J) begin, where in ``qvel``; they are read every ``period`` (s).

        ``gravity`` (3,) of the world, in any unit: attitude filters find the vertical by it.
        """
        self._root, self._free, self._angle, self._rate = root, free, angle, rate
        self._vertical = -np.asarray(gravity, float) / np.linalg.norm(gravity)
        self._age = round(self._sensors.delay / period)

    def reset(self) -> None:
        """Forget what was read."""
        self._rng.bit_generator.state = self._first
        self._heard: list[Readings] = []
        self._begun: Readings | None = None

    def forget(self, row: int) -> None:
        """Forget what was read of one robot, which has been put elsewhere: until it is heard anew, it reads as when it started."""
        for read in self._heard:
            for field in fields(Readings):
                if (numbers := getattr(read, field.name)) is not None:
                    numbers[row] = getattr(self._begun, field.name)[row]

    def read(self, data: Any, touch: BoolArray | None = None, load: Array | None = None) -> Readings:
        """What is read now: as it was a ``delay`` ago, with noise. ``touch`` and ``load`` (n, C): what touches the ground now, how hard."""
        s, n, joints = self._sensors, self._n, self._angle.shape
        noise = self._rng.standard_normal(6 * n + 2 * joints[0] * joints[1])
        up, gyro, joint, rate = np.empty((n, 3)), np.empty((n, 3)), np.empty(joints), np.empty(joints)
        _sensed(data.qpos, data.qvel, self._root, self._free, self._angle, self._rate, self._vertical, self._bias,
                (s.tilt_noise, s.gyro_noise, s.encoder_noise, s.rate_noise), noise, up, gyro, joint, rate)  # fmt: skip
        if touch is not None:
            touch = touch ^ (self._rng.random(touch.shape) < s.contact_error)
        if load is not None:
            load = load * (1.0 + s.load_noise * self._rng.standard_normal(load.shape))
        self._heard.append(Readings(up, gyro, joint, rate, touch, load))
        if self._begun is None:
            self._begun = deepcopy(self._heard[0])
        del self._heard[: -1 - self._age]
        return self._heard[0]


def upwards(qpos: Array, root: IntArray) -> Array:
    """The vertical (n, 3) in the frames of the free bodies whose places begin at ``root`` (n,) in ``qpos``."""
    w, x, y, z = (qpos[root + k] for k in (3, 4, 5, 6))
    return np.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), axis=1)


def _sensed_loop(qpos, qvel, root, free, angle, speed, vertical, bias, sd, noise, up, gyro, joint, rate):  # type: ignore[no-untyped-def]
    """Write what is read: the truth and normal ``noise``, of the standard deviations ``sd``: tilt, gyroscope, angles, speeds."""
    n, joints = angle.shape
    p, q, r = vertical
    for i in range(n):
        w, x, y, z = qpos[root[i] + 3], qpos[root[i] + 4], qpos[root[i] + 5], qpos[root[i] + 6]
        up[i, 0] = p * (1.0 - 2.0 * (y * y + z * z)) + q * (2.0 * (x * y + w * z)) + r * (2.0 * (x * z - w * y))
        up[i, 1] = p * (2.0 * (x * y - w * z)) + q * (1.0 - 2.0 * (x * x + z * z)) + r * (2.0 * (y * z + w * x))
        up[i, 2] = p * (2.0 * (x * z + w * y)) + q * (2.0 * (y * z - w * x)) + r * (1.0 - 2.0 * (x * x + y * y))
        for k in range(3):
            up[i, k] += sd[0] * noise[3 * i + k]
            gyro[i, k] = qvel[free[i] + 3 + k] + bias[i, k] + sd[1] * noise[3 * (n + i) + k]
        for k in range(joints):
            joint[i, k] = qpos[angle[i, k]] + sd[2] * noise[6 * n + joints * i + k]
            rate[i, k] = qvel[speed[i, k]] + sd[3] * noise[6 * n + joints * (n + i) + k]


_sensed = jit(_sensed_loop)
