"""Legged robots whose feet go in two sets by turns: a trot on four legs, a tripod on six.

After Raibert (1986, Legged Robots That Balance, chapters 2 and 4): feet on the ground are carried backwards under the body at the
commanded speed; a foot in the air goes to where it will be under the hip in the middle of the next stance, and further out by how much
the body is faster than it was told. Speed is taken from the legs: the mean of what feet on the ground do backwards (leg odometry).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.parameters import param
from swarm_control.errors import InputError
from swarm_control.robots.from_file.controller import JointController, Servo, register_controller
from swarm_control.robots.from_file.legs import LegChains, around, level_frames, limited, turns
from swarm_control.robots.from_file.machine import Limb, Machine
from swarm_control.robots.sensors import Readings

GRAVITY = 9.81
QUICK = 25.0
"""Servos whose rotors are heavy are so stiff that they answer within the cycle over this."""
RISE = 0.03
"""Time in which a foot on the ground comes to the height that it shall have, s."""
BENT = (0.0, 0.6, -1.2, 0.0)
"""How legs may be bent to begin the search for a stance, rad."""
FIRM = 0.3
"""Feet are firm on the ground from 0.5 − this to 0.5 + this of their time there: speed is taken from these alone."""
SLOWEST = 1e-3
"""Commands below this, m/s and rad/s, are to stand."""


@dataclass(frozen=True)
class TrotParameters:
    """Trot, by leg lengths and weights, so that it fits robots of any size."""

    feet: tuple[str, ...] = param((), "last bodies of the legs; none: all chains of two to four joints")
    height: float = param(0.75, "height of the hips", unit="leg lengths", low=0.2, high=1.0)
    cycle: float = param(1.8, "duration of a cycle", unit="√(height/g)", low=0.3, high=20.0)
    duty: float = param(0.5, "share of the cycle that a foot is on the ground", low=0.3, high=0.9)
    lift: float = param(0.15, "how high feet are lifted", unit="leg lengths", low=0.0, high=1.0)
    stride: float = param(0.5, "longest way of a foot on the ground", unit="leg lengths", low=0.05, high=2.0)
    stiffness: float = param(3.0, "of the joints: weights times leg length for 1 rad", low=0.1, high=100.0)
    damping: float = param(0.03, "of the joints: share of the stiffness", unit="s", low=0.0, high=1.0)
    catch: float = param(0.3, "how much further out feet go for what the body is too fast", unit="√(height/g)", low=0.0, high=3.0)
    integral: float = param(1.0, "how fast a lasting error of speed is made up for", unit="1/s", low=0.0, high=20.0)
    acceleration: float = param(1.0, "most that the speed of a command changes", unit="m/s²", low=0.01, high=100.0)
    turning: float = param(2.0, "most that the turn rate of a command changes", unit="rad/s²", low=0.01, high=100.0)


class Trot:
    """Feet in two sets by turns, for n robots. A :class:`~swarm_control.robots.from_file.controller.JointDrive`."""

    track = 0.0
    middle = (0.0, 0.0)

    def __init__(self, machine: Machine, params: TrotParameters, n: int) -> None:
        limbs = _chosen(machine, params.feet)
        self._params, self._legs = params, LegChains(limbs, machine.low, machine.high)
        reach = float(np.mean([limb.reach for limb in limbs]))
        middle = np.where(np.isfinite(machine.low), 0.5 * (np.maximum(machine.low, -9.0) + np.minimum(machine.high, 9.0)), 0.0)
        middle[list(machine.posed)] = list(machine.posed.values())
        start, (under, hips) = self._legs.of(middle[None]), self._under(self._legs.of(middle[None]))
        self._home = np.column_stack((under, np.full(len(limbs), hips - params.height * reach)))
        bent = [start + bend * np.array(BENT)[: start.shape[2]] for bend in (0.0, 1.0, -1.0)]  # straight legs know no way to bend
        angles = [self._legs.angles(one, self._home[None], steps=200) for one in bent]
        offs = [float(np.linalg.norm(self._legs.feet(one)[0][0] - self._home, axis=1).max()) for one in angles]
        chosen = next((k for k, off in enumerate(offs) if off < 0.02 * reach), int(np.argmin(offs)))
        angle, off = angles[chosen], offs[chosen]
        if off > 0.1 * reach:
            said = f"{params.height:g} found: feet stay {off:.2g} m away; expected a height, or a posture, in which legs can stand"
            raise InputError(f"{machine.where}.trot.height", said)
        self._stand, self._reach = angle[0], reach
        self.posture = machine.rest.copy()
        self.posture[self._legs.joints[self._legs.joints >= 0]] = angle[0][self._legs.joints >= 0]
        self._thick = np.array([limb.thick for limb in limbs])
        self.height = float((self._thick - self._home[:, 2]).mean())
        self._turn = turns(self._home)
        natural = np.sqrt(params.height * reach / GRAVITY)
        stiff = np.maximum(params.stiffness * machine.mass * GRAVITY * reach, machine.rotors * (QUICK / (params.cycle * natural)) ** 2)
        self.servos = tuple(Servo(joint, float(own), params.damping * float(own)) for joint, own in enumerate(stiff))
        self._cycle, self._catch = params.cycle * natural, params.catch * natural
        self._n = n
        self.reset()

    def reset(self) -> None:
        """All stand."""
        n, count = self._n, len(self._home)
        self._angle = np.tile(self._stand, (n, 1, 1))
        self._foot, self._left = np.tile(self._home, (n, 1, 1)), np.tile(self._home, (n, 1, 1))
        self._phase, self._walks = np.zeros(n), np.zeros(n, bool)
        self._told, self._speed, self._lasting = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        self._down: BoolArray = np.ones((n, count), bool)
        self._firm = self._down.copy()

    def forget(self, row: int) -> None:
        """One robot stands."""
        self._angle[row], self._foot[row], self._left[row] = self._stand, self._home, self._home
        self._phase[row], self._walks[row], self._down[row], self._firm[row] = 0.0, False, True, True
        self._told[row], self._speed[row], self._lasting[row] = 0.0, 0.0, 0.0

    def targets(self, readings: Readings, twist: Array, period: float) -> Array:
        """Angles (n, J) of all joints for the next ``period`` (s)."""
        p = self._params
        most = period * np.array([p.acceleration, p.acceleration, p.turning])
        self._told += np.clip(twist - self._told, -most, most)
        level = level_frames(readings.up)
        self._odometry(readings, level, period)
        shares = self._beat(twist, period)
        self._step(shares, self._told + self._lasting, level, period)
        result = np.tile(self.posture, (self._n, 1))
        result[:, self._legs.joints[self._legs.joints >= 0]] = self._angle[:, self._legs.joints >= 0]
        return result

    def _odometry(self, readings: Readings, level: Array, period: float) -> None:
        """The body's speed and turn rate (n, 3), level frame: what firm feet do backwards, the gyroscope; and what lasts of errors."""
        below = -self._thick[:, None] * readings.up[:, None]  # where round feet touch: they roll
        foot, jacobian, _ = self._legs.feet(self._legs.of(readings.joint), below)
        moves = (jacobian @ self._legs.of(readings.rate)[..., None])[..., 0] + np.cross(readings.gyro[:, None], foot)
        count = self._firm.sum(axis=1)[:, None]
        body = -(moves * self._firm[..., None]).sum(axis=1) / np.maximum(count, 1)
        found = (level @ np.where(count > 0, body, 0.0)[..., None])[..., 0]
        found[:, :2] += np.where(count > 0, 0.0, self._speed[:, :2])
        found[:, 2] = (level[:, 2] * readings.gyro).sum(axis=1)
        self._speed += (found - self._speed) * -np.expm1(-period / (0.25 * self._cycle))
        change = self._params.integral * period * (self._told - self._speed)
        most = 0.5 * np.sqrt(GRAVITY * self._reach) / np.array([1.0, 1.0, self._reach])
        self._lasting = np.clip(self._lasting + change, -most, most) * self._walks[:, None]

    def _beat(self, twist: Array, period: float) -> Array:
        """Where each leg is in its cycle (n, L), 0 to 1. Who is told to stand does so at the end of a cycle, all feet on the ground."""
        told = np.maximum(np.abs(twist), np.abs(self._told)).max(axis=1) > SLOWEST
        phase = self._phase + period / self._cycle * self._walks
        over = phase >= 1.0
        self._walks = np.where(over | ~self._walks, told, self._walks)
        self._phase = np.where(self._walks, phase % 1.0, 0.0)
        return np.asarray((self._phase[:, None] + self._turn) % 1.0)

    def _step(self, share: Array, moving: Array, level: Array, period: float) -> None:
        """Carry feet that are down, swing the others."""
        p, home = self._params, self._home
        self._down = (share < p.duty) | ~self._walks[:, None]
        self._firm = (np.abs(share / p.duty - 0.5) < FIRM) | ~self._walks[:, None]
        rate = moving[:, 2]
        longest = p.stride * self._reach / (p.duty * self._cycle)
        carried = limited(moving[:, None, :2] + around(rate, self._foot), longest)
        foot = self._foot.copy()
        foot[..., :2] -= period * carried
        foot[..., 2] += (home[:, 2] - foot[..., 2]) * min(period / RISE, 1.0)
        part = np.clip((share - p.duty) / (1.0 - p.duty), 0.0, 1.0)
        ahead = 0.5 * p.duty * self._cycle * limited(moving[:, None, :2] + around(rate, home[None]), longest)
        out = self._catch * (self._speed - self._told)[:, :2]
        land = home + np.concatenate((ahead + out[:, None], np.zeros((*ahead.shape[:2], 1))), axis=2)
        smooth = part * part * (3.0 - 2.0 * part)
        swung = self._left + (land - self._left) * smooth[..., None]
        swung[..., 2] = home[:, 2] + p.lift * self._reach * np.sin(np.pi * part) ** 2
        self._left = np.where(self._down[..., None], foot, self._left)
        self._foot = np.where(self._down[..., None], foot, swung)
        flat = (level.swapaxes(-1, -2)[:, None] @ swung[..., None])[..., 0]
        self._angle = self._legs.angles(self._angle, np.where(self._down[..., None], foot, flat))

    def _under(self, angle: Array) -> tuple[Array, float]:
        """Where feet stand (L, 2): below the second joint of each leg where it has three, as far out as the leg is; the hips' height."""
        foot, _, places = self._legs.feet(angle)
        three = (self._legs.joints >= 0).sum(axis=1) > 2
        second = places[0, :, min(1, places.shape[2] - 1)]
        under = np.column_stack((np.where(three, second[:, 0], foot[0, :, 0]), foot[0, :, 1]))
        return under, float(second[:, 2].mean())


def _chosen(machine: Machine, feet: tuple[str, ...]) -> list[Limb]:
    """The legs, by the names of their last bodies, or all chains of two to four joints."""
    limbs = [limb for limb in machine.limbs() if 2 <= len(limb.joints) <= 4]
    names = ", ".join(limb.name for limb in limbs) or "none"
    if feet:
        limbs = [limb for limb in limbs if limb.name in feet]
    if len(limbs) not in (4, 6, 8) or (feet and len(limbs) != len(feet)):
        found = ", ".join(feet) or names
        raise InputError(f"{machine.where}.trot.feet", f"{found} found, expected 4, 6 or 8 legs of 2 to 4 joints among {names}")
    return limbs


def moves(params: Any) -> str:
    """In any direction, as an omnidirectional robot."""
    return "omni"


register_controller(
    JointController(
        name="trot", help="Legs that go in two sets by turns: a trot on four, a tripod on six.", params=TrotParameters, make=Trot,
        moves=moves,
    )
)  # fmt: skip
