"""One period of a formation, as the data flows: odometry → estimate → fit → wish → displace → targets → commands.

Hosted, one process does this for all robots. Onboard, every robot does it for itself on everybody's odometry and obeys its own row of
the commands; nothing else is exchanged.
"""

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.align import Turning
from swarm_control.formation.displace import displace
from swarm_control.formation.drive import Order, remaining
from swarm_control.formation.estimate import estimate
from swarm_control.formation.fit import Fitted, fit
from swarm_control.formation.health import to_drop, watch
from swarm_control.formation.limits import limit, limited_change, limited_speed
from swarm_control.formation.memory import SIGMAS, FormationMemory, StructureParameters, StructureStep
from swarm_control.formation.participants import FOLLOWER, known_commands, weights, without
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.pursue import eased
from swarm_control.formation.robots import Models, Robots
from swarm_control.formation.structure import Structure, members, place
from swarm_control.formation.walls import along_walls
from swarm_control.formation.way import Way

LONGEST = 600.0
"""Time (s) that is made good after a silence; whoever was away for longer has lost the timetable."""


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
    told = memory.commands if own is None else known_commands(state, stamp, memory.commands, own, period)
    belief = estimate(memory.belief, state.pose, state.valid, stamp, state.time, told, period, models, params.estimate)
    record = watch(memory.record, belief, period, params.health)
    structure = without(structure, fleet, to_drop(record, params.health)).centred()
    robots = members(structure.names, fleet.names)
    heard = state.time - belief.stamp <= params.estimate.timeout
    naive = params.displace.method == "naive"
    horizon = period * (1.0 if naive else params.horizon)
    squad = Robots(belief.pose, told[0], fleet, models, period, horizon).take(robots)

    weight = weights(structure, heard[robots], params)
    if isinstance(order, Way):
        structure = order.structure(structure, memory.clock)
    structure, fitted = _fit(structure, squad.pose, weight, params)
    pivot = np.zeros(2) if isinstance(order, Way) else np.array(params.pivot)
    held = structure.about(pivot)
    orderly = np.where((weight > FOLLOWER) & ~record.failed[robots], fitted.distance, np.nan)
    free = not (naive or isinstance(order, Way)) and (deviation is None or not deviation.any())
    turning = Turning(order, held, squad, orderly, params.tolerance, params.drive, memory.clock) if free else None
    aim = _wish(held, order, memory, squad, turning, params)
    rest = _rests(held, fitted, order.end(memory.clock), aim, memory.rest, params)
    turn, ready = None, np.zeros(len(fleet), bool)
    if turning is not None and not rest and not memory.velocity.any():
        turn, ready[robots] = turning.departing(aim, memory.ready[robots])
        aim = aim if turn is None else held.pose
    wish = np.append(aim[:2] - rotate(pivot, aim[2]), aim[2])
    displaced = wish if rest or isinstance(order, Way) else _displaced(structure, weight, wish, squad, params)

    target = np.full((len(fleet), 2), np.nan)
    command, point = np.zeros((len(fleet), 3)), place(structure.points, displaced)
    if isinstance(order, Way):
        target[robots] = order.targets(structure.names, memory.clock, squad)
        command[robots] = _turned(squad.command(target[robots]), order.facing(structure.names, memory.clock, squad), squad)
    else:
        target[robots] = _moved_aside(point, squad, rest, params, None if deviation is None else deviation[robots], map)
        facing = turn if turn is not None or heading is None else heading[robots]
        led = target[robots] if naive else eased(target[robots], point, structure.world, squad, params.drive.look_ahead)
        command[robots] = _commands(squad, led, rest or turn is not None, facing, params)
    command[~heard] = 0.0
    after = FormationMemory(
        commands=np.concatenate((command[None], memory.commands[:-1])), belief=belief, record=record, rest=rest,
        ready=ready, velocity=np.zeros(3) if rest else (aim - held.pose) / horizon,
        clock=memory.clock if turn is not None else _clock(held, order, memory, state.time, squad, params), time=state.time,
    )  # fmt: skip
    return StructureStep(structure, displaced, wish, target, command, fitted.distance, fitted.error, record.failed, after)


def _fit(structure: Structure, pose: Array, weight: Array, params: StructureParameters) -> tuple[Structure, Fitted]:
    position = np.where(weight[:, None] > 0.0, pose[:, :2], np.nan)
    fitted = fit(structure.points, position, weight, structure.pose, params.fit)
    return structure.at(fitted.pose), fitted


def _wish(
    structure: Structure, order: Order, memory: FormationMemory, squad: Robots, turning: Turning | None, params: StructureParameters
) -> Array:  # fmt: skip
    """Where the structure is to be in one horizon; at a corner it stops for those who are ``turning``."""
    points, pose, fleet, horizon = structure.points, structure.pose, squad.fleet, squad.horizon
    wish = order.aim(points, pose, memory.clock, horizon)
    if isinstance(order, Way):
        return wish
    if params.displace.method == "naive":
        return limit(points, pose, wish, None, fleet, None, squad.period, horizon, params.drive)
    end = order.end(memory.clock) if order.brakes else None
    twist = limited_speed(points, pose, (wish - pose) / horizon, fleet, end, horizon, params.drive)
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


def _clock(structure: Structure, order: Order, memory: FormationMemory, time: float, squad: Robots, params: StructureParameters) -> float:
    """The order's clock now: the time since the last step counts in full, so that all robots' clocks agree again after a silence."""
    period = squad.period
    clock, left = memory.clock, period if np.isnan(memory.time) else float(np.clip(time - memory.time, 0.0, LONGEST))
    while left > 1e-9:
        passed = min(left, period)
        clock += passed * _progress(structure, order, clock, squad, params)
        left -= passed
    return clock


def _progress(structure: Structure, order: Order, clock: float, squad: Robots, params: StructureParameters) -> float:
    """How fast the order's clock goes: 1, down to 0 as the structure, or a robot on a planned way, lags by 1 to 2 times the patience."""
    if isinstance(order, Way):
        if order.waits(structure.names, clock, squad):
            return 0.0
        patience = max(params.plan.patience, 2.0 * SIGMAS * params.estimate.spread)
        lag = float(norm(squad.pose[:, :2] - order.places(structure.names, clock)).max())
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
