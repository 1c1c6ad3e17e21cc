"""How the rider sits: angles of arms by the angle of the fork, of legs by that of the crank, and what pushing a pedal takes.

Brogan & Hodgins compute these by inverse kinematics on every step; here they are tables, made once for all riders of one make.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.robots.bicycle.body import ARM, LEG, SIDES, TRUNK, flip
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.look import wheels
from swarm_control.robots.bicycle.mjcf import DEFAULTS, Looks, Writer
from swarm_control.robots.bicycle.rider import rider

LEAN = (0.45, 0.35, -0.65)
"""Angles of saddle, waist and neck, rad: the pelvis and the back lean forward, the head looks ahead."""
AT_EASE = {"shoulder_y": -0.9, "shoulder_x": 0.25, "shoulder_z": -0.2, "elbow": -0.5, "wrist_y": -0.1, "wrist_x": 0.0}
"""Angles of the left arm, rad, that it stays near where the hand's place leaves a choice."""
SWIVEL, TILT, SWAY = 0.05, 0.3, 5.0
"""How much these angles, the foot's tilt and keeping the thigh upright count against 1 cm of the hand's or foot's place."""
TURNS, STEERS = 72, 41
"""Entries of the tables."""


@dataclass(frozen=True)
class Posture:
    """A posture; angles in rad, of the left side; on the right x and z angles change sign.

    ``trunk`` (3,); ``arm`` (STEERS, 6) at fork angles from −``reach`` to ``reach``; ``hang`` (4,) N m that hold shoulder and elbow against
    gravity; ``leg`` (TURNS, 4) at crank angles from 0; ``push`` (TURNS, 3) N m at hip, knee and ankle per N at the pedal along its way.
    ``rest``: of the springs, by joint.
    """

    reach: float
    trunk: Array
    arm: Array
    hang: Array
    leg: Array
    push: Array
    rest: Mapping[str, float]


@lru_cache(maxsize=8)
def posture(bicycle: Bicycle) -> Posture:
    """Find the posture of a rider on ``bicycle``."""
    return Model(bicycle).posture()


def tilt(crank: float) -> float:
    """How far the toes point down at a crank angle (rad): about as in the pedalling of cyclists that Cavanagh & Sanderson recorded."""
    return float(np.deg2rad(18.0 - 12.0 * np.sin(crank)))


