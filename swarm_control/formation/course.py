"""Where a formation goes in one period: rigid, as far as its robots can follow, or each robot on a planned way."""

from typing import NamedTuple

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.core.state import Map
from swarm_control.formation.align import Turning
from swarm_control.formation.displace import displace
from swarm_control.formation.drive import Order, remaining
from swarm_control.formation.fit import Fitted, fit
from swarm_control.formation.limits import limit, limited_change, limited_speed
from swarm_control.formation.memory import SIGMAS, FormationMemory, StructureParameters
from swarm_control.formation.participants import FOLLOWER
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.pursue import eased
from swarm_control.formation.robots import Robots
from swarm_control.formation.structure import Structure, place
from swarm_control.formation.walls import along_walls
from swarm_control.formation.way import PlannedWay

ASTRAY = np.deg2rad([6.0, 9.0])
"""A structure that a robot holds back is pulled on while it is off the heading that it was told by less than the first angle (rad), only
turns beyond the second, and does some of both between. What pulls it on turns it away, by less than the first: it does not swing."""

LONGEST = 600.0
"""Time (s) that is made good after a silence; whoever was away for longer has lost the timetable."""


class TeamState(NamedTuple):
    """What the M robots of the structure are and do: the ``squad``, ``weight`` (M,) of each, who has ``failed`` (M,), who is ``ready``
    (M,) to leave; what is remembered, the parameters, the ``time`` (s).
    """

    squad: Robots
    weight: Array
    failed: BoolArray
    ready: BoolArray
    memory: FormationMemory
    params: StructureParameters
    time: float


class StructureCourse(NamedTuple):
    """What comes of it: the ``structure`` as ``fitted``, its pose ``displaced`` (3,) and the one that was wished, each robot's ``target``
    (M, 2) m and ``command`` (M, 3), whether all ``rest``, who is ``ready`` (M,) to leave, the pivot's ``velocity`` (3,), the order's clock.
    """

    structure: Structure
    fitted: Fitted
    displaced: Array
    wish: Array
    target: Array
    command: Array
    rest: bool
    ready: BoolArray
    velocity: Array
    clock: float


def planned(structure: Structure, order: PlannedWay, now: TeamState) -> StructureCourse:
    """Each robot to its own place on the plan."""
    squad, memory, names = now.squad, now.memory, structure.names
    structure, fitted = _fit(structure, squad.pose, now.weight, now.params)
    wish = order.aim(structure.points, structure.pose, memory.clock, squad.horizon)
    target = order.targets(names, memory.clock, squad)
    command = _turned(squad.command(target), order.facing(names, memory.clock, squad), squad)
    velocity = (wish - structure.pose) / squad.horizon
    clock = _clock(structure, order, now)
    return StructureCourse(structure, fitted, wish, wish, target, command, False, np.zeros(len(names), bool), velocity, clock)


def rigid(
    structure: Structure, order: Order, now: TeamState, deviation: Array | None, heading: Array | None, map: Map | None
) -> StructureCourse:  # fmt: skip
    """The structure goes as it is, as far as its robots can follow."""
    squad, weight, memory, params = now.squad, now.weight, now.memory, now.params
    naive, pivot = params.displace.method == "naive", np.array(params.pivot)
    structure, fitted = _fit(structure, squad.pose, weight, params)
    held = structure.about(pivot)
    orderly = np.where((weight > FOLLOWER) & ~now.failed, fitted.distance, np.nan)
    free = not naive and (deviation is None or not deviation.any())
    turning = Turning(order, held, squad, orderly, params.tolerance, params.drive, memory.clock) if free else None
    aim = _wish(held, order, memory, squad, turning, params, now.failed & (weight > FOLLOWER))
    rest = _rests(held, fitted, order.end(memory.clock), aim, memory.rest, params)
    turn, ready = None, np.zeros(len(structure), bool)
    if turning is not None and not rest and not memory.velocity.any():
        turn, ready = turning.departing(aim, now.ready)
        aim = aim if turn is None else held.pose
    wish = np.append(aim[:2] - rotate(pivot, aim[2]), aim[2])
    displaced = wish if rest else _displaced(structure, weight, wish, squad, params)

    point = place(structure.points, displaced)
    target = _moved_aside(point, squad, rest, params, deviation, map)
    led = target if naive else eased(target, point, structure.world, squad, params.drive.look_ahead)
    command = _commands(squad, led, rest or turn is not None, turn if turn is not None or heading is None else heading, params)
    velocity = np.zeros(3) if rest else (aim - held.pose) / squad.horizon
    clock = memory.clock if turn is not None else _clock(held, order, now)
    return StructureCourse(structure, fitted, displaced, wish, target, command, rest, ready, velocity, clock)


