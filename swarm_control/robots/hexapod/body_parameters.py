"""A walking insect: parameters of its body and of its low-level control. McKenna & Zeltzer, sections 3.2–3.4; CGS units.

Lists of three are for the front, a middle and the hind pair of legs; bodies of other numbers of legs take what lies between. Lists of
five are for a leg's joints: swing, twist, lift, knee, ankle.
"""

from dataclasses import dataclass, field

from swarm_control.core.parameters import param
from swarm_control.robots.sensors import Sensors


@dataclass(frozen=True)
class Trunk:
    """Boxes of the density of water: head, thorax (a segment for each pair of legs) and abdomen, each length, width and height."""

    head: tuple[float, ...] = param((0.45, 0.55, 0.35), "head", unit="cm", size=3, low=0.01, high=100.0)
    segment: tuple[float, ...] = param((0.38, 0.95, 0.5), "a segment of the thorax", unit="cm", size=3, low=0.01, high=100.0)
    abdomen: tuple[float, ...] = param((1.31, 1.48, 0.63), "abdomen", unit="cm", size=3, low=0.01, high=100.0)
    height: float = param(0.55, "of the thorax's middle over the ground, standing", unit="cm", low=0.01, high=100.0)
    density: float = param(1.0, "of all parts", unit="g/cm³", low=0.01, high=20.0)


@dataclass(frozen=True)
class Legs:
    """Legs: how many, which are lost, their links and where they stand."""

    count: int = param(6, "legs, in pairs", low=2, high=80)
    lost: tuple[str, ...] = param((), "legs that are missing, as in [left_2]: side and pair, 1 is the front")
    coxa: tuple[float, ...] = param((0.36, 0.4, 0.46), "length of the coxa", unit="cm", size=3, low=0.01, high=100.0)
    femur: tuple[float, ...] = param((0.5, 0.58, 0.68), "length of trochanter and femur", unit="cm", size=3, low=0.01, high=100.0)
    tibia: tuple[float, ...] = param((0.46, 0.58, 0.86), "length of the tibia", unit="cm", size=3, low=0.01, high=100.0)
    tarsus: tuple[float, ...] = param((0.3, 0.34, 0.42), "length of the tarsus", unit="cm", size=3, low=0.01, high=100.0)
    thickness: tuple[float, ...] = param(
        (0.22, 0.16, 0.1, 0.07), "width and height of coxa, femur, tibia, tarsus", unit="cm", size=4, low=0.001, high=100.0
    )  # fmt: skip
    hip: float = param(0.3, "hips are so far from the middle", unit="cm", low=0.0, high=100.0)
    ahead: tuple[float, ...] = param(
        (0.6, -0.45, -1.15), "feet stand so far ahead of their hips", unit="cm", size=3, low=-100.0, high=100.0
    )  # fmt: skip
    aside: tuple[float, ...] = param((0.8, 1.05, 0.95), "feet stand so far outside their hips", unit="cm", size=3, low=0.01, high=100.0)


@dataclass(frozen=True)
class JointSprings:
    """Springs of the joints, ``f = α(e^{β|x|} − 1)``, and their dampers."""

    law: str = param("exponential", "linear: f = αβ|x|, as stiff as the exponential one at rest", choices=("exponential", "linear"))
    strength: tuple[float, ...] = param(
        (100.0, 100.0, 100.0, 75.0, 20.0), "α of a leg's joints", unit="dyn cm", size=5, low=0.0, high=1e6
    )  # fmt: skip
    rise: tuple[float, ...] = param((22.0, 22.0, 22.0, 22.0, 18.0), "β of a leg's joints", unit="1/rad", size=5, low=0.001, high=1000.0)
    damping: tuple[float, ...] = param((15.0, 15.0, 15.0, 9.0, 1.6), "of a leg's joints", unit="dyn cm s", size=5, low=0.0, high=1e5)
    trunk: tuple[float, ...] = param((150.0, 12.0, 25.0), "α, β and damping at neck and waist", size=3, low=0.0, high=1e6)
    most: float = param(4000.0, "torque of a joint's spring at most", unit="dyn cm", low=1.0, high=1e7)
    fastest: float = param(100.0, "speed of a joint at which its muscle has no torque left", unit="rad/s", low=0.1, high=1e6)
    inertia: float = param(0.0005, "that muscles add to each joint", unit="g cm²", low=0.0, high=1.0)


@dataclass(frozen=True)
class Gait:
    """The oscillators: one per leg, coupled by Wilson's rules."""

    interval: float = param(0.05, "between steps of adjacent legs of a side", unit="s", low=0.005, high=5.0)
    step_time: float = param(0.05, "that a step takes", unit="s", low=0.005, high=5.0)
    frequency: float = param(10.0, "greatest stepping frequency; at 1/(2 interval) the gait is the tripod", unit="Hz", low=0.01, high=100.0)
    coupling: float = param(2.0, "how strongly oscillators are drawn to their neighbours, per cycle", low=0.0, high=1000.0)


