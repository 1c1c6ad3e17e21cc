"""What flows through a swarm tick. SI units; frames are named on every field; nothing here changes once made."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from swarm_control.core.geometry import AnyArray, Array, BoolArray, Float32Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.memo import Memo
from swarm_control.core.robot import ROBOTS, RobotModel
from swarm_control.core.rows import finite_rows, row_mean

Made = TypeVar("Made")


@dataclass(frozen=True)
class Fleet:
    """What the robots are: constant during a run. N robots.

    ``names`` (N,); ``model`` (N,) the motion model's name; ``radius`` (N,) of the round footprint, m; ``max_speed`` (N,) m/s, of
    the wheels where there are wheels; ``max_acceleration`` (N,) m/s²; ``max_turn_rate`` (N,) rad/s; ``wheel_base`` (N,) m between
    the wheels of a differential drive.
    """

    names: tuple[str, ...]
    model: tuple[str, ...]
    radius: Array
    max_speed: Array
    max_acceleration: Array
    max_turn_rate: Array
    wheel_base: Array
    _memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.names)

    def once(self, make: Callable[..., Made], *key: Hashable) -> Made:
        """``make(fleet, *key)``, computed when it is first asked for, as :meth:`Map.once` does. It is not to be changed."""
        made: Made = self._memo.once(make, self, key)
        return made

    def take(self, robots: IntArray) -> "Fleet":
        """The part of the fleet with these indices."""
        if np.array_equal(robots, np.arange(len(self))):
            return self
        names, model = (tuple(values[k] for k in robots) for values in (self.names, self.model))
        return Fleet(
            names, model, self.radius[robots], self.max_speed[robots], self.max_acceleration[robots], self.max_turn_rate[robots],
            self.wheel_base[robots],
        )  # fmt: skip

    @cached_property
    def models(self) -> dict[str, IntArray]:
        """Which robots (indices) each motion model moves."""
        kinds = sorted(set(self.model))
        if len(kinds) == 1:
            return {kinds[0]: np.arange(len(self))}
        model = np.array(self.model)
        return {kind: np.flatnonzero(model == kind) for kind in kinds}

    @cached_property
    def of_models(self) -> tuple[tuple[RobotModel, IntArray], ...]:
        """Each motion model and its robots (indices)."""
        return tuple((ROBOTS[name], robots) for name, robots in self.models.items())

    @cached_property
    def parts(self) -> tuple[tuple[RobotModel, Any, "Fleet"], ...]:
        """Each motion model, the rows of its robots in arrays (all of them: a slice, which spares a copy) and their part of the fleet."""
        rows = {name: slice(None) if len(robots) == len(self) else robots for name, robots in self.models.items()}
        return tuple((ROBOTS[name], rows[name], self.take(robots)) for name, robots in self.models.items())

    @property
    def dynamic(self) -> bool:
        """Whether MuJoCo moves any of the robots."""
        return any(model.body is not None for model, _ in self.of_models)

    def column(self, property: Callable[[RobotModel], Any]) -> AnyArray:
        """A property of each robot's model (N,)."""
        values = {name: property(ROBOTS[name]) for name in self.models}
        return np.array([values[name] for name in self.model])


