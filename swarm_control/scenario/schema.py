"""The scenario schema: one frozen dataclass per mapping of the YAML file.

Parameters of the controllers are declared with the code that they steer (``core``); this tree puts them together. Unknown keys are
errors; :mod:`swarm_control.scenario.tree` reads, checks and writes the tree.
"""

from dataclasses import dataclass, field
from typing import Any

from swarm_control.core.accumulation import Accumulation
from swarm_control.core.behaviours import BEHAVIOURS
from swarm_control.core.behaviours.alignment import Alignment
from swarm_control.core.behaviours.cohesion import Cohesion
from swarm_control.core.behaviours.cruise import Cruise
from swarm_control.core.behaviours.goals import Arrival, Seek
from swarm_control.core.behaviours.grouping import Grouping
from swarm_control.core.behaviours.guidance import Guidance
from swarm_control.core.behaviours.separation import Separation
from swarm_control.core.behaviours.social import Social
from swarm_control.core.behaviours.walls import PotentialField, SteerToAvoid
from swarm_control.core.formation.memory import Formation
from swarm_control.core.formation.shapes import SHAPES
from swarm_control.core.leaders import Leaders
from swarm_control.core.motion import MODELS
from swarm_control.core.motion.barrier import Barrier
from swarm_control.core.motion.limits import Motion
from swarm_control.core.motion.safety import Safety
from swarm_control.core.parameters import param
from swarm_control.core.perception import Perception
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.hardware import Hardware

PATTERNS = ("scatter", "grid", "hexagonal", "ring", "line", "poses", "world")


@dataclass(frozen=True)
class VirtualStructure(Formation):
    """A formation: which robots, in which shape, and how it moves. With goals in the scenario it goes to them, else at ``velocity``."""

    enabled: bool = param(False, "whether robots keep a formation")
    members: tuple[str, ...] = param((), "names of the robots in it; none: all")
    split: tuple[float, ...] = param((), "robots in each part that moves by itself, of the members in their order; none: one part", low=1)
    shape: str = param("start", "its shape; start: as the robots stand", choices=("start", *SHAPES, "points"))
    spacing: float = param(1.0, "distance between neighbours in the shape", unit="m", low=0.001, high=1000.0)
    points: tuple[float, ...] = param((), "shape points: x0, y0, x1, y1, …; of the members in their order", unit="m", low=-1e6, high=1e6)
    morph_time: float = param(0.0, "how long a change of shape takes; 0: at once", unit="s", low=0.0, high=1e4)
    velocity: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "without goals: speed ahead, to the left, and turn rate", unit="m/s, m/s, rad/s", size=3, low=-100.0, high=100.0
    )
    repeat: int = param(1, "how often the list of goals is gone through", low=1, high=100000)
    face_ahead: bool = param(False, "whether robots at rest turn to where the structure is heading")


@dataclass(frozen=True)
class Control:
    """Parameters of the controllers; the nodes' ROS parameters have the same names, dotted."""

    period: float = param(0.05, "time from one tick to the next", unit="s", low=0.001, high=10.0)
    perception: Perception = field(default_factory=Perception)
    separation: Separation = field(default_factory=Separation)
    alignment: Alignment = field(default_factory=Alignment)
    cohesion: Cohesion = field(default_factory=Cohesion)
    seek: Seek = field(default_factory=Seek)
    arrival: Arrival = field(default_factory=Arrival)
    potential_field: PotentialField = field(default_factory=PotentialField)
    steer_to_avoid: SteerToAvoid = field(default_factory=SteerToAvoid)
    guidance: Guidance = field(default_factory=Guidance)
    cruise: Cruise = field(default_factory=Cruise)
    social: Social = field(default_factory=Social)
    grouping: Grouping = field(default_factory=Grouping)
    leaders: Leaders = field(default_factory=Leaders)
    accumulation: Accumulation = field(default_factory=Accumulation)
    motion: Motion = field(default_factory=Motion)
    separation_filter: Barrier = field(default_factory=Barrier)
    formation: VirtualStructure = field(default_factory=VirtualStructure)
    safety: Safety = field(default_factory=Safety)


assert set(BEHAVIOURS) <= set(Control.__dataclass_fields__), "every behaviour needs its place in Control"