@dataclass(frozen=True)
class Programs:
    """The motor programs: what step and stance move the springs' rest angles to."""

    stride: float = param(0.3, "of a foot in stance, at speeds below the tripod's", unit="cm", low=0.001, high=10.0)
    reach: float = param(0.7, "stride at most", unit="cm", low=0.001, high=10.0)
    lift: float = param(0.25, "height that a step lifts the foot by", unit="cm", low=0.0, high=10.0)
    rise: float = param(0.4, "share of a step's time that lifting takes", low=0.05, high=0.95)
    forward: float = param(0.6, "share of a step's time after which the foot is over its next place", low=0.05, high=0.99)
    carry: float = param(0.1, "share of its height that it still has there", low=0.0, high=1.0)
    press: tuple[float, ...] = param(
        (0.13, 0.145, 0.2), "stance aims so far below the ground", unit="cm", size=3, low=-1.0, high=10.0
    )  # fmt: skip
    authority: float = param(0.6, "share of the command by which it is raised at most", low=0.0, high=10.0)
    speed_gain: float = param(4.0, "the commanded speed is raised by so much per way fallen behind", unit="1/s", low=0.0, high=100.0)
    turn_gain: float = param(4.0, "the commanded turn rate is raised by so much per angle fallen behind", unit="1/s", low=0.0, high=100.0)


@dataclass(frozen=True)
class Reflexes:
    """Reflexes and what sets them off; thresholds as calibrated on level ground, of the front, a middle and the hind pair."""

    enabled: bool = param(True, "step, load-bearing and elevator reflex")
    extension: tuple[float, ...] = param(
        (29.5, 46.5, 50.5), "a leg as far behind its foothold steps", unit="deg", size=3, low=0.0, high=180.0
    )  # fmt: skip
    load: tuple[float, ...] = param((745.0, 1150.0, 610.0), "a leg that bears more does not step", unit="dyn", size=3, low=0.0, high=1e9)
    patience: float = param(0.15, "a leg steps all the same when it has waited for so long", unit="s", low=0.0, high=100.0)
    stumble: float = param(300.0, "a stepping leg that feels more on its way forward is lifted", unit="dyn", low=0.0, high=1e9)
    lag: float = param(25.0, "or one whose hip is so far behind where it is told to be", unit="deg", low=0.0, high=180.0)
    elevation: float = param(0.25, "by so much", unit="cm", low=0.0, high=10.0)
    retraction: float = param(0.1, "and drawn back by so much", unit="cm", low=0.0, high=10.0)
    bare: float = param(20.0, "a foot that feels less bears nothing", unit="dyn", low=0.0, high=1e9)
    search_after: float = param(0.08, "a standing leg that bears nothing for so long searches for the ground", unit="s", low=0.0, high=10.0)
    search_speed: float = param(4.0, "as fast", unit="cm/s", low=0.0, high=1000.0)
    search: float = param(0.3, "so far below where it should be, at most", unit="cm", low=0.0, high=10.0)


@dataclass(frozen=True)
class Carriage:
    """How the trunk is carried, by how far the legs that bear something are stretched, and by what they bear; with ``reflexes.enabled``."""

    height: float = param(2.0, "the trunk's height over standing feet is corrected by so much of what is wrong", unit="1/s",
        low=0.0, high=100.0)  # fmt: skip
    level: float = param(2.0, "so is its tilt against the plane through them", unit="1/s", low=0.0, high=100.0)
    room: float = param(0.2, "both take back no more", unit="cm", low=0.0, high=10.0)
    sag: float = param(0.7, "legs that bear less of the weight raise the trunk, which lies on the ground", low=0.0, high=1.0)
    raise_speed: float = param(2.0, "as fast, where they bear nothing", unit="cm/s", low=0.0, high=100.0)
    return_time: float = param(1.0, "time constant by which its height goes back to where it stands", unit="s", low=0.001, high=1000.0)
    sag_time: float = param(0.1, "time constant of what legs bear on the whole", unit="s", low=0.0, high=10.0)


@dataclass(frozen=True)
class Feet:
    """What feet are like."""

    adhesion: float = param(0.0, "force that holds a standing foot to the ground; 0: feet slide", unit="dyn", low=0.0, high=1e6)
    radius: float = param(0.06, "of the foot", unit="cm", low=0.001, high=10.0)
    give: float = param(0.001, "time constant of the contact", unit="s", low=0.0001, high=0.1)


@dataclass(frozen=True)
class Hexapod:
    """A walking insect of 2.9 cm and 2.1 g, with 38 degrees of freedom."""

    time_step: float = param(0.0005, "of the simulation", unit="s", low=0.00001, high=0.01)
    period: float = param(.002, "sensors are read and legs are told where to go so often", unit="s", low=0.00001, high=0.05)
    odometry: float = param(
        0.02, "time constant of the speed that standing legs tell of, and of the turn rate", unit="s", low=0.0, high=10.0
    )  # fmt: skip
    sensors: Sensors = field(default_factory=Sensors)
    trunk: Trunk = field(default_factory=Trunk)
    legs: Legs = field(default_factory=Legs)
    springs: JointSprings = field(default_factory=JointSprings)
    gait: Gait = field(default_factory=Gait)
    programs: Programs = field(default_factory=Programs)
    reflexes: Reflexes = field(default_factory=Reflexes)
    posture: Carriage = field(default_factory=Carriage)
    feet: Feet = field(default_factory=Feet)
