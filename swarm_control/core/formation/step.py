"""One period of a formation, as the data flows: odometry → estimate → fit → wish → displace → targets → commands.

Hosted, one process does this for all robots. Onboard, every robot does it for itself on everybody's odometry and obeys its own row of
the commands; nothing else is exchanged.
"""

import numpy as np

from swarm_control.core.formation.displace import displace
from swarm_control.core.formation.drive import Order, limit, remaining
from swarm_control.core.formation.estimate import estimate
from swarm_control.core.formation.fit import Fitted, fit
from swarm_control.core.formation.health import to_drop, watch
from swarm_control.core.formation.memory import Formation, Memory, Step
from swarm_control.core.formation.problem import Problem
from swarm_control.core.formation.robots import Models, Robots
from swarm_control.core.formation.structure import Structure, members, place
from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.core.state import Fleet, SwarmState

FOLLOWER = 0.001
"""Weight of a robot that follows a leader, against the leader's 1: leader and structure hardly wait for it."""


def step(
    state: SwarmState, stamp: Array, structure: Structure, order: Order, fleet: Fleet, models: Models, memory: Memory,
    params: Formation, period: float, deviation: Array | None = None, heading: Array | None = None, own: int | None = None,
) -> Step:  # fmt: skip
    """One period (s) of the formation; see the module's text.

    ``state`` holds the last odometry of N robots, taken at ``stamp`` (N,) s. ``deviation`` (N, 2) m/s², world frame, moves robots away
    from their points, for obstacles. ``heading`` (N,) rad, NaN for none, is taken on once the formation rests. Onboard, ``own`` is the
    robot that obeys: what the others were told is not known here, their odometry's velocity stands for it. ``ValueError`` if the
    structure names a robot that is not in the fleet.
    """
    told = memory.commands if own is None else _as_seen(state, memory.commands, own)
    belief = estimate(memory.belief, state.pose, state.valid, stamp, state.time, told, period, models, params.estimate)
    record = watch(memory.record, belief, period, params.health)
    structure = _without(structure, fleet, to_drop(record, params.health)).centred()
    robots = members(structure.names, fleet.names)
    heard = state.time - belief.stamp <= params.estimate.timeout
    horizon = period * (params.horizon if params.displace.method == "reachability" else 1.0)
    squad = Robots(belief.pose, told[0], fleet, models, period, horizon).take(robots)

    weight = _weights(structure, heard[robots], params)
    structure, fitted = _fit(structure, squad.pose, weight, params)
    wish = _wish(structure, order, memory, squad, params)
    rest = _rests(structure, fitted, order.end(memory.clock), wish, memory.rest, params)
    displaced = wish if rest else _displaced(structure, weight, wish, squad, params)

    target = np.full((len(fleet), 2), np.nan)
    target[robots] = place(structure.points, displaced)
    if deviation is not None:
        target += deviation * (period * horizon)
    command = np.zeros((len(fleet), 3))
    command[robots] = _commands(squad, target[robots], rest, None if heading is None else heading[robots], params)
    command[~heard] = 0.0
    after = Memory(
        commands=np.concatenate((command[None], memory.commands[:-1])), belief=belief, record=record, rest=rest,
        velocity=np.zeros(3) if rest else (wish - structure.pose) / horizon,
        clock=memory.clock + period * _progress(structure, order, memory.clock, params),
    )  # fmt: skip
    return Step(structure, displaced, wish, target, command, fitted.distance, fitted.error, record.failed, after)


def _as_seen(state: SwarmState, commands: Array, own: int) -> Array:
    """The last commands (M, N, 3) with the velocity in each other robot's odometry in their place, in its frame."""
    twist = np.column_stack((rotate(state.velocity[:, :2], -state.pose[:, 2]), state.velocity[:, 2]))
    twist[~state.valid] = 0.0
    seen = np.repeat(twist[None], len(commands), axis=0)
    seen[:, own] = commands[:, own]
    return seen


def _without(structure: Structure, fleet: Fleet, dropped: BoolArray) -> Structure:
    """The structure without the robots to drop; at least one stays."""
    if not dropped.any():
        return structure
    stay = ~dropped[members(structure.names, fleet.names)]
    if stay.all() or not stay.any():
        return structure
    names = tuple(name for name, kept in zip(structure.names, stay, strict=True) if kept)
    return Structure(structure.points[stay], names, structure.pose)


def _weights(structure: Structure, heard: BoolArray, params: Formation) -> Array:
    """Weight of each point's robot: none if it is not heard; with a leader, its followers hardly count."""
    weight = heard.astype(float)
    if params.leader in structure.names and heard[structure.index(params.leader)]:
        weight *= FOLLOWER
        weight[structure.index(params.leader)] = 1.0
    return weight


def _fit(structure: Structure, pose: Array, weight: Array, params: Formation) -> tuple[Structure, Fitted]:
    position = np.where(weight[:, None] > 0.0, pose[:, :2], np.nan)
    fitted = fit(structure.points, position, weight, structure.pose, params.fit)
    return structure.at(fitted.pose), fitted


def _wish(structure: Structure, order: Order, memory: Memory, squad: Robots, params: Formation) -> Array:
    points, pose = structure.points, structure.pose
    wish = order.aim(points, pose, memory.clock, squad.horizon)
    last = None if params.displace.method == "naive" else memory.velocity
    return limit(points, pose, wish, last, squad.fleet, order.end(memory.clock), squad.period, squad.horizon, params.drive)


def _displaced(structure: Structure, weight: Array, wish: Array, squad: Robots, params: Formation) -> Array:
    if params.displace.method == "naive" or not weight.any():
        return wish
    problem = Problem(structure.points, weight, structure.pose, wish, squad, params.displace.bias)
    return displace(problem, params.displace)[0]


def _progress(structure: Structure, order: Order, clock: float, params: Formation) -> float:
    """How fast the order's clock goes: 1, or down to 0 as the structure lags behind by once to twice the patience."""
    patience = params.drive.patience
    if patience == 0.0:
        return 1.0
    lag = remaining(structure.points, structure.pose, order.aim(structure.points, structure.pose, clock, 0.0))
    return float(np.clip(2.0 - lag / patience, 0.0, 1.0))


def _rests(structure: Structure, fitted: Fitted, end: Array | None, wish: Array, was: bool, params: Formation) -> bool:
    """Whether the formation has arrived and its robots are in place; once it rests it takes twice the tolerance to move again."""
    tolerance = params.drive.tolerance * (2.0 if was else 1.0)
    if end is None:
        there = bool(np.abs(wish - structure.pose).max() < 1e-9)
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
