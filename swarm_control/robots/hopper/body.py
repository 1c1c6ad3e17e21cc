"""A one-legged robot for MuJoCo: body, hip with three hinges, telescoping leg on a spring. Brogan & Hodgins, Tables 1 and 2; SI units.

The body's frame is at the hip, where its centre of mass is: x forward, z up. The leg hangs from the hip along −z.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from swarm_control.core.geometry import Array
from swarm_control.robots.hopper.body_parameters import Hopper
from swarm_control.robots.mujoco import Parts

JOINTS = ("roll", "pitch", "yaw", "leg")
"""Of each robot, from the body to the foot; ``leg`` is its extension, m, the others are angles."""


@dataclass(frozen=True)
class BodySegment:
    """A rigid body: ``mass`` (kg), ``inertia`` (x, y, z; kg·m²) about its centre of mass, which is ``drop`` (m) below its joint."""

    mass: float
    inertia: tuple[float, float, float]
    drop: float

    def mjcf(self) -> str:
        """The element ``inertial``."""
        return f'<inertial pos="0 0 {-self.drop}" mass="{self.mass}" diaginertia="{" ".join(map(str, self.inertia))}"/>'


BODY = BodySegment(23.1, (0.9, 0.9, 0.602), 0.0)
UPPER = BodySegment(1.4, (0.018463, 0.017297, 0.001441), 0.095)
LOWER = BodySegment(0.64, (0.0197, 0.0197, 0.000176), 0.221)
MASS = BODY.mass + UPPER.mass + LOWER.mass
KNEE = 0.19
"""From the hip to the leg's slide, m: the upper leg's distances to its proximal and distal joints."""
FOOT = 0.03
"""Radius of the foot, m."""
LENGTH = 0.715
"""From the hip to the foot's centre, m. The paper is silent: a uniform rod of the lower leg's mass, inertia and centre ends there."""
TRUNK = 0.16
"""Radius of the part of the body that meets the ground when it falls, m."""
HULL = 0.15
"""Half the height of the hull's straight part, m: hulls meet as circles while one is less than twice that above the other."""

DEFAULTS = f"""
    <default class="hopper"><geom contype="0" conaffinity="0" mass="0"/>
      <default class="hopper/hull"><geom type="capsule" contype="1" conaffinity="2" condim="1" group="3" rgba=".3 .6 .9 .15"/></default>
      <default class="hopper/trunk"><geom type="sphere" size="{TRUNK}" contype="4" condim="3" group="3" rgba="0 0 0 0"/></default>
      <default class="hopper/foot"><geom type="sphere" size="{FOOT}" contype="4" condim="4" rgba=".12 .12 .12 1"/></default>
      <default class="hopper/shell"><geom type="ellipsoid" rgba=".93 .55 .18 1"/></default>
      <default class="hopper/steel"><geom type="capsule" rgba=".72 .74 .78 1"/></default>
      <default class="hopper/dark"><geom type="capsule" rgba=".2 .24 .3 1"/></default>
    </default>"""


def parts(names: Sequence[str], radius: Array, hopper: Hopper, friction: float) -> Parts:
    """MJCF of the robots ``names`` with footprints of ``radius`` (n,) m, on ground of this ``friction``."""
    bodies = "".join(_body(name, float(r), hopper, friction) for name, r in zip(names, radius))
    motors = "".join(f'<motor name="{name}/{joint}" joint="{name}/{joint}"/>' for name in names for joint in JOINTS)
    return Parts(bodies=bodies, defaults=DEFAULTS, actuators=motors)


def _body(name: str, radius: float, hopper: Hopper, friction: float) -> str:
    """MJCF of a robot. A foot on a patch of radius a resists turning with ⅔·μ·a per load."""
    cling = 2.0 / 3.0 * friction * hopper.sole
    free = 'damping="0" stiffness="0" frictionloss="0" armature="0"'
    hips = "".join(
        f'<joint name="{name}/{joint}" type="hinge" axis="{axis}" limited="{limited}" range="-1.3 1.3" {fixed}/>'
        for joint, axis, limited, fixed in (
            ("roll", "1 0 0", "true", free), ("pitch", "0 1 0", "true", free),
            ("yaw", "0 0 1", "false", free.replace('armature="0"', f'armature="{hopper.rotor}"')),
        )
    )  # fmt: skip
    return f"""
      <body name="{name}" pos="0 0 1" childclass="hopper">
        <freejoint name="{name}"/>
        {BODY.mjcf()}
        <geom name="{name}/hull" class="hopper/hull" size="{radius:.9g} {HULL}"/>
        <geom name="{name}/trunk" class="hopper/trunk"/>
        <geom class="hopper/shell" size=".2 .15 .09" pos="0 0 .05"/>
        <geom class="hopper/dark" type="box" size=".05 .09 .03" pos=".14 0 .09"/>
        <geom class="hopper/dark" type="cylinder" size=".06 .05" zaxis="0 1 0"/>
        <body name="{name}/upper">
          {hips}
          {UPPER.mjcf()}
          <geom class="hopper/steel" fromto="0 0 -.02 0 0 {-KNEE - 0.1}" size=".035"/>
          <body name="{name}/lower" pos="0 0 {-KNEE}">
            <joint name="{name}/leg" type="slide" axis="0 0 -1" limited="true" range="-.3 .15" stiffness="{hopper.spring}"
                   damping="{hopper.damping}" frictionloss="0" armature="0"/>
            {LOWER.mjcf()}
            <geom class="hopper/dark" fromto="0 0 {KNEE - 0.13} 0 0 {KNEE - LENGTH}" size=".018"/>
            <geom name="{name}/foot" class="hopper/foot" pos="0 0 {KNEE - LENGTH}" friction="0 {cling:.9g} .0001"/>
          </body>
        </body>
      </body>"""
