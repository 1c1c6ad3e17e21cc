"""The scenario schema: one frozen dataclass per mapping of the YAML file.

Parameters of the controllers are declared with the code that they steer (``core``); this tree puts them together. Unknown keys are
errors; :mod:`swarm_control.scenario.tree` reads, checks and writes the tree.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.accumulation import Accumulation
from swarm_control.core.estimation import Estimation
from swarm_control.core.leaders import Leaders
from swarm_control.core.motion import Motion
from swarm_control.core.open_group import open_group
from swarm_control.core.parameters import described, param, table
from swarm_control.core.perception import Perception
from swarm_control.formation.parameters import FormationParameters
from swarm_control.robots import ROBOTS
from swarm_control.robots.from_file.parameters import Described
from swarm_control.safety.bounds import Safety
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.hardware import Hardware
from swarm_control.scenario.objects import PassiveObject

SCENES = ("antipodal", "crossing", "corridor", "doorway")
PATTERNS = ("scatter", "grid", "hexagonal", "fill", "ring", "line", "poses", "world")


@open_group(BEHAVIOURS, lambda behaviour: behaviour.params, after="perception")
@dataclass(frozen=True)
class Control:
    """Parameters of the controllers, with a group for each behaviour; the nodes' ROS parameters have the same names, dotted."""

    period: float = param(0.05, "time from one tick to the next", unit="s", low=0.001, high=10.0)
    away: tuple[str, ...] = param((), "names of robots that others drive now: not commanded, not waited for, kept clear of")
    estimation: Estimation = field(default_factory=Estimation)
    perception: Perception = field(default_factory=Perception)
    leaders: Leaders = field(default_factory=Leaders)
    accumulation: Accumulation = field(default_factory=Accumulation)
    motion: Motion = field(default_factory=Motion)
    separation_filter: SeparationFilter = field(default_factory=SeparationFilter)
    formation: FormationParameters = field(default_factory=FormationParameters)
    safety: Safety = field(default_factory=Safety)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


@dataclass(frozen=True)
class Start:
    """Where robots start: a pattern around a centre, or poses."""

    pattern: str = param("scatter", "how robots are placed", choices=PATTERNS)
    center: tuple[float, ...] = param((0.0, 0.0), "middle of the pattern: x, y", unit="m", size=2, low=-1e6, high=1e6)
    spacing: float = param(0.4, "least distance between neighbours; less where all have no room", unit="m", low=0.0, high=100.0)
    radius: float = param(0.0, "radius of the ring, or of the disc to scatter in; 0: as large as needed", unit="m", low=0.0, high=1e5)
    rows: int = param(0, "rows of a hexagonal pattern, across the heading; 0: about as many as robots in a row", low=0, high=100000)
    outline: tuple[float, ...] = param((), "with pattern fill: corners of the polygon: x0, y0, x1, y1, …", unit="m", low=-1e6, high=1e6)
    heading: float = param(0.0, "heading at the start", unit="deg", low=-360.0, high=360.0)
    heading_spread: float = param(0.0, "headings are drawn from this range around it", unit="deg", low=0.0, high=360.0)
    speed: float = param(0.0, "speed at the start, along the heading", unit="m/s", low=0.0, high=100.0)
    poses: tuple[tuple[float, float, float], ...] = table(
        "with pattern poses: where each robot is", columns=("x", "y", "heading"), unit="m, m, deg", low=-1e6, high=1e6
    )  # fmt: skip


@dataclass(frozen=True)
class RobotGroup:
    """Robots of one kind."""

    count: int = param(10, "how many robots", low=1, high=1000000)
    model: str = param(
        "omni", "how the robots move; or a robot's file, or what is said of it as under models", choices=ROBOTS, also=Described
    )  # fmt: skip
    group: str = param("", "groups that the robots are in, with commas between")
    names: tuple[str, ...] = param((), "their names, for topics and results; those without one are robot_0, robot_1, …")
    role: str = param("ordinary", "ordinary, or leading: feels no forces and goes its way", choices=("ordinary", "leading"))
    radius: float = param(0.0375, "radius of the round footprint", unit="m", low=0.001, high=100.0)
    max_speed: float = param(1.0, "top speed, of the wheels where there are wheels", unit="m/s", low=0.001, high=100.0)
    max_acceleration: float = param(4.0, "top acceleration", unit="m/s²", low=0.001, high=1000.0)
    max_turn_rate: float = param(6.0, "top turn rate", unit="rad/s", low=0.01, high=100.0)
    wheel_base: float = param(0.06, "distance between the wheels of a differential drive", unit="m", low=0.001, high=10.0)
    start: Start = field(default_factory=Start)
    way: tuple[tuple[float, float, float], ...] = table(
        "of leading robots: their centre is there then, and goes straight in between", columns=("x", "y", "time"), unit="m, m, s",
        low=-1e6, high=1e6,
    )  # fmt: skip


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
    scene: str = param(
        "", "crossing traffic in place of the square: starts, goals and walls that grow with the robots", choices=("", *SCENES)
    )  # fmt: skip
    spacing: float = param(3.0, "distance between robots at the start of a scene, beside their stopping distance", unit="footprints",
        low=1.1, high=100.0)  # fmt: skip
    resolution: float = param(0.1, "size of the map's cells", unit="m", low=0.01, high=1.0)