def _fit(structure: Structure, pose: Array, weight: Array, params: StructureParameters) -> tuple[Structure, Fitted]:
    position = np.where(weight[:, None] > 0.0, pose[:, :2], np.nan)
    fitted = fit(structure.points, position, weight, structure.pose, params.fit)
    return structure.at(fitted.pose), fitted


def _wish(
    structure: Structure, order: Order, memory: FormationMemory, squad: Robots, turning: Turning | None, params: StructureParameters,
    failed: BoolArray,
) -> Array:  # fmt: skip
    """Where the structure is to be in one horizon; at a corner it stops for those who are ``turning``. One that cannot go on, as a robot
    has ``failed`` (M,), turns about it as told (Lewis & Tan 1997, Fig. 14).
    """
    points, pose, fleet, horizon = structure.points, structure.pose, squad.fleet, squad.horizon
    wish = order.aim(points, pose, memory.clock, horizon)
    if params.displace.method == "naive":
        return limit(points, pose, wish, None, fleet, None, squad.period, horizon, params.drive)
    end = order.end(memory.clock) if order.brakes else None
    twist = limited_speed(points, pose, (wish - pose) / horizon, fleet, end, horizon, params.drive)
    if failed.any():
        held = squad.pose[failed, :2].mean(axis=0) - rotate(points[failed].mean(axis=0), wish[2])
        turn = limited_speed(points, pose, (np.append(held, wish[2]) - pose) / horizon, fleet, end, horizon, params.drive)
        share = float(np.interp(abs(wish[2] - pose[2]), ASTRAY, (0.0, 1.0)))
        twist = share * turn + (1.0 - share) * twist
    if turning is not None and turning.corner(memory.velocity, twist):
        twist = np.zeros(3)
    return pose + horizon * limited_change(points, pose, twist, memory.velocity, fleet, squad.period, params.drive)


def _moved_aside(
    target: Array, squad: Robots, rest: bool, params: StructureParameters, deviation: Array | None, map: Map | None
) -> Array:  # fmt: skip
    """Targets (M, 2) m, moved by what behaviours want, and off walls."""
    if deviation is not None:
        target = target + deviation * (squad.period * squad.horizon)
    if map is None or rest:
        return target
    room = squad.fleet.radius + params.drive.wall_margin + SIGMAS * params.estimate.noise
    return along_walls(target, squad.pose[:, :2], room, map)


def _displaced(structure: Structure, weight: Array, wish: Array, squad: Robots, params: StructureParameters) -> Array:
    if params.displace.method == "naive" or not weight.any():
        return wish
    problem = DisplacementProblem(structure.points, weight, structure.pose, wish, squad, params.displace.bias)
    return displace(problem, params.displace)[0]


def _clock(structure: Structure, order: Order, now: TeamState) -> float:
    """The order's clock now: the time since the last step counts in full, so that all robots' clocks agree again after a silence."""
    period, memory = now.squad.period, now.memory
    clock, left = memory.clock, period if np.isnan(memory.time) else float(np.clip(now.time - memory.time, 0.0, LONGEST))
    while left > 1e-9:
        passed = min(left, period)
        clock += passed * _progress(structure, order, clock, now.squad, now.params)
        left -= passed
    return clock


def _progress(structure: Structure, order: Order, clock: float, squad: Robots, params: StructureParameters) -> float:
    """How fast the order's clock goes: 1, down to 0 as the structure, or a robot on a planned way, lags by 1 to 2 times the patience."""
    if isinstance(order, PlannedWay):
        if order.waits(structure.names, clock, squad):
            return 0.0
        patience = max(params.plan.patience, 2.0 * SIGMAS * params.estimate.spread)
        lag = order.lag(structure.names, clock, squad)
    else:
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


def _turned(command: Array, heading: Array, squad: Robots) -> Array:
    """``command`` (M, 3), but robots with a ``heading`` (M,) rad turn to it on the spot."""
    turn = squad.models.turn_to(squad.pose, heading, squad.previous, squad.fleet, squad.period)
    return np.where(np.isfinite(heading)[:, None], turn, command)
