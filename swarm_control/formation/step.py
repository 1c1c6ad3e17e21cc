"""One period of a formation, as the data flows: odometry → estimate → fit → wish → displace → targets → commands.

Hosted, one process does this for all robots. Onboard, every robot does it for itself on everybody's odometry and obeys its own row of
the commands; nothing else is exchanged.
"""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.displace import displace
from swarm_control.formation.drive import Order, limit, remaining
from swarm_control.formation.estimate import estimate
from swarm_control.formation.fit import Fitted, fit
from swarm_control.formation.health import to_drop, watch
from swarm_control.formation.memory import SIGMAS, FormationMemory, StructureParameters, StructureStep
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.robots import Models, Robots
from swarm_control.formation.structure import Structure, members, place
from swarm_control.formation.walls import along_walls

FOLLOWER = 0.001
"""Weight of a robot that follows a leader, against the leader's 1: leader and structure hardly wait for it."""

LONGEST = 600.0
"""Time (s) that is made good after a silence; whoever was away for longer has lost the timetable."""

SEEN = 0.3
"""Onboard, the share of what others were seen to do otherwise that counts; 0.75 is unstable with 0.2 s of delay and 30 % lost."""


def step(
    state: SwarmState, stamp: Array, structure: Structure, order: Order, fleet: Fleet, models: Models, memory: FormationMemory,
    params: StructureParameters, period: float, deviation: Array | None = None, heading: Array | None = None, own: int | None = None,
    map: Map | None = None,
) -> StructureStep:  # fmt: skip
    """One period (s) of the formation; see the module's text.

    ``state`` holds the last odometry of N robots, taken at ``stamp`` (N,) s. ``order`` is for the structure's pivot: it sees the
    structure as if its frame began there. ``deviation`` (N, 2) m/s², world frame, moves robots away from their points, for obstacles.
    ``heading`` (N,) rad, NaN for none, is taken on once the formation rests. ``map``: walls, along which robots go, not into them.
    Onboard, ``own`` is the robot that obeys: what the others were told is not known here, what they would be told from here stands for
    it, and the velocity in their odometry. ``ValueError`` if the structure names a robot that is not in the fleet.
    """
    told = memory.commands if own is None else _as_far_as_known(state, stamp, memory.commands, own, period)
    belief = estimate(memory.belief, state.pose, state.valid, stamp, state.time, told, period, models, params.estimate)
    record = watch(memory.record, belief, period, params.health)
    structure = _without(structure, fleet, to_drop(record, params.health)).centred()
    robots = members(structure.names, fleet.names)
    heard = state.time - belief.stamp <= params.estimate.timeout
    horizon = period * (params.horizon if params.displace.method == "reachability" else 1.0)
    squad = Robots(belief.pose, told[0], fleet, models, period, horizon).take(robots)

    weight = _weights(structure, heard[robots], params)
    structure, fitted = _fit(structure, squad.pose, weight, params)
    pivot = np.array(params.pivot)
    held = structure.about(pivot)
    aim = _wish(held, order, memory, squad, params)
    rest = _rests(held, fitted, order.end(memory.clock), aim, memory.rest, params)
    wish = np.append(aim[:2] - rotate(pivot, aim[2]), aim[2])
    displaced = wish if rest else _displaced(structure, weight, wish, squad, params)

    target = np.full((len(fleet), 2), np.nan)
    target[robots] = place(structure.points, displaced)
    if deviation is not None:
        target += deviation * (period * horizon)
    if map is not None and not rest:
        target[robots] = _beside_walls(target[robots], squad, params, map)
    command = np.zeros((len(fleet), 3))
    command[robots] = _commands(squad, target[robots], rest, None if heading is None else heading[robots], params)
    command[~heard] = 0.0
    after = FormationMemory(
        commands=np.concatenate((command[None], memory.commands[:-1])), belief=belief, record=record, rest=rest,
        velocity=np.zeros(3) if rest else (aim - held.pose) / horizon,
        clock=_clock(held, order, memory, state.time, period, params), time=state.time,
    )  # fmt: skip
    return StructureStep(structure, displaced, wish, target, command, fitted.distance, fitted.error, record.failed, after)


def _as_far_as_known(state: SwarmState, stamp: Array, commands: Array, own: int, period: float) -> Array:
    """What all were told in the last M periods (M, N, 3), as far as one robot knows: the others what it would have told them, put right
    by a share of how much else the velocity in their odometry was, in the period in which that was measured.
    """
    twist = np.column_stack((rotate(state.velocity[:, :2], -state.pose[:, 2]), state.velocity[:, 2]))
    age = np.where(state.valid, state.time - stamp, 0.0)
    then = np.clip(np.floor(age / period + 1e-6), 0, len(commands) - 1).astype(int)
    otherwise = np.where(state.valid[:, None], twist - commands[then, np.arange(len(twist))], 0.0)
    otherwise[own] = 0.0
    return commands + SEEN * otherwise