@dataclass(frozen=True)
class SwarmState:
    """Poses and velocities of N robots at ``time`` (s).

    ``pose`` (N, 3): x, y (m), yaw (rad) in the world frame. ``velocity`` (N, 3): vx, vy (m/s), ω (rad/s) in the world frame.
    ``valid`` (N,): whether the robot's odometry is finite and fresh; rows that are not hold zeros and mean nothing. Make it with
    :meth:`of`, which sees to that. ``fallen`` (N,): who lies on the ground and will not get up; None: nobody. ``doubt`` (N, 5): by how much
    positions (m), velocities (m/s), headings (rad) can be off, and what is measured of positions and headings (σ); None: as parameters say.
    """

    time: float
    pose: Array
    velocity: Array
    valid: BoolArray
    fallen: BoolArray | None = None
    doubt: Array | None = None

    @classmethod
    def of(
        cls, time: float, pose: Array, velocity: Array, valid: BoolArray | None = None, fallen: BoolArray | None = None
    ) -> "SwarmState":  # fmt: skip
        """Make a state; rows with values that are not finite become invalid, invalid rows become zero."""
        pose, velocity = np.ascontiguousarray(pose, float), np.ascontiguousarray(velocity, float)
        good: BoolArray = finite_rows(len(pose), pose, velocity)
        if valid is not None:
            good &= valid
        if not good.all():
            pose, velocity = np.where(good[:, None], pose, 0.0), np.where(good[:, None], velocity, 0.0)
        return cls(time, pose, velocity, good, fallen if fallen is not None and fallen.any() else None)

    def take(self, robots: IntArray) -> "SwarmState":
        """The state of these robots (indices)."""
        if len(robots) == len(self):
            return self
        fallen = None if self.fallen is None else self.fallen[robots]
        doubt = None if self.doubt is None else self.doubt[robots]
        return SwarmState(self.time, self.pose[robots], self.velocity[robots], self.valid[robots], fallen, doubt)

    @cached_property
    def complete(self) -> bool:
        """Whether every robot is valid."""
        return bool(self.valid.all())

    @cached_property
    def seen(self) -> list["Neighbourhoods"]:
        """Who is around everybody, as far as it has been looked for: :func:`~swarm_control.core.perception.look` notes it here."""
        return []

    @property
    def position(self) -> Array:
        """(N, 2) m, world frame."""
        return self.pose[:, :2]

    def __len__(self) -> int:
        return len(self.pose)


@dataclass(frozen=True)
class Neighbourhoods:
    """Whom each robot perceives, in compressed rows: robot i perceives ``index[start[i]:start[i + 1]]``. M pairs.

    ``start`` (N+1,); ``index`` (M,); ``offset`` (M, 2): x_j − x_i in m and ``velocity`` (M, 2): v_j − v_i in m/s, both as
    perceived and along the world's axes; ``distance`` (M,) = ‖offset‖, m. ``within`` m: everybody is in it who really is so near to a
    valid robot, as he really is; 0: that cannot be said.
    """

    start: IntArray
    index: IntArray
    offset: Array
    velocity: Array
    distance: Array
    within: float = 0.0

    @property
    def count(self) -> IntArray:
        """Number of neighbours of each robot (N,)."""
        return np.diff(self.start)

    @cached_property
    def owner(self) -> IntArray:
        """Which robot perceives each pair (M,)."""
        return np.repeat(np.arange(len(self.start) - 1), self.count)

    def keep(self, kept: BoolArray) -> "Neighbourhoods":
        """The pairs that are ``kept`` (M,)."""
        start = np.concatenate(([0], np.cumsum(kept)))[self.start]
        return Neighbourhoods(start, self.index[kept], self.offset[kept], self.velocity[kept], self.distance[kept])

    def mean(self, values: Array) -> Array:
        """Mean over each robot's neighbours of per-pair ``values`` (M, 2) → (N, 2); zero for a robot that perceives nobody."""
        result: Array = row_mean(len(self.start) - 1, self.start, values)
        return result


@dataclass(frozen=True)
class Map:
    """A grid with its ``clearance`` (H, W) float32: distance in m from the cell's centre to the nearest wall.

    What else behaviours read from a map they make themselves, by :meth:`once`.
    """

    grid: Grid
    clearance: Float32Array
    _memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    def once(self, make: Callable[..., Made], *key: Hashable) -> Made:
        """``make(map, *key)``, computed when it is first asked for: fields that are the same in every tick. It is not to be changed.

        ``make``: a function of the map and of ``key`` alone, the same object in each tick; ``key``: finite numbers, text or tuples of them.
        The last four results of each function are kept.
        """
        made: Made = self._memo.once(make, self, key)
        return made


@dataclass(frozen=True)
class Way:
    """A programmed path: ``robots`` (k,) indices whose centre is at ``point`` (P, 2) m, world frame, at ``time`` (P,) s; ``offset`` (k, 2)
    m is where each is kept from that centre.
    """

    robots: IntArray
    offset: Array
    time: Array
    point: Array