@dataclass(frozen=True)
class Goal:
    """A place to go to. The next goal's turn comes when ``fraction`` of the robots have arrived at this one.

    Of a formation that splits, goals in a row that name a ``part`` are gone to at the same time, each part to its own in their order.
    They are left, and the next goals without a part gone to, when the parts become one again; and the other way round.
    """

    position: tuple[float, ...] = param((0.0, 0.0), "centre of the goal: x, y", unit="m", size=2, low=-1e6, high=1e6)
    radius: float = param(0.4, "radius of the circle that carries the leaders' subgoals", unit="m", low=0.01, high=1000.0)
    arrival_radius: float = param(0.0, "robots within this have arrived; 0: arrival_room decides", unit="m", low=0.0, high=1e4)
    arrival_room: float = param(
        1.5, "radius within which robots have arrived, of the disc that the flock fills packed at separation.distance; more beside walls",
        low=0.1, high=100.0,
    )  # fmt: skip
    fraction: float = param(0.9, "share of the robots that must arrive", low=0.0, high=1.0)
    heading: float = param(0.0, "heading of a formation there", unit="deg", low=-1e6, high=1e6)
    time: float = param(0.0, "how long a formation takes to get there; 0: as fast as it goes", unit="s", low=0.0, high=1e6)
    hold: float = param(0.5, "how long a formation rests there before it goes on", unit="s", low=0.0, high=1e6)
    part: int = param(0, "which part of a split formation goes there, from 1; 0: the whole formation", low=0, high=100000)
    each: tuple[float, ...] = param(
        (), "a place for each robot of the flock in its order: x0, y0, x1, y1, …; none: position is for all", unit="m", low=-1e6, high=1e6
    )  # fmt: skip


@dataclass(frozen=True)
class Phase:
    """From ``start`` on, parameters of ``control`` are ``set`` (dotted name → value)."""

    name: str = param("", "name of the phase")
    start: float = param(0.0, "when it begins", unit="s", low=0.0, high=1e6)
    set: dict[str, Any] = field(
        default_factory=dict, metadata=described("parameters of control from then on: dotted name and value", of=Control, dotted=True)
    )  # fmt: skip


@dataclass(frozen=True)
class Group:
    """What the robots of a group (``robots[].group``) have of their own over what is common to all.

    ``control`` and ``formation``: parts of the ``control`` tree and of ``control.formation``. Dotted, the parameters are called
    ``groups.<group>.separation.weight`` in phases, ``--set`` and ROS.
    """

    goals: tuple[Goal, ...] = ()
    control: dict[str, Any] = field(
        default_factory=dict, metadata=described("keys of control with values of the group's own", of=Control)
    )  # fmt: skip
    formation: dict[str, Any] = field(
        default_factory=dict, metadata=described("keys of control.formation with values of the group's own", of=FormationParameters)
    )  # fmt: skip


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
    radio_range: float = param(0.0, "with onboard, robots hear only those within this; 0: everybody", unit="m", low=0.0, high=1e5)
    agree: bool = param(True, "whether onboard robots that do not all hear the same tell each other of the formation that they keep")
    failures: tuple[Failure, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether robots that each keep the formation by themselves tell each other of it: they do not all hear the same."""
        return self.agree and max(self.radio_range, self.delay, self.loss, self.noise_position, self.noise_heading) > 0.0


@dataclass(frozen=True)
class Scenario:
    """A scenario, resolved: every default filled in."""

    name: str = param("", "name of the scenario; the file's name when left out")
    description: str = param("", "one line for the list of scenarios")
    duration: float = param(60.0, "how long it lasts", unit="s", low=0.001, high=1e6)
    seed: int = param(0, "seed of every random number", low=0, high=2**63 - 1)
    world: str | Arena | None = field(
        default=None, metadata=described("path of a Stage world, or keys of one made to measure; none: open space")
    )  # fmt: skip
    robots: tuple[RobotGroup, ...] = ()
    models: dict[str, Described] = field(default_factory=dict)
    landmarks: tuple[Landmarks, ...] = ()
    objects: tuple[PassiveObject, ...] = ()
    control: Control = field(default_factory=Control)
    goals: tuple[Goal, ...] = ()
    phases: tuple[Phase, ...] = ()
    events: tuple[Event, ...] = ()
    groups: dict[str, Group] = field(default_factory=dict)
    simulator: Simulator = field(default_factory=Simulator)
    hardware: Hardware = field(default_factory=Hardware)
    bodies: Bodies = field(default_factory=Bodies)
