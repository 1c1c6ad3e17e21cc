"""An insect for MuJoCo, generated from a table of parameters: trunk, legs of five hinges each, feet that touch the ground. CGS units.

The body's frame is in the middle of its length: x forward, z up. Parts are boxes, as in McKenna & Zeltzer, section 3.4.
"""

import functools
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.gait.leg import JOINTS, Leg, angles_for, mirrored, table
from swarm_control.gait.programs import EXPONENTIAL, LINEAR
from swarm_control.gait.walker import Walker
from swarm_control.robots.hexapod.body_parameters import Hexapod
from swarm_control.robots.mujoco import Parts

LINKS = ("coxa", "femur", "tibia", "tarsus")
BEND = np.deg2rad([-30.0, 60.0, -95.0, 25.0])
"""Posture with all joint angles zero: each link's angle above the one before."""
GRAVITY = 981.0
"""cm/s²."""
TRUNK = ("neck", "waist")
"""Hinges between the thorax and head, and thorax and abdomen."""


@dataclass(frozen=True, eq=False)
class Anatomy:
    """An insect's measures; it has L legs: left and right of the front pair, of the next pair, and so on.

    ``names`` (L,) as in left_1; ``alive`` (L,): which are there; ``legs`` (L,); ``foothold`` (L, 3) cm in the body's frame: where feet
    stand; ``stand`` (L, 5) rad: joint angles there; ``share`` (L,): from 0, the front pair, to 1, the hind pair; ``front`` (cm): where the
    thorax begins.
    """

    params: Hexapod
    names: tuple[str, ...]
    alive: tuple[bool, ...]
    legs: tuple[Leg, ...]
    foothold: Array
    stand: Array
    share: Array
    front: float

    @property
    def pairs(self) -> int:
        """Number of pairs of legs."""
        return len(self.legs) // 2


def between(values: tuple[float, ...], share: Array) -> Array:
    """What lies between the ``values`` of front, middle and hind pair (3,) at ``share`` (n,)."""
    return np.interp(share, (0.0, 0.5, 1.0), values)


@functools.lru_cache(maxsize=16)
def anatomy(params: Hexapod) -> Anatomy:
    """The measures that ``params`` make. ``InputError`` for an odd number of legs, lost legs that are none, feet out of reach."""
    legs, trunk = params.legs, params.trunk
    if legs.count % 2:
        raise InputError("bodies.hexapod.legs.count", f"{legs.count} found, expected an even number")
    pairs = legs.count // 2
    names = tuple(f"{side}_{pair + 1}" for pair in range(pairs) for side in ("left", "right"))
    for name in legs.lost:
        if name not in names:
            raise InputError("bodies.hexapod.legs.lost", f"{name} found, expected some of {', '.join(names)}")
    share = np.repeat(np.linspace(0.0, 1.0, pairs) if pairs > 1 else np.array([0.5]), 2)
    front = 0.5 * (pairs * trunk.segment[0] + trunk.abdomen[0] - trunk.head[0])
    made = [_leg(params, k, share[k : k + 1], front) for k in range(legs.count)]
    foothold = np.array([place for _, place in made])
    stand = np.repeat([angles_for(leg, place[None], np.zeros(5))[0] for leg, place in made[::2]], 2, axis=0)
    alive = tuple(name not in legs.lost for name in names)
    return Anatomy(params, names, alive, tuple(leg for leg, _ in made), foothold, stand, share, front)


