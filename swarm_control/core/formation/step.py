"""One period of a formation, as the data flows: odometry → estimate → fit → wish → displace → targets → commands.

Hosted, one process does this for all robots. Onboard, every robot does it for itself on everybody's odometry and obeys its own row of
the commands; nothing else is exchanged.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from swarm_control.core.formation.displace import Displace, displace
from swarm_control.core.formation.drive import Drive, Order, limit, remaining
from swarm_control.core.formation.estimate import Belief, Estimate, estimate
from swarm_control.core.formation.fit import Fit, Fitted, fit
from swarm_control.core.formation.health import Health, Record, to_drop, watch
from swarm_control.core.formation.problem import Problem
from swarm_control.core.formation.robots import Models, Robots
from swarm_control.core.formation.structure import Structure, compose, inverse, place
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import Fleet, SwarmState


@dataclass(frozen=True)
class Formation:
    """Parameters of virtual structures."""

    horizon: float = param(3.0, "commands lead to their targets in this many periods", unit="periods", low=1.0, high=100.0)
    leader: str = param("", "robot whose pose alone gives the structure's; none: all robots together")
    fit: Fit = field(default_factory=Fit)
    displace: Displace = field(default_factory=Displace)
    drive: Drive = field(default_factory=Drive)
    estimate: Estimate = field(default_factory=Estimate)
    health: Health = field(default_factory=Health)


@dataclass(frozen=True)
class Memory:
    """What a step remembers: the last ``commands`` (M, N, 3), the newest first; the ``belief``; the ``record`` of failures; the last
    wished ``velocity`` (3,) of the structure, per s, world frame; the ``clock`` (s) of the order; whether the formation is at ``rest``.
    """

    commands: Array
    belief: Belief
    record: Record
    velocity: Array
    clock: float = 0.0
    rest: bool = False

    @classmethod
    def start(cls, count: int, period: float, params: Formation) -> "Memory":
        """At rest, nobody heard from, for ``count`` robots."""
        depth = int(np.ceil(params.estimate.timeout / period)) + 1
        return cls(np.zeros((depth, count, 3)), Belief.nothing(count), Record.clean(count), np.zeros(3))

    def order(self) -> "Memory":
        """The same with the clock at zero: a new order is given."""
        return replace(self, clock=0.0, rest=False)


@dataclass(frozen=True)
class Step:
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
    memory: Memory


def step(
    state: SwarmState, stamp: Array, structure: Structure, order: Order, fleet: Fleet, models: Models, memory: Memory,
    params: Formation, period: float, deviation: Array | None = None, heading: Array | None = None,
) -> Step:  # fmt: skip
    """One period (s) of the formation; see the module's text.

    ``state`` holds the last odometry of N robots, taken at ``stamp`` (N,) s. ``deviation`` (N, 2) m/s², world frame, moves robots away
    from their points, for obstacles. ``heading`` (N,) rad, NaN for none, is taken on once the formation rests. ``ValueError`` if the
    structure names a robot that is not in the fleet.
    """
    robots = members(structure, fleet)
    belief = estimate(
        memory.belief, state.pose, state.valid, stamp, state.time, memory.commands, period, models, params.estimate
    )
    record = watch(memory.record, belief, period, params.health)
    structure, robots = _drop(structure, robots, to_drop(record, params.health))
    heard = state.time - belief.stamp <= params.estimate.timeout
    horizon = period * (params.horizon if params.displace.method == "reachability" else 1.0)
    squad = Robots(belief.pose, memory.commands[0], fleet, models, period, horizon).take(robots)
    weight = heard[robots].astype(float)

    structure, fitted = _fit(structure.centred(), squad.pose, weight, params)
    points, pose = structure.points, structure.pose
    clock = memory.clock
    wish = _wish(structure, order, clock, squad, memory.velocity, params)
    velocity = (wish - pose) / horizon
    rest = _rests(structure, fitted, order.end(clock), velocity, memory.rest, params.drive)
    displaced = wish
    if params.displace.method == "reachability" and not rest and weight.any():
        displaced, _ = displace(Problem(points, weight, pose, wish, squad, params.displace.bias), params.displace)

    target = place(points, displaced)
    if deviation is not None:
        target = target + deviation[robots] * (period * horizon)
    command = np.zeros((len(fleet), 3))
    command[robots] = _commands(squad, target, rest, None if heading is None else heading[robots], params)
    command[~heard] = 0.0
    everybody = np.full((len(fleet), 2), np.nan)
    everybody[robots] = target
    commands = np.concatenate((command[None], memory.commands[:-1]))
    clock = clock + period * _progress(structure, order, clock, params.drive)
    after = Memory(commands, belief, record, np.zeros(3) if rest else velocity, clock, rest)
    return Step(structure, displaced, wish, everybody, command, fitted.distance, fitted.error, record.failed, after)


def members(structure: Structure, fleet: Fleet) -> IntArray:
    """Index in the fleet of the robot that holds each point (M,); ``ValueError`` if there is none of that name."""
    if structure.names == fleet.names:
        return np.arange(len(fleet))
    where = {name: k for k, name in enumerate(fleet.names)}
    missing = [name for name in structure.names if name not in where]
    if missing:
        raise ValueError(f"structure needs robot {missing[0]!r}, which is not there; expected names out of {', '.join(fleet.names)}")
    return np.array([where[name] for name in structure.names], np.int64)


def led(points: Array, k: int, leader: Array, previous: Array) -> Array:
    """Pose (3,) of a structure whose point ``k`` is at the ``leader``'s position and whose heading is the leader's (3,)."""
    return compose(leader, inverse(np.append(points[k], 0.0)))


def _drop(structure: Structure, robots: IntArray, dropped: BoolArray) -> tuple[Structure, IntArray]:
    stay = ~dropped[robots]
    if stay.all() or not stay.any():
        return structure, robots
    names = tuple(name for name, kept in zip(structure.names, stay, strict=True) if kept)
    return Structure(structure.points[stay], names, structure.pose), robots[stay]


def _fit(structure: Structure, pose: Array, weight: Array, params: Formation) -> tuple[Structure, Fitted]:
    position = np.where(weight[:, None] > 0.0, pose[:, :2], np.nan)
    fitted = fit(structure.points, position, weight, structure.pose, params.fit)
    if params.leader:
        k = structure.index(params.leader)
        if weight[k] > 0.0:
            at = led(structure.points, k, pose[k], structure.pose)
            fitted = Fitted(at, norm(place(structure.points, at) - position))
    return structure.at(fitted.pose), fitted


def _progress(structure: Structure, order: Order, clock: float, params: Drive) -> float:
    """How fast the order's clock goes: 1, or down to 0 as the structure lags behind by once to twice the patience."""
    if params.patience == 0.0:
        return 1.0
    lag = remaining(structure.points, structure.pose, order.aim(structure.points, structure.pose, clock, 0.0))
    return float(np.clip(2.0 - lag / params.patience, 0.0, 1.0))