class Model:
    """A single rider that is put into postures."""

    def __init__(self, bicycle: Bicycle, looks: Looks = Looks()) -> None:  # noqa: B008 - never changed
        import mujoco

        self._mujoco, self.bicycle = mujoco, replace(bicycle, rider="articulated")
        writer = Writer("r", self.bicycle, looks)
        parts = writer.parts(np.zeros(3), writer.frame(), rider(writer))
        self.model: Any = mujoco.MjModel.from_xml_string(
            f"<mujoco><compiler angle='radian' autolimits='true'/><default>{DEFAULTS}</default>"
            f"<asset>{wheels(bicycle.wheel_radius)}</asset>"
            f"<worldbody>{parts.bodies}</worldbody></mujoco>"
        )
        self.data: Any = mujoco.MjData(self.model)
        self._q = {self.model.joint(k).name.removeprefix("r/"): int(self.model.jnt_qposadr[k]) for k in range(self.model.njnt)}
        self.data.qpos[[self._q[name] for name in TRUNK]] = LEAN

    def posture(self) -> Posture:
        """All tables; leaves the model at fork and crank angle zero."""
        reach, trunk = self.bicycle.fork_limit, np.array(LEAN)
        arm = self._arms(np.linspace(-reach, reach, STEERS))
        leg, push = self._legs(np.linspace(0.0, 2.0 * np.pi, TURNS, endpoint=False))
        self.sit(arm[STEERS // 2], leg)
        rest, hang = self._springs(arm[STEERS // 2])
        return Posture(reach, trunk, arm, hang, leg, push, rest)

    def sit(self, arm: Array, leg: Array) -> None:
        """Put the rider on the bicycle: ``arm`` (6,) rad with the fork straight, ``leg`` (TURNS, 4) rad with the left pedal up."""
        for half, (side, sign) in enumerate(SIDES):
            self._set(ARM, side, arm * [flip(name, sign) for name in ARM])
            self._set(LEG, side, leg[half * TURNS // 2] * [flip(name, sign) for name in LEG])
        self._mujoco.mj_forward(self.model, self.data)

    def _set(self, joints: Sequence[str], side: str, angles: Array) -> None:
        self.data.qpos[[self._q[f"{name}_{side}"] for name in joints]] = angles

    def _off(self, a: str, b: str) -> Array:
        """From one site to another, in cm."""
        self._mujoco.mj_kinematics(self.model, self.data)
        return 100.0 * (self.data.site(f"r/{a}_left").xpos - self.data.site(f"r/{b}_left").xpos)

    def _arms(self, forks: Array) -> Array:
        """Angles of the left arm with its hand on the grip."""
        ease, found = np.array([AT_EASE[name] for name in ARM]), np.empty((len(forks), 6))

        def residual(angles: Array) -> Array:
            self._set(ARM, "left", angles)
            return np.concatenate((self._off("palm", "grip"), SWIVEL * (angles - ease)))

        for k in _from_middle(len(forks)):
            self.data.qpos[self._q["fork"]] = forks[k]
            near = k + (1 if k < len(forks) // 2 else -1)
            found[k] = _solved(residual, ease if k == len(forks) // 2 else found[near])
        self.data.qpos[self._q["fork"]] = 0.0
        return found

    def _legs(self, cranks: Array) -> tuple[Array, Array]:
        """Angles of the left leg with its foot on the pedal, and its torques per force along the pedal's way."""
        at, found, push = np.array([-1.4, 0.0, 1.5, 0.0]), np.empty((len(cranks), 4)), np.empty((len(cranks), 3))

        def residual(angles: Array) -> Array:
            self._set(LEG, "left", angles)
            toes = LEAN[0] + angles[0] + angles[2] + angles[3] - tilt(self.data.qpos[self._q["crank"]])
            return np.concatenate((self._off("sole", "pedal"), (TILT * toes, SWAY * angles[1])))

        for k, crank in enumerate(cranks):
            self.data.qpos[self._q["crank"]] = crank
            at = found[k] = _solved(residual, at)
            way = np.array([np.cos(crank), 0.0, -np.sin(crank)])
            push[k] = way @ self._jacobian("sole_left", [f"{name}_left" for name in ("hip_y", "knee", "ankle")])
        self.data.qpos[self._q["crank"]] = 0.0
        return found, push

    def _jacobian(self, site: str, joints: Sequence[str]) -> Array:
        """How a site (3,) moves with joints."""
        self._mujoco.mj_kinematics(self.model, self.data)
        self._mujoco.mj_comPos(self.model, self.data)
        full = np.zeros((3, self.model.nv))
        self._mujoco.mj_jacSite(self.model, self.data, full, None, self.model.site(f"r/{site}").id)
        columns: Array = full[:, [self.model.joint(f"r/{name}").dofadr[0] for name in joints]]
        return columns

    def _springs(self, arm: Array) -> tuple[dict[str, float], Array]:
        """Angles of rest with which springs carry the rider in this posture, legs resting on the pedals; and the arms' torques."""
        load = {name: float(self.data.qfrc_bias[self.model.joint(f"r/{name}").dofadr[0]]) for name in self._q if name != "r"}
        legs = [self.model.body(f"r/{part}_{side}").id for part in ("upper_leg", "lower_leg", "foot") for side in ("left", "right")]
        ahead = self.data.xipos[legs, 0] - self.data.body("r/pelvis").xpos[0]
        load["saddle"] += 9.81 * float(self.model.body_mass[legs] @ ahead)
        b, rest = self.bicycle, {}
        for name in TRUNK:
            rest[name] = float(self.data.qpos[self._q[name]]) + load[name] / max(b.body_gain, 1e-9)
        for k, name in ((4, "wrist_y"), (5, "wrist_x")):
            held = arm[k] + load[f"{name}_left"] / max(b.limb_gain, 1e-9)
            rest[f"{name}_left"], rest[f"{name}_right"] = float(held), float(held if k == 4 else -held)
        return rest, np.array([load[f"{name}_left"] for name in ARM[:4]])


def _from_middle(count: int) -> list[int]:
    middle = count // 2
    return [*range(middle, count), *range(middle - 1, -1, -1)]


def _solved(residual: Any, guess: Array) -> Array:
    """The angles that make the residual least."""
    from scipy.optimize import least_squares

    return np.asarray(least_squares(residual, guess, method="lm", xtol=1e-12, ftol=1e-12).x)
