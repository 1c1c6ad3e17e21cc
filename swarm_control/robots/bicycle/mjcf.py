"""MJCF of a bicycle: bodies, joints, springs that tie it to its rider, motors of both."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.robots.bicycle import body as body
from swarm_control.robots.bicycle.body import ARM, SIDES, Vector, layout, numbers
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.look import COLOURS, DARK, METAL, blob, tube
from swarm_control.robots.mujoco import Parts


@dataclass(frozen=True)
class Looks:
    """What one bicyclist is besides its parameters: ``phase`` (rad) of its crank at the start, colours of ``jersey`` and ``paint``,
    angles of ``rest`` (rad) of the springs in its joints.
    """

    phase: float = 0.0
    jersey: str = COLOURS[0]
    paint: str = COLOURS[1]
    rest: Mapping[str, float] = field(default_factory=dict)


def inertial(mass: float, inertia: Vector, at: Vector = (0.0, 0.0, 0.0)) -> str:
    """MJCF of a body's mass. Inertia in full: no axis of a disc may have a digit more than the other two together."""
    full = " ".join(f"{value:.17g}" for value in inertia)
    return f'<inertial pos="{numbers(*at)}" mass="{mass:.9g}" diaginertia="{full}"/>'


class Writer:
    """Writes the MJCF of one bicyclist ``name``."""

    def __init__(self, name: str, bicycle: Bicycle, looks: Looks) -> None:
        self.name, self.bicycle, self.looks, self.at = name, bicycle, looks, layout(bicycle)

    @property
    def motored(self) -> bool:
        """Whether a motor turns the fork: where the arms are not to, or cannot."""
        return self.bicycle.steering == "fork" or self.bicycle.rider == "rigid"

    def parts(self, pose: Array, frame: str, rider: str) -> Parts:
        """The bicycle at ``pose`` (3,): x, y (m), yaw (rad), with the MJCF of its ``frame`` and ``rider``."""
        yaw = 0.5 * pose[2]
        at = f'pos="{numbers(pose[0], pose[1], 0.0)}" quat="{numbers(np.cos(yaw), 0.0, 0.0, np.sin(yaw))}"'
        return Parts(
            f"""
    <body name="{self.name}" {at} childclass="bicycle">
      <freejoint name="{self.name}"/>{frame}{self.tubes()}{self.wheel("rear", self.at.rear)}{self.fork()}{self.crank()}{rider}
    </body>""",
            equalities=self.ties(),
            actuators=self.motors(),
        )

    def joint(self, name: str, axis: str, gain: float = 0.0, damping: float = 0.0) -> str:
        """MJCF of a hinge with a spring of stiffness ``gain`` about the joint's angle of rest."""
        spring = f' stiffness="{gain:.9g}" springref="{self.looks.rest.get(name, 0.0):.9g}"' if gain else ""
        return f'<joint name="{self.name}/{name}" axis="{axis}" damping="{damping:.9g}"{spring}/>'

    def frame(self) -> str:
        """The frame's own mass."""
        x, z = self.at.centre
        return inertial(self.bicycle.frame_mass, body.FRAME_INERTIA, (x, 0.0, z))

    def tubes(self) -> str:
        """What is seen of the frame, and the hulls that meet others."""
        a, paint = self.at, self.looks.paint
        (hx, hz), (cx, cz), (rx, rz), (sx, sz) = a.head, a.crank, a.rear, a.saddle
        top, low = (cx + 0.85 * (sx - cx), 0.0, cz + 0.85 * (sz - cz)), (hx + 0.02, 0.0, hz - 0.06)
        pipes = [((cx, 0.0, cz), (sx, 0.0, sz - 0.05), 0.016), (top, (hx, 0.0, hz - 0.02), 0.016), ((cx, 0.0, cz), low, 0.019)]
        for _, side in SIDES:
            pipes += [((rx, 0.05 * side, rz), (cx, 0.03 * side, cz), 0.009), ((rx, 0.05 * side, rz), top, 0.008)]
        hull = 'class="bicycle/hull" type="capsule"'
        front, r = a.front[0], self.bicycle.wheel_radius
        return (
            "".join(tube(*pipe, paint) for pipe in pipes)
            + blob((sx - 0.02, 0.0, sz - 0.02), (0.14, 0.07, 0.03), DARK)
            + f'<geom name="{self.name}/hull" {hull} fromto="{numbers(rx - 0.1, 0.0, 1.4 * r, front + 0.1, 0.0, 1.4 * r)}" size="0.2"/>'
            + f'<geom name="{self.name}/upper" {hull} fromto="{numbers(sx + 0.1, 0.0, sz, sx + 0.3, 0.0, sz + 0.55)}" size="0.22"/>'
        )

    def wheel(self, name: str, at: tuple[float, float]) -> str:
        """A wheel that turns about y; its tyre alone meets the ground."""
        b, r = self.bicycle, self.bicycle.wheel_radius
        spin = b.wheel_mass * (body.RIM * r) ** 2
        return f"""
      <body name="{self.name}/{name}" pos="{numbers(at[0], 0.0, at[1])}">
        {self.joint(name, "0 1 0", damping=body.BEARING)}{inertial(b.wheel_mass, (0.5 * spin, spin, 0.5 * spin))}
        <geom name="{self.name}/{name}" class="bicycle/tyre" size="{numbers(r, body.TYRE, r)}"/>
        <geom class="bicycle/seen" type="mesh" mesh="bicycle/ring" rgba="{DARK}"/>
        <geom class="bicycle/seen" type="mesh" mesh="bicycle/spokes" rgba="{METAL}"/>
      </body>"""

    def fork(self) -> str:
        """Fork and handlebar with the front wheel; the joint's axis points up along the fork: positive angles steer to the left."""
        b, (hx, hz), angle = self.bicycle, self.at.head, np.deg2rad(self.bicycle.head_angle)
        axis = numbers(-np.cos(angle), 0.0, np.sin(angle))
        hub = (self.at.front[0] - hx, self.at.front[1] - hz)
        (gx, gy, gz), cx, cz = body.GRIP, *body.FORK_CENTRE
        crown, bar = (-0.35 * cz * np.cos(angle), 0.0, 1.1 * cz), (-gz * np.cos(angle) * 1.05, 0.0, gz)
        seen = (
            tube(crown, bar, 0.015, self.looks.paint) + tube(bar, (gx, 0.14, gz), 0.011, METAL) + tube(bar, (gx, -0.14, gz), 0.011, METAL)
        )
        for _, side in SIDES:
            seen += tube((crown[0], 0.055 * side, crown[2]), (hub[0], 0.055 * side, hub[1]), 0.011, self.looks.paint)
            seen += tube((gx, 0.14 * side, gz), (gx - 0.01, (gy + 0.05) * side, gz), 0.015, DARK)
        seen += tube((crown[0], -0.055, crown[2]), (crown[0], 0.055, crown[2]), 0.014, self.looks.paint)
        sites = "".join(f'<site name="{self.name}/grip_{name}" pos="{numbers(gx, gy * side, gz)}"/>' for name, side in SIDES)
        return f"""
      <body name="{self.name}/fork" pos="{numbers(hx, 0.0, hz)}">
        {self.joint("fork", axis, damping=b.fork_damping if self.motored else 0.0)}
        {inertial(b.fork_mass, body.FORK_INERTIA, (cx, 0.0, cz))}{seen}{sites}
        {self.wheel("front", hub)}
      </body>"""

    def crank(self) -> str:
        """Crank and pedals; at zero the left pedal is up."""
        (x, z), length = self.at.crank, self.bicycle.crank_length
        seen, inertia = "", body.CRANK_MASS * length**2 / 3.0
        for name, side in SIDES:
            end = side * length
            seen += tube((0.0, 0.07 * side, 0.0), (0.0, 0.07 * side, end), 0.01, METAL)
            seen += tube((0.0, 0.07 * side, end), (0.0, 0.14 * side, end), 0.014, DARK)
            seen += f'<site name="{self.name}/pedal_{name}" pos="{numbers(0.0, body.TREAD * side, end)}"/>'
        ring = f'<geom class="bicycle/seen" type="cylinder" size="0.09 0.004" pos="0 -0.05 0" quat="1 1 0 0" rgba="{METAL}"/>'
        return f"""
      <body name="{self.name}/crank" pos="{numbers(x, 0.0, z)}">
        {self.joint("crank", "0 1 0", damping=body.BEARING)}{inertial(body.CRANK_MASS, (inertia, inertia, 0.5 * inertia))}{seen}{ring}
      </body>"""

    def ties(self) -> str:
        """Springs and dampers: hands to grips, feet to pedals, crank to rear wheel."""
        n, b, soft = self.name, self.bicycle, f'solref="{self.bicycle.hold:.9g} 1" solimp="0.99 0.99 0.001"'
        tied = [("palm", "grip"), ("sole", "pedal")] if b.rider == "articulated" else []
        springs = [
            f'<connect name="{n}/{a}_{side}" site1="{n}/{a}_{side}" site2="{n}/{c}_{side}" {soft}/>' for a, c in tied for side, _ in SIDES
        ]
        chain = f'polycoef="{numbers(self.looks.phase, 1.0 / b.gear)} 0 0 0"'
        return "\n".join([*springs, f'<joint name="{n}/chain" joint1="{n}/crank" joint2="{n}/rear" {chain} {soft}/>'])

    def motors(self) -> str:
        """The order is the one in which :mod:`.control` writes: fork, crank or arms, legs."""
        n, b = self.name, self.bicycle
        lines = [servo(f"{n}/fork", b.fork_gain if self.motored else 0.0)]
        if b.rider == "rigid":
            return "".join([*lines, f'<motor name="{n}/crank" joint="{n}/crank"/>'])
        lines += [servo(f"{n}/{joint}_{side}", b.arm_gain) for side, _ in SIDES for joint in ARM[:4]]
        for side, _ in SIDES:
            lines += [f'<motor name="{n}/{joint}_{side}" joint="{n}/{joint}_{side}"/>' for joint in ("hip_y", "knee")]
            lines.append(servo(f"{n}/ankle_{side}", b.limb_gain))
        return "".join(lines)


def servo(joint: str, gain: float) -> str:
    """MJCF of a motor with torque ``gain·(set − angle)``."""
    return f'<general name="{joint}" joint="{joint}" gainprm="{gain:.9g}" biastype="affine" biasprm="0 {-gain:.9g} 0"/>'


DEFAULTS = """
    <default class="bicycle">
      <joint type="hinge"/>
      <site group="4" size="0.01"/>
      <default class="bicycle/seen"><geom contype="0" conaffinity="0" mass="0" group="1"/></default>
      <default class="bicycle/hull"><geom contype="5" conaffinity="2" mass="0" friction="0.3" group="3" rgba=".5 .5 .5 .3"/></default>
      <default class="bicycle/tyre">
        <geom type="ellipsoid" contype="4" conaffinity="0" mass="0" condim="3" friction="0 0 0" group="3"
              solmix="1000" solref="0.006 1" solimp="0.95 0.99 0.002"/>
      </default>
    </default>"""