def _without(structure: Structure, fleet: Fleet, dropped: BoolArray) -> Structure:
    """The structure without the robots to drop; at least one stays."""
    if not dropped.any():
        return structure
    stay = ~dropped[members(structure.names, fleet.names)]
    if stay.all() or not stay.any():
        return structure
    names = tuple(name for name, kept in zip(structure.names, stay, strict=True) if kept)
    return Structure(structure.points[stay], names, structure.pose)


def _weights(structure: Structure, heard: BoolArray, params: StructureParameters) -> Array:
    """Weight of each point's robot: none if it is not heard; with a leader, its followers hardly count."""
    weight = heard.astype(float)
    if params.leader in structure.names and heard[structure.index(params.leader)]:
        weight *= FOLLOWER
        weight[structure.index(params.leader)] = 1.0
    return weight


def _fit(structure: Structure, pose: Array, weight: Array, params: StructureParameters) -> tuple[Structure, Fitted]:
    position = np.where(weight[:, None] > 0.0, pose[:, :2], np.nan)
    fitted = fit(structure.points, position, weight, structure.pose, params.fit)
    return structure.at(fitted.pose), fitted


def _wish(structure: Structure, order: Order, memory: FormationMemory, squad: Robots, params: StructureParameters) -> Array:
    points, pose = structure.points, structure.pose
    wish = order.aim(points, pose, memory.clock, squad.horizon)
    last = None if params.displace.method == "naive" else memory.velocity
    end = order.end(memory.clock) if order.brakes else None
    return limit(points, pose, wish, last, squad.fleet, end, squad.period, squad.horizon, params.drive)


def _beside_walls(target: Array, squad: Robots, params: StructureParameters, map: Map) -> Array:
    room = squad.fleet.radius + params.drive.wall_margin + SIGMAS * params.estimate.noise
    return along_walls(target, squad.pose[:, :2], room, map)


def _displaced(structure: Structure, weight: Array, wish: Array, squad: Robots, params: StructureParameters) -> Array:
    if params.displace.method == "naive" or not weight.any():
        return wish
    problem = DisplacementProblem(structure.points, weight, structure.pose, wish, squad, params.displace.bias)
    return displace(problem, params.displace)[0]


def _clock(structure: Structure, order: Order, memory: FormationMemory, time: float, period: float, params: StructureParameters) -> float:
    """The order's clock now: the time since the last step counts in full, so that all robots' clocks agree again after a silence."""
    clock, left = memory.clock, period if np.isnan(memory.time) else float(np.clip(time - memory.time, 0.0, LONGEST))
    while left > 1e-9:
        passed = min(left, period)
        clock += passed * _progress(structure, order, clock, params)
        left -= passed
    return clock


def _progress(structure: Structure, order: Order, clock: float, params: StructureParameters) -> float:
    """How fast the order's clock goes: 1, or down to 0 as the structure lags behind by once to twice the patience."""
    patience = params.drive.patience
    if patience == 0.0:
        return 1.0
    lag = remaining(structure.points, structure.pose, order.aim(structure.points, structure.pose, clock, 0.0))
    return float(np.clip(2.0 - lag / patience, 0.0, 1.0))


def _rests(structure: Structure, fitted: Fitted, end: Array | None, wish: Array, was: bool, params: StructureParameters) -> bool:
    """Whether the formation has arrived and its robots are in place; once it rests it takes twice the tolerance to move again."""
    tolerance = params.tolerance * (2.0 if was else 1.0)
    if end is None:
        there = bool(np.abs(wish - structure.pose).max() < 1e-9)
    else:
        there = remaining(structure.points, structure.pose, end) < tolerance
    return there and bool(np.nanmax(fitted.distance, initial=0.0) < tolerance)


def _commands(squad: Robots, target: Array, rest: bool, heading: Array | None, params: StructureParameters) -> Array:
    if rest:
        if heading is None:
            return squad.command(np.full(target.shape, np.nan))
        return squad.models.turn_to(squad.pose, heading, squad.previous, squad.fleet, squad.period)
    if params.displace.method == "naive":
        return squad.models.naive_command(squad.pose, target, squad.previous, squad.fleet, squad.period, params.displace.turn_gain)
    return squad.command(target)
