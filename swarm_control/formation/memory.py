"""The parameters of virtual structures, what a controller remembers from period to period, and what it makes of one."""

from dataclasses import dataclass, field, replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.parameters import param
from swarm_control.formation.displace import Displace
from swarm_control.formation.drive import Drive
from swarm_control.formation.estimate import Belief, Estimate
from swarm_control.formation.field import ForceField
from swarm_control.formation.fit import Fit
from swarm_control.formation.health import Health, Record
from swarm_control.formation.structure import Structure
from swarm_control.formation.way import Planning

SIGMAS = 3.0
"""Robots are told from their places within so many standard deviations of the estimate."""


@dataclass(frozen=True)
class StructureParameters:
    """Parameters of virtual structures."""

    horizon: float = param(3.0, "commands lead to their targets in this many periods", unit="periods", low=1.0, high=100.0)
    leader: str = param("", "robot whose position gives the structure's; none: all robots together")
    pivot: tuple[float, ...] = param(
        (0.0, 0.0), "point of the structure, in its frame, that it turns about and that goals are for", unit="m", size=2, low=-1e4, high=1e4
    )
    force_field: ForceField = field(default_factory=ForceField)
    fit: Fit = field(default_factory=Fit)
    displace: Displace = field(default_factory=Displace)
    drive: Drive = field(default_factory=Drive)
    estimate: Estimate = field(default_factory=Estimate)
    health: Health = field(default_factory=Health)
    plan: Planning = field(default_factory=Planning)

    @property
    def tolerance(self) -> float:
        """How near (m) its goal a structure, and their points robots, are there: no nearer than the estimate can tell."""
        return max(self.drive.tolerance, SIGMAS * self.estimate.spread)


@dataclass(frozen=True)
class FormationMemory:
    """What a step remembers: the last ``commands`` (M, N, 3), the newest first; the ``belief``; the ``record`` of failures; the last
    wished ``velocity`` (3,) of the structure's pivot, per s, world frame; who has turned for its leaving, ``ready`` (N,); the ``clock``
    (s) of the order; whether the formation is at ``rest``; the ``time`` (s) of the step, NaN before the first one.
    """

    commands: Array
    belief: Belief
    record: Record
    velocity: Array
    ready: BoolArray
    clock: float = 0.0
    rest: bool = False
    time: float = np.nan

    @classmethod
    def start(cls, count: int, period: float, params: StructureParameters) -> "FormationMemory":
        """At rest, nobody heard from, for ``count`` robots."""
        depth = int(np.ceil(params.estimate.timeout / period)) + 1
        return cls(np.zeros((depth, count, 3)), Belief.nothing(count), Record.clean(count), np.zeros(3), np.zeros(count, bool))

    def order(self, clock: float = 0.0) -> "FormationMemory":
        """The same with the clock (s) at its beginning: a new order is given."""
        return replace(self, clock=clock, rest=False)


@dataclass(frozen=True)
class StructureStep:
    """What one period made of N robots and M points.

    ``structure`` is fitted to the robots now (and rid of robots that were dropped); ``displaced`` (3,) is its pose at the horizon and
    ``wish`` (3,) the one that was wished; ``target`` (N, 2) m, world frame, NaN for robots without one; ``command`` (N, 3) twists in the
    robots' frames; ``distance`` (M,) m of each robot from its point, NaN when unknown, ``error`` (m) their mean; ``failed`` (N,).
    """

    structure: Structure
    displaced: Array
    wish: Array
    target: Array
    command: Array
    distance: Array
    error: float
    failed: BoolArray
    memory: FormationMemory