@dataclass(frozen=True)
class Society:
    """Who belongs to which groups, for force laws between them: constant during a run.

    ``kinds`` (K,): the sets of groups that occur; robots are also in the group ``""``. ``robot`` (N,): the kind of each robot.
    ``landmark`` (M, 2) m, world frame: points that exert forces like robots, and ``landmark_kind`` (M,). ``leads`` (N,): robots that
    exert forces and feel none, but go ``ways``.
    """

    kinds: tuple[frozenset[str], ...]
    robot: IntArray
    landmark: Array
    landmark_kind: IntArray
    leads: BoolArray
    ways: tuple[Way, ...] = ()

    @classmethod
    def plain(cls, robots: int) -> "Society":
        """``robots`` in no group, and no landmarks."""
        nobody = np.zeros(robots, bool)
        return cls((frozenset({""}),), np.zeros(robots, np.int64), np.empty((0, 2)), np.empty(0, np.int64), nobody)


LED, ALONE, HELD = 1, 2, 3
"""How far robots lag that get no nearer to where they are to go: they are led; if that does not help, they leave their group. Those that
are held brake and stand, whatever their behaviours want.
"""


@dataclass(frozen=True)
class Surroundings:
    """What a robot knows besides its neighbours.

    ``goal`` (N, 2) m, world frame: where the robot is urged to go, NaN for robots that feel no urge. ``map`` may be None: open
    space. ``target`` (2,) m: centre of the flock's present goal, NaN when there is none. ``society`` may be None: nobody is in a group.
    ``swarm`` is what is known of all robots, where the tick's own state leaves some out, for behaviours that declare ``sees_all``; None: it
    leaves nobody out. ``gains``: () → (N, 3): acceleration per error of position (1/s²) and of velocity (1/s) in a group, and how far ahead
    robots predict (s), by their kinds; NaN where a kind has none, None: nobody's has. ``route``: (poses (N, 3), goals (N, 2) m,
    and room (N,) m to keep to walls) → unit directions (N, 2) of the shortest free ways, zero for goals of NaN; None: open space. ``squad``
    (N,): which robots belong together, by number, where groups have parameters of their own; None: all do. ``limited``: whether parameters
    of perception differ from their defaults, for behaviours that otherwise act on more than is perceived. ``lag`` (N,): :data:`LED` for
    stragglers, :data:`ALONE` for those who do not mind their group, :data:`HELD` for those who are to stand, else zero; None: nobody lags.
    ``lead`` (N, 2): how far (m) the point that requests accelerate is ahead of the robot, see ``RobotModel.lead``, and that plus its least
    turning circle's width; None: not at all. ``gain``: what accumulation multiplies weights by. Both functions compute what takes long when
    they are first asked.
    """

    fleet: Fleet
    goal: Array
    target: Array
    map: Map | None = None
    society: Society | None = None
    swarm: SwarmState | None = None
    gains: Callable[[], Array] | None = None
    squad: IntArray | None = None
    route: Callable[..., Array] | None = None
    limited: bool = False
    lag: IntArray | None = None
    lead: Array | None = None
    gain: float = 1.0


@dataclass(frozen=True)
class Requests:
    """Accelerations that the behaviours ask for: ``names`` (B,), ``acceleration`` (B, N, 2) m/s², world frame, weights applied."""

    names: tuple[str, ...]
    acceleration: Array


@dataclass(frozen=True)
class Accumulated:
    """What became of the requests: ``total`` (N, 2) m/s², world frame, and each behaviour's ``share`` (B, N, 2) of it."""

    names: tuple[str, ...]
    total: Array
    share: Array


@dataclass(frozen=True)
class Commands:
    """Velocities to obey, ``twist`` (N, 3): forward and leftward speed (m/s), turn rate (rad/s), in the robot's frame.

    ``fenced`` (N,): whose wish the fence has cut; None where nobody has looked.
    """

    twist: Array
    fenced: BoolArray | None = None
