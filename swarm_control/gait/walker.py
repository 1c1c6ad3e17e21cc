"""What a robot walks by, and what its gait controller remembers."""

from dataclasses import dataclass, field, fields

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.gait.oscillators import NONE


@dataclass(frozen=True)
class Walker:
    """What a robot with L legs walks by; the fields are those of the scenario's parameters, in any one unit of length.

    ``foothold`` (L, 2), ``table`` (L, 5, 10) of :func:`.leg.table`, ``press`` (L,), ``extension`` (L,) rad, ``load`` (L,), ``alive`` (L,);
    ``strength``, ``rise`` (5,); ``height`` of the hips; ``ground`` (negative): where standing feet are in the body's frame; ``law`` of the
    springs.
    """

    foothold: Array
    table: Array
    alive: BoolArray
    press: Array
    extension: Array
    load: Array
    strength: Array
    rise: Array
    most: float
    law: int
    fastest: float
    height: float
    ground: float
    weight: float
    interval: float
    step_time: float
    frequency: float
    coupling: float
    stride: float
    reach: float
    lift: float
    rise_share: float
    forward: float
    carry: float
    speed_gain: float
    turn_gain: float
    authority: float
    reflexes: bool
    patience: float
    stumble: float
    lag: float
    elevation: float
    retraction: float
    search_after: float
    search_speed: float
    search: float
    bare: float
    height_gain: float
    level_gain: float
    room: float
    sag: float
    raise_speed: float
    sag_time: float
    return_time: float

    @property
    def arm(self) -> float:
        """How far the outermost foothold is from the middle."""
        return float(np.hypot(*self.foothold.T).max())

    @property
    def top_speed(self) -> float:
        """Of a foot that uses all its reach at the greatest frequency."""
        return self.reach / (1.0 / self.frequency - self.step_time)

    def standing(self) -> Array:
        """Rest angles (L, 5) of legs that stand at their footholds."""
        depth = -self.press[:, None]
        angles: Array = self.table[..., 0] + self.table[..., 3] * depth + self.table[..., 6] * depth**2
        return angles

    def constants(self) -> Array:
        """All single numbers, in the kernel's order."""
        return np.array([
            self.interval, self.step_time, self.frequency, self.coupling, self.stride, self.ground, self.bare,
            self.speed_gain, self.turn_gain, self.authority, self.arm, self.top_speed,
            self.reflexes, self.height, self.patience, self.stumble, self.lag, self.elevation,
            self.step_time, self.lift, self.rise_share, self.forward, self.carry, self.retraction,
            self.search_after, self.search_speed, self.search, self.step_time,
            self.height_gain, self.level_gain, self.room, self.sag, self.raise_speed, self.sag_time, self.return_time, self.weight,
        ], float)  # fmt: skip


PURSUIT, REFLEX, PROGRAM, SEARCH, POSTURE = slice(7, 12), slice(12, 18), slice(18, 24), slice(24, 28), slice(28, 36)
"""Where the numbers of each part of the control are among the constants."""


@dataclass
class WalkerState:
    """What the controllers of R robots with L legs remember, and what they last did.

    ``phase`` (R, L); ``step`` (R, L): progress of steps, −1 for legs that stand; ``rest`` (R, L, 5) rad; ``waited`` (R, L) s; ``raised``
    (R, L): by the elevator reflex; ``missed`` (R, L) s: for how long it stands on nothing; ``deeper`` (R, L): how deep it searches;
    ``depth`` (R, L): how deep it reaches on the whole; ``posture`` (R, 4) of :func:`.posture.carry`; ``behind`` (R, 3): correction of the
    commanded speed and turn rate; ``stretched`` (R, L) rad: legs' extension; ``frequency`` (R,) Hz; ``fired`` (R, 3): how often the
    step, load and elevator reflex acted; ``limited`` (R,): whose last command was cut, or no number.
    """

    phase: Array
    rest: Array
    step: Array = field(init=False)
    waited: Array = field(init=False)
    raised: Array = field(init=False)
    missed: Array = field(init=False)
    deeper: Array = field(init=False)
    depth: Array = field(init=False)
    posture: Array = field(init=False)
    behind: Array = field(init=False)
    stretched: Array = field(init=False)
    frequency: Array = field(init=False)
    fired: Array = field(init=False)
    limited: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        robots, legs = self.phase.shape
        self.step = np.full((robots, legs), NONE)
        self.waited, self.raised, self.stretched, self.missed, self.deeper, self.depth = np.zeros((6, robots, legs))
        self.behind, self.fired, self.frequency = np.zeros((robots, 3)), np.zeros((robots, 3)), np.zeros(robots)
        self.posture, self.limited = np.zeros((robots, 4)), np.zeros(robots, bool)

    def forget(self, robot: int, fresh: "WalkerState") -> None:
        """Of one robot remember what ``fresh`` does, which has just begun."""
        for known in fields(self):
            getattr(self, known.name)[robot] = getattr(fresh, known.name)[robot]