@dataclass(frozen=True)
class Start:
    """Where robots start: a pattern around a centre, or poses."""

    pattern: str = param("scatter", "how robots are placed", choices=PATTERNS)
    center: tuple[float, ...] = param((0.0, 0.0), "middle of the pattern: x, y", unit="m", size=2, low=-1e6, high=1e6)
    spacing: float = param(0.4, "least distance between neighbours", unit="m", low=0.0, high=100.0)
    radius: float = param(0.0, "radius of the ring, or of the disc to scatter in; 0: as large as needed", unit="m", low=0.0, high=1e5)
    rows: int = param(0, "rows of a hexagonal pattern, across the heading; 0: about as many as robots in a row", low=0, high=100000)
    heading: float = param(0.0, "heading at the start", unit="deg", low=-360.0, high=360.0)
    heading_spread: float = param(0.0, "headings are drawn from this range around it", unit="deg", low=0.0, high=360.0)
    speed: float = param(0.0, "speed at the start, along the heading", unit="m/s", low=0.0, high=100.0)
    poses: tuple[tuple[float, float, float], ...] = ()
    """With pattern ``poses``: a list of [x (m), y (m), heading (deg)], one per robot."""


@dataclass(frozen=True)
class RobotGroup:
    """Robots of one kind."""

    count: int = param(10, "how many robots", low=1, high=100000)
    model: str = param("omni", "how the robots move", choices=tuple(MODELS))
    group: str = param("", "groups that the robots are in, with commas between")
    role: str = param("ordinary", "ordinary, or leading: feels no forces and goes its way", choices=("ordinary", "leading"))
    radius: float = param(0.0375, "radius of the round footprint", unit="m", low=0.001, high=100.0)
    max_speed: float = param(1.0, "top speed, of the wheels where there are wheels", unit="m/s", low=0.001, high=100.0)
    max_acceleration: float = param(4.0, "top acceleration", unit="m/s²", low=0.001, high=1000.0)
    max_turn_rate: float = param(6.0, "top turn rate", unit="rad/s", low=0.01, high=100.0)
    wheel_base: float = param(0.06, "distance between the wheels of a differential drive", unit="m", low=0.001, high=10.0)
    start: Start = field(default_factory=Start)
    way: tuple[tuple[float, float, float], ...] = ()
    """Of leading robots: a list of [x (m), y (m), time (s)]; their centre is there then, and goes straight in between."""


@dataclass(frozen=True)
class Landmarks:
    """Points that exert forces as robots do, though nothing need be there."""

    group: str = param("", "groups that they are in, with commas between")
    shape: str = param("points", "how they lie; line and outline lead through the points", choices=("points", "circle", "line", "outline"))
    points: tuple[float, ...] = param((), "x0, y0, x1, y1, …", unit="m", low=-1e6, high=1e6)
    spacing: float = param(0.5, "most that neighbours on a line or outline are apart", unit="m", low=0.001, high=1e4)
    center: tuple[float, ...] = param((0.0, 0.0), "middle of the circle: x, y", unit="m", size=2, low=-1e6, high=1e6)
    radius: float = param(1.0, "radius of the circle", unit="m", low=0.001, high=1e5)
    count: int = param(12, "points on the circle", low=1, high=100000)


@dataclass(frozen=True)
class Arena:
    """A world made to measure: a framed square whose area and obstacles grow with the number of robots."""

    area_per_robot: float = param(0.5, "floor area for each robot", unit="m²", low=0.01, high=1e4)
    obstacle_area: float = param(40.0, "floor area for each obstacle; 0 for none", unit="m²", low=0.0, high=1e6)
    obstacle_radius: float = param(0.4, "radius of the round obstacles", unit="m", low=0.05, high=100.0)
    resolution: float = param(0.1, "size of the map's cells", unit="m", low=0.01, high=1.0)