def _wish(structure: Structure, order: Order, clock: float, squad: Robots, last: Array, params: Formation) -> Array:
    points, pose = structure.points, structure.pose
    wish = order.aim(points, pose, clock, squad.horizon)
    last = last if params.displace.method == "reachability" else None
    return limit(points, pose, wish, last, squad.fleet, order.end(clock), squad.period, squad.horizon, params.drive)


def _rests(structure: Structure, fitted: Fitted, end: Array | None, velocity: Array, was: bool, params: Drive) -> bool:
    """Whether the formation has arrived and its robots are in place; once it rests it takes twice the tolerance to move again."""
    tolerance = params.tolerance * (2.0 if was else 1.0)
    if end is None:
        there = not velocity.any()
    else:
        there = remaining(structure.points, structure.pose, end) < tolerance
    return there and bool(np.nanmax(fitted.distance, initial=0.0) < tolerance)


def _commands(squad: Robots, target: Array, rest: bool, heading: Array | None, params: Formation) -> Array:
    if rest:
        if heading is None:
            return squad.command(np.full(target.shape, np.nan))
        return squad.models.turn_to(squad.pose, heading, squad.previous, squad.fleet, squad.period)
    if params.displace.method == "naive":
        return squad.models.naive_command(squad.pose, target, squad.previous, squad.fleet, squad.period, params.displace.turn_gain)
    return squad.command(target)