def _leg(params: Hexapod, k: int, share: Array, front: float) -> tuple[Leg, Array]:
    """Leg ``k`` and its foothold."""
    legs, trunk = params.legs, params.trunk
    side = 1.0 if k % 2 == 0 else -1.0
    hip = np.array([front - (k // 2 + 0.5) * trunk.segment[0], side * legs.hip, -0.3 * trunk.segment[2]])
    ahead, aside = float(between(legs.ahead, share)[0]), float(between(legs.aside, share)[0])
    links = np.array([between(length, share)[0] for length in (legs.coxa, legs.femur, legs.tibia, legs.tarsus)])
    place = np.array([hip[0] + ahead, hip[1] + side * aside, params.feet.radius - trunk.height])
    if np.hypot(np.hypot(ahead, aside), hip[2] - place[2]) > 0.95 * links.sum():
        raise InputError("bodies.hexapod.legs", f"feet {ahead:g} cm ahead and {aside:g} cm aside found, expected within a leg's reach")
    return Leg(side, hip, links, float(np.arctan2(ahead, aside)), BEND), place


@functools.lru_cache(maxsize=16)
def walker(made: Anatomy) -> Walker:
    """What the insect walks by."""
    p, gait, moves, reflexes, posture = made.params, made.params.gait, made.params.programs, made.params.reflexes, made.params.posture
    press = between(moves.press, made.share)
    deepest = reflexes.search + posture.room if reflexes.enabled else 0.0
    highest = moves.lift + reflexes.elevation
    left = [
        table(leg, place, start, 0.5 * moves.reach, -float(depth) - deepest, highest)[0]
        for leg, place, start, depth in list(zip(made.legs, made.foothold, made.stand, press))[::2]
    ]
    tables = [made_for for pair in left for made_for in (pair, mirrored(pair))]
    return Walker(
        foothold=made.foothold[:, :2].copy(), table=np.array(tables), alive=np.array(made.alive), press=press,
        extension=np.deg2rad(between(reflexes.extension, made.share)), load=between(reflexes.load, made.share),
        strength=np.array(p.springs.strength), rise=np.array(p.springs.rise), most=p.springs.most,
        law=LINEAR if p.springs.law == "linear" else EXPONENTIAL, fastest=p.springs.fastest,
        height=p.trunk.height - 0.3 * p.trunk.segment[2], ground=p.feet.radius - p.trunk.height, weight=GRAVITY * mass(made),
        interval=gait.interval, step_time=gait.step_time, frequency=gait.frequency, coupling=gait.coupling, stride=moves.stride,
        reach=moves.reach, lift=moves.lift, rise_share=moves.rise, forward=moves.forward, carry=moves.carry,
        speed_gain=moves.speed_gain, turn_gain=moves.turn_gain, authority=moves.authority, reflexes=reflexes.enabled,
        patience=reflexes.patience, stumble=reflexes.stumble, lag=np.deg2rad(reflexes.lag), elevation=reflexes.elevation,
        retraction=reflexes.retraction, search_after=reflexes.search_after, search_speed=reflexes.search_speed, search=reflexes.search,
        bare=reflexes.bare, height_gain=posture.height, level_gain=posture.level, room=posture.room, sag=posture.sag,
        raise_speed=posture.raise_speed, sag_time=posture.sag_time, return_time=posture.return_time,
    )  # fmt: skip


def mass(made: Anatomy) -> float:
    """Of the whole insect, g: that of its boxes."""
    trunk, thickness = made.params.trunk, made.params.legs.thickness
    boxes = np.prod([trunk.head, trunk.abdomen, (made.pairs * trunk.segment[0], *trunk.segment[1:])], axis=1).sum()
    return float(trunk.density * (boxes + sum(leg.links @ np.square(thickness) for leg, there in zip(made.legs, made.alive) if there)))


DEFAULTS = """
    <default class="insect"><geom type="box" contype="5" conaffinity="2" condim="3" friction="0 0 0" solmix="1e6" rgba=".36 .2 .1 1"/>
      <default class="insect/leg"><geom contype="4" conaffinity="0" rgba=".5 .3 .14 1"/></default>
      <default class="insect/foot"><geom type="sphere" contype="4" conaffinity="0" mass="0" rgba=".2 .1 .05 1"/></default>
    </default>"""
"""MJCF of what all insects share. Trunks meet the ground and each other, legs and feet the ground."""


def parts(name: str, pose: Array, made: Anatomy) -> Parts:
    """MJCF of the insect ``name`` at ``pose`` (3,): x, y (cm), yaw (rad)."""
    p = made.params
    alive = [k for k, there in enumerate(made.alive) if there]
    sensors = "".join(f'<touch name="{name}/{made.names[k]}" site="{name}/{made.names[k]}"/>' for k in alive)
    sticky = "".join(
        f'<adhesion name="{name}/{made.names[k]}" body="{name}/{made.names[k]}/tarsus" ctrlrange="0 1" gain="{p.feet.adhesion}"/>'
        for k in alive
    )
    return Parts(_trunk(name, pose, made), sensors=sensors, actuators=sticky if p.feet.adhesion else "")


def _trunk(name: str, pose: Array, made: Anatomy) -> str:
    p, front, back = made.params, made.front, made.front - made.pairs * made.params.trunk.segment[0]
    thorax = (made.pairs * p.trunk.segment[0], *p.trunk.segment[1:])
    legs = "".join(_leg_mjcf(name, k, made) for k in range(len(made.legs)) if made.alive[k])
    give = f'solref="{p.feet.give} 1"'

    def box(part: str, size: tuple[float, ...], x: float) -> str:
        half = " ".join(f"{0.5 * s:.9g}" for s in size)
        return f'<geom name="{name}/{part}" class="insect" size="{half}" pos="{x:.9g} 0 0" density="{p.trunk.density}" {give}/>'

    def hinge(part: str, joint: str, at: float, size: tuple[float, ...], sign: float) -> str:
        return f"""
        <body name="{name}/{part}" pos="{at:.9g} 0 0">
          <joint name="{name}/{joint}" type="hinge" axis="0 {-sign} 0" damping="{p.springs.trunk[2]}" armature="{p.springs.inertia}"/>
          {box(part, size, sign * 0.5 * size[0])}
        </body>"""

    return f"""
      <body name="{name}" pos="{pose[0]:.9g} {pose[1]:.9g} {p.trunk.height}" euler="0 0 {pose[2]:.12g}">
        <freejoint name="{name}"/>
        {box("thorax", thorax, 0.5 * (front + back))}{hinge("head", "neck", front, p.trunk.head, 1.0)}
        {hinge("abdomen", "waist", back, p.trunk.abdomen, -1.0)}{legs}
      </body>"""


def _leg_mjcf(name: str, k: int, made: Anatomy) -> str:
    """A leg: bodies within each other, each with its frame's x along its link."""
    p, leg, who = made.params, made.legs[k], f"{name}/{made.names[k]}"
    up = np.array([-np.sin(-leg.bend[0]), 0.0, np.cos(leg.bend[0])]) * -leg.side
    axes = [f"{up[0]:.12g} 0 {up[2]:.12g}", f"{leg.side} 0 0", *["0 -1 0"] * 3]

    def hinge(j: int) -> str:
        inertia = f'damping="{p.springs.damping[j]}" armature="{p.springs.inertia}"'
        return f'<joint name="{who}/{JOINTS[j]}" type="hinge" axis="{axes[j]}" {inertia}/>'

    give = f'solref="{p.feet.give} 1"'
    text = (
        f'<site name="{who}" type="sphere" pos="{leg.links[3]:.9g} 0 0" size="{1.5 * p.feet.radius}" rgba="0 0 0 0"/>'
        f'<geom name="{who}" class="insect/foot" pos="{leg.links[3]:.9g} 0 0" size="{p.feet.radius}" {give}/>'
    )
    for link in (3, 2, 1, 0):
        half, thick = 0.5 * leg.links[link], 0.5 * p.legs.thickness[link]
        pos = " ".join(f"{x:.9g}" for x in leg.hip) if link == 0 else f"{leg.links[link - 1]:.9g} 0 0"
        bend = _turned(leg.heading() if link == 0 else 0.0, float(leg.bend[link]))
        joints = hinge(0) + hinge(1) if link == 0 else hinge(link + 1)
        text = f"""
        <body name="{who}/{LINKS[link]}" pos="{pos}" quat="{bend}">{joints}
          <geom class="insect/leg" size="{half:.9g} {thick:.9g} {thick:.9g}" pos="{half:.9g} 0 0" density="{p.trunk.density}" {give}/>{text}
        </body>"""
    return text


def _turned(heading: float, bend: float) -> str:
    """Quaternion of a frame turned by ``heading`` about z, then by ``bend`` upward about its own y."""
    c, s, u, v = np.cos(0.5 * heading), np.sin(0.5 * heading), np.cos(-0.5 * bend), np.sin(-0.5 * bend)
    return f"{c * u:.15g} {-s * v:.15g} {c * v:.15g} {s * u:.15g}"
