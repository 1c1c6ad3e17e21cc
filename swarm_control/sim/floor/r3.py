"""The R3 for MuJoCo: two driven wheels, a caster, a lag and a torque limit in the motors, encoders.

A robot is its constants (:class:`R3`), its description (:func:`body`, :func:`contacts`, :func:`motors`), named readings and its control
(:class:`R3s`, all robots of a model at once). The origin of a robot's frame is on the floor below the middle of the axle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray, rotate

SIDES = ("left", "right")
CARD = 0.004
"""What is worn on top of a robot is so thick (m); ``height`` is that of its upper side."""


@dataclass(frozen=True)
class R3:
    """What an R3 is; SI units.

    ``radius`` and ``height`` of its round body, ``wheel_base``; ``mass`` of all of it, its centre ``behind`` the axle and
    ``centre_height`` over the floor; ``caster``: how far behind the axle. ``uneven`` (left, right): what share of ``wheel_radius`` the
    wheels are larger. ``friction`` of the tyres, ``scrub`` (m) of a turning tyre, ``drag``: the caster's friction; ``creep`` (s): time
    constant in which a tyre takes up a difference of speed; the longer, the more it slips under load. ``loss`` (N·m) and ``damping``
    (N·m·s) of each gear. ``lag`` (s) of the motor behind its set speed, ``gain`` (N·m·s) of its speed controller, ``torque`` (N·m) and
    ``top_speed`` (m/s, of the rim) at most; ``rotor`` (kg·m²), its inertia at the wheel. ``ticks`` of an encoder per turn of the wheel.
    """

    radius: float = 0.2
    wheel_base: float = 0.25
    height: float = 0.2
    mass: float = 9.0
    behind: float = 0.03
    centre_height: float = 0.09
    caster: float = 0.15
    caster_radius: float = 0.02
    wheel_radius: float = 0.05
    wheel_width: float = 0.02
    wheel_mass: float = 0.4
    uneven: tuple[float, float] = (0.0, 0.0)
    friction: float = 0.8
    scrub: float = 0.002
    drag: float = 0.02
    creep: float = 0.05
    loss: float = 0.02
    damping: float = 0.002
    lag: float = 0.06
    gain: float = 1.0
    torque: float = 0.5
    top_speed: float = 0.4
    rotor: float = 0.004
    ticks: int = 2048

    @property
    def radii(self) -> tuple[float, float]:
        """Radii of the left and the right wheel, m."""
        return self.wheel_radius * (1.0 + self.uneven[0]), self.wheel_radius * (1.0 + self.uneven[1])


TOLERANCES = {"mass": 0.05, "behind": 0.2, "friction": 0.1, "scrub": 0.2, "loss": 0.3, "damping": 0.3, "lag": 0.1, "gain": 0.1}
"""Standard deviations of what robots of one make differ by, as shares."""
UNEVEN = 0.005
"""The same of the radius of each wheel."""


def built(r3: R3, rng: np.random.Generator) -> R3:
    """An R3 as it comes from the workshop: like ``r3`` within the tolerances, none beyond three standard deviations."""
    share = dict(zip(TOLERANCES, np.clip(rng.normal(size=len(TOLERANCES)), -3.0, 3.0) * list(TOLERANCES.values())))
    left, right = UNEVEN * np.clip(rng.normal(size=2), -3.0, 3.0)
    return replace(r3, uneven=(float(left), float(right)), **{name: getattr(r3, name) * (1.0 + float(s)) for name, s in share.items()})


def body(name: str, pose: Array, r3: R3, marker: str = "") -> str:
    """MJCF of a robot at ``pose`` (3,): x, y (m), yaw (rad), world frame; ``marker``: MJCF of what is on its top, in its frame."""
    low, high = 0.03, r3.height - CARD
    mass = r3.mass - 2.0 * r3.wheel_mass
    flat = mass * (r3.radius**2 / 4.0 + r3.height**2 / 12.0)
    wheels = "".join(
        f"""
        <body name="{name}/{side}" pos="0 {sign * 0.5 * r3.wheel_base:.9g} {radius:.9g}">
          <joint name="{name}/{side}" type="hinge" axis="0 1 0" frictionloss="{r3.loss}" damping="{r3.damping}" armature="{r3.rotor}"/>
          <geom name="{name}/{side}" class="tyre" mass="{r3.wheel_mass}"
                size="{radius:.9g} {0.5 * r3.wheel_width:.9g} {radius:.9g}"/>
        </body>"""
        for side, sign, radius in zip(SIDES, (1.0, -1.0), r3.radii)
    )
    return f"""
      <body name="{name}" pos="{pose[0]:.9g} {pose[1]:.9g} 0" euler="0 0 {pose[2]:.12g}">
        <freejoint name="{name}"/>
        <inertial pos="{-r3.behind} 0 {r3.centre_height}" mass="{mass}" diaginertia="{flat} {flat} {0.5 * mass * r3.radius**2}"/>
        <geom name="{name}/hull" class="hull" pos="0 0 {0.5 * (low + high):.9g}" size="{r3.radius} {0.5 * (high - low):.9g}"/>
        <geom name="{name}/caster" class="caster" pos="{-r3.caster} 0 {r3.caster_radius}" size="{r3.caster_radius}"/>{marker}{wheels}
      </body>"""


def contacts(name: str, r3: R3) -> str:
    """MJCF of a robot's contacts with the floor: tyres that grip, creep and slip, and a caster that slides.

    In MuJoCo's contacts what slides also lifts, by friction times how fast the sliding is to end; so the caster's is to end slowly.
    """
    tyre = f'condim="4" friction="{r3.friction} {r3.friction} {r3.scrub} 0 0" solref="0.005 1" solreffriction="{r3.creep} 1"'
    pairs = [f'<pair geom1="floor" geom2="{name}/{side}" {tyre}/>' for side in SIDES]
    ball = f'condim="3" friction="{r3.drag} {r3.drag} 0 0 0" solref="0.005 1" solreffriction="1 1"'
    return "\n".join([*pairs, f'<pair geom1="floor" geom2="{name}/caster" {ball}/>'])


def motors(name: str, r3: R3) -> str:
    """MJCF of a robot's motors. ``τ = clip(gain·(u − ω))``, ``u`` following the set speed (rad/s) with the time constant ``lag``."""
    top = r3.top_speed / r3.wheel_radius
    return "\n".join(
        f'<general name="{name}/{side}" joint="{name}/{side}" dyntype="filterexact" dynprm="{r3.lag}" gainprm="{r3.gain}" '
        f'biastype="affine" biasprm="0 0 {-r3.gain}" ctrlrange="{-top} {top}" forcerange="{-r3.torque} {r3.torque}"/>'
        for side in SIDES
    )