@dataclass(frozen=True)
class Goal:
    """A place to go to. The next goal's turn comes when ``fraction`` of the robots have arrived at this one.

    Of a formation that splits, goals in a row that name a ``part`` are gone to at the same time, each part to its own in their order.
    They are left, and the next goals without a part gone to, when the parts become one again; and the other way round.
    """

    position: tuple[float, ...] = param((0.0, 0.0), "centre of the goal: x, y", unit="m", size=2, low=-1e6, high=1e6)
    radius: float = param(0.4, "radius of the circle that carries the leaders' subgoals", unit="m", low=0.01, high=1000.0)
    arrival_radius: float = param(0.0, "robots within this have arrived; 0: room for the whole flock", unit="m", low=0.0, high=1e4)
    fraction: float = param(0.9, "share of the robots that must arrive", low=0.0, high=1.0)
    heading: float = param(0.0, "heading of a formation there", unit="deg", low=-1e6, high=1e6)
    time: float = param(0.0, "how long a formation takes to get there; 0: as fast as it goes", unit="s", low=0.0, high=1e6)
    hold: float = param(0.5, "how long a formation rests there before it goes on", unit="s", low=0.0, high=1e6)
    part: int = param(0, "which part of a split formation goes there, from 1; 0: the whole formation", low=0, high=100000)


@dataclass(frozen=True)
class Phase:
    """From ``start`` on, parameters of ``control`` are ``set`` (dotted name → value)."""

    name: str = param("", "name of the phase")
    start: float = param(0.0, "when it begins", unit="s", low=0.0, high=1e6)
    set: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """A landmark ``of`` a group comes to be in ``becomes`` instead, once enough robots have been near it for some time."""

    of: str = param("", "group of landmarks that it happens to")
    by: str = param("", "group of the robots that bring it about; none: all robots")
    robots: int = param(1, "how many of these must be near at once", low=1, high=100000)
    within: float = param(0.5, "how near, centre to landmark", unit="m", low=0.0, high=1e5)
    time: float = param(0.0, "for how long, without a break", unit="s", low=0.0, high=1e6)
    becomes: str = param("", "groups that the landmark is in from then on, with commas between")


@dataclass(frozen=True)
class Failure:
    """A robot that ignores its commands and stands, from ``start`` to ``end``."""

    robot: str = param("", "name of the robot")
    start: float = param(0.0, "when it fails", unit="s", low=0.0, high=1e6)
    end: float = param(1e6, "when it is well again", unit="s", low=0.0, high=1e6)


@dataclass(frozen=True)
class Simulator:
    """The embedded engine and how its robots' odometry and actuators are spoilt."""

    dt: float = param(0.01, "step of the engine", unit="s", low=0.0005, high=1.0)
    noise_position: float = param(0.0, "standard deviation of odometry's position", unit="m", low=0.0, high=10.0)
    noise_heading: float = param(0.0, "standard deviation of odometry's heading", unit="deg", low=0.0, high=180.0)
    noise_velocity: float = param(0.0, "standard deviation of odometry's velocity", unit="m/s, rad/s", low=0.0, high=10.0)
    noise_speed: float = param(0.0, "standard deviation of executed speeds, as a share of the command", low=0.0, high=10.0)
    noise_turn: float = param(0.0, "standard deviation of the executed turn rate, as a share of the command", low=0.0, high=10.0)
    delay: float = param(0.0, "age of odometry when it is heard", unit="s", low=0.0, high=10.0)
    loss: float = param(0.0, "share of odometry messages that are lost", low=0.0, high=1.0)
    asynchronous: float = param(
        0.0, "robots take commands at times of their own, after 1 to 1 + so many periods; 0: all in each", low=0.0, high=100.0
    )  # fmt: skip
    onboard: bool = param(False, "whether each robot keeps the formation by itself, with losses of its own")
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A scenario, resolved: every default filled in. ``world`` is a path, an arena, or None for open space."""

    name: str = param("", "name of the scenario; the file's name when left out")
    description: str = param("", "one line for the list of scenarios")
    duration: float = param(60.0, "how long it lasts", unit="s", low=0.001, high=1e6)
    seed: int = param(0, "seed of every random number", low=0, high=2**63 - 1)
    world: str | Arena | None = None
    robots: tuple[RobotGroup, ...] = ()
    landmarks: tuple[Landmarks, ...] = ()
    control: Control = field(default_factory=Control)
    goals: tuple[Goal, ...] = ()
    phases: tuple[Phase, ...] = ()
    events: tuple[Event, ...] = ()
    simulator: Simulator = field(default_factory=Simulator)
    hardware: Hardware = field(default_factory=Hardware)
    bodies: Bodies = field(default_factory=Bodies)