DEFAULTS = """
    <default class="hull"><geom type="cylinder" contype="1" conaffinity="3" friction="0.3" mass="0" rgba=".12 .13 .15 1"/></default>
    <default class="tyre"><geom type="ellipsoid" contype="0" conaffinity="0" rgba=".05 .05 .05 1"/></default>
    <default class="caster"><geom type="sphere" contype="0" conaffinity="0" mass="0" rgba=".5 .5 .5 1"/></default>"""
"""MJCF of what all robots share. Hulls meet hulls (1) and walls (2); tyres and casters meet the floor by :func:`contacts` alone."""


class R3s:
    """The robots of a model, ``names`` (N,), as they were built: readings and control. ``hull`` (N,): the geoms of their bodies."""

    def __init__(self, model: Any, names: Sequence[str], r3s: Sequence[R3]) -> None:
        bodies = [model.joint(name) for name in names]
        wheels = [[model.joint(f"{name}/{side}") for side in SIDES] for name in names]
        self._q = np.array([joint.qposadr[0] for joint in bodies])
        self._v = np.array([joint.dofadr[0] for joint in bodies])
        self._wheel_q = np.array([[joint.qposadr[0] for joint in pair] for pair in wheels])
        self._wheel_v = np.array([[joint.dofadr[0] for joint in pair] for pair in wheels])
        self._motor = np.array([[model.actuator(f"{name}/{side}").id for side in SIDES] for name in names])
        self._radii, self._arm = np.array([r3.radii for r3 in r3s]), np.array([[-0.5, 0.5]]) * [[r3.wheel_base] for r3 in r3s]
        self._per_radian = np.array([[r3.ticks / (2.0 * np.pi)] for r3 in r3s])
        self.hull: IntArray = np.array([model.geom(f"{name}/hull").id for name in names])

    def pose(self, data: Any) -> Array:
        """(N, 3): x, y (m), yaw (rad), world frame."""
        q = data.qpos
        w, x, y, z = (q[self._q + k] for k in (3, 4, 5, 6))
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return np.column_stack((q[self._q], q[self._q + 1], yaw))

    def velocity(self, data: Any) -> Array:
        """(N, 3): vx, vy (m/s) of the middle of the axle, ω (rad/s), world frame; tilt is neglected."""
        v = data.qvel
        return np.column_stack((v[self._v], v[self._v + 1], v[self._v + 5]))

    def wheel_angle(self, data: Any) -> Array:
        """(N, 2) rad, left and right, since the start."""
        angle: Array = data.qpos[self._wheel_q]
        return angle

    def wheel_rate(self, data: Any) -> Array:
        """(N, 2) rad/s, left and right."""
        rate: Array = data.qvel[self._wheel_v]
        return rate

    def torque(self, data: Any) -> Array:
        """(N, 2) N·m that the motors give, left and right."""
        found: Array = data.actuator_force[self._motor]
        return found

    def slip(self, data: Any) -> Array:
        """(N, 2) m/s by which each rim is faster than the floor under it, along the heading."""
        velocity, yaw = self.velocity(data), self.pose(data)[:, 2]
        ahead = rotate(velocity[:, :2], -yaw)[:, :1]
        return self.wheel_rate(data) * self._radii - ahead - velocity[:, 2:] * self._arm

    def ticks(self, data: Any) -> IntArray:
        """(N, 2) whole ticks of the encoders, left and right, since the start."""
        return np.floor(self.wheel_angle(data) * self._per_radian).astype(np.int64)

    def drive(self, data: Any, rate: Array) -> None:
        """Set the wheels' rates (N, 2), rad/s, left and right; MuJoCo bounds them by the motors' top speed."""
        data.ctrl[self._motor] = rate

    def drive_one(self, data: Any, robot: int, rate: tuple[float, float]) -> None:
        """Set the rates of one robot's wheels."""
        data.ctrl[self._motor[robot]] = rate
