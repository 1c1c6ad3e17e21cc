"""From the parameters of a formation to its structure: first, and again whenever members or shape change."""

from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.formation.fit import Fit, fit
from swarm_control.core.formation.shapes import shape
from swarm_control.core.formation.structure import Structure, check_points, members
from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.errors import InputError
from swarm_control.scenario.schema import Scenario, VirtualStructure
from swarm_control.scenario.tree import change

SQUARED = Fit()


@dataclass(frozen=True)
class Design:
    """What is asked for: ``names`` (N,) of the robots, their ``points`` (N, 2) m, None: as they stand; ``fixed``: in this order."""

    names: tuple[str, ...]
    points: Array | None
    fixed: bool


@dataclass(frozen=True)
class Change:
    """A new ``structure``, and where its points are now in its frame: ``begin`` (N, 2) m, for a gradual change."""

    structure: Structure
    begin: Array


def designs(params: VirtualStructure, fleet: tuple[str, ...], where: str) -> tuple[Design, ...]:
    """What is asked for, one for each part; ``InputError`` names the place ``where`` (a file and a key) and what was expected.

    Each part takes the shape for itself; of ``points`` it takes its members'.
    """
    whole = params.members or fleet
    _check_names(params, whole, fleet, where)
    counts = _counts(params, len(whole), where)
    numbers = np.array(params.points)
    if params.shape == "points":
        if len(numbers) != 2 * len(whole):
            raise InputError(f"{where}.points", f"{len(numbers) / 2:g} points found for {len(whole)} robots, expected as many of each")
        try:
            check_points(numbers.reshape(-1, 2))
        except ValueError as error:
            raise InputError(f"{where}.points", str(error)) from None
    found, first = [], 0
    for count in counts:
        names, points = whole[first : first + count], numbers[2 * first : 2 * (first + count)].reshape(-1, 2)
        first += count
        if params.shape == "start":
            found.append(Design(names, None, True))
        elif params.shape == "points":
            found.append(Design(names, points, bool(params.members)))
        else:
            found.append(Design(names, shape(params.shape, count, params.spacing), False))
    return tuple(found)


def _check_names(params: VirtualStructure, names: tuple[str, ...], fleet: tuple[str, ...], where: str) -> None:
    for name in (*names, *filter(None, [params.leader])):
        if name not in fleet:
            raise InputError(f"{where}.members", f"{name!r} found, expected names of robots: {_some(fleet)}")
    if len(set(names)) < len(names):
        raise InputError(f"{where}.members", "a robot found twice, expected each of them once")
    if params.leader and params.leader not in names:
        raise InputError(f"{where}.leader", f"{params.leader!r} found, expected one of the members: {_some(names)}")


def _counts(params: VirtualStructure, members: int, where: str) -> tuple[int, ...]:
    """How many robots each part has."""
    given = "[" + ", ".join(f"{count:g}" for count in params.split) + "]"
    if any(count != int(count) for count in params.split):
        raise InputError(f"{where}.split", f"{given} found, expected whole numbers of robots")
    if params.split and sum(params.split) != members:
        raise InputError(f"{where}.split", f"{given} found, expected parts of {members} robots in all")
    return tuple(map(int, params.split)) or (members,)


def check(scenario: Scenario, fleet: tuple[str, ...], source: str) -> None:
    """Refuse, before a run, formations that cannot be made, in any of the scenario's phases, and failures of robots not there."""
    control, where, parts = scenario.control, f"{source}: control.formation", 0
    for k in (None, *sorted(range(len(scenario.phases)), key=lambda k: scenario.phases[k].start)):
        if k is not None:
            where = f"{source}: phases[{k}].set: formation"
            control = change(control, scenario.phases[k].set, where)
        if control.formation.enabled:
            made = designs(control.formation, fleet, where)
            parts = max(parts, len(made) if control.formation.split else 0)
    for k, goal in enumerate(scenario.goals):
        if goal.part > parts:
            most = f"at most {parts}, as many parts as formation.split makes" if parts else "0, as formation.split is never set"
            raise InputError(f"{source}: goals[{k}].part", f"{goal.part} found, expected {most}")
    for k, failure in enumerate(scenario.simulator.failures):
        if failure.robot not in fleet:
            place = f"{source}: simulator.failures[{k}].robot"
            raise InputError(place, f"{failure.robot!r} found, expected the name of a robot: {_some(fleet)}")


def impose(asked: Design, position: Array) -> Structure:
    """The first structure, for members at ``position`` (N, 2) m, world frame.

    Points in a fixed order are fitted to the robots; others are assigned so that the robots' ways are shortest.
    """
    if asked.points is None:
        return Structure(position, asked.names, np.zeros(3)).centred()
    if asked.fixed:
        pose = fit(asked.points, position, np.ones(len(position)), np.zeros(3), SQUARED).pose
        return Structure(asked.points, asked.names, pose).centred()
    from swarm_control.core.formation.assign import assign

    robot, pose = assign(asked.points, position)
    return Structure(asked.points, tuple(asked.names[k] for k in robot), pose)


def reconfigure(asked: Design, structure: Structure, names: tuple[str, ...], position: Array) -> Change:
    """The structure that takes the place of ``structure``; ``position`` (F, 2) m are the robots ``names`` (F,), world frame.

    Robots that were in it count where their points are, new ones where they are. Points are assigned anew at the old heading, unless
    their order is fixed; then the new structure lies where the robots that were in it need to move least.
    """
    place = position[members(asked.names, names)].copy()
    old = np.array([name in structure.names for name in asked.names])
    place[old] = structure.world[members(tuple(n for n in asked.names if n in structure.names), structure.names)]
    pose = np.append(place.mean(axis=0), structure.pose[2])
    if asked.points is None:
        points = rotate(place - pose[:2], -pose[2])
        return Change(Structure(points, asked.names, pose), points)
    points, who = asked.points - asked.points.mean(axis=0), np.arange(len(place))
    if not asked.fixed:
        from swarm_control.core.formation.assign import assign_at

        who = assign_at(points, place, pose)
    place, old = place[who], old[who]
    if not old.all():
        pose = fit(points, place, _old(old), pose, SQUARED).pose
    made = Structure(points, tuple(asked.names[k] for k in who), pose)
    return Change(made, rotate(place - pose[:2], -pose[2]))


def between(change: Change, share: float, names: tuple[str, ...], pose: Array) -> Structure | None:
    """Part of the way of a gradual change, for the ``names`` that are left of it, at ``pose`` (3,); None where points just meet."""
    end = change.structure
    row = members(names, end.names)
    points = (1.0 - share) * change.begin[row] + share * end.points[row]
    try:
        return replace(end, points=points - points.mean(axis=0), names=names, pose=pose)
    except ValueError:
        return None


def _old(old: BoolArray) -> Array:
    return old.astype(float) if old.any() else np.ones(len(old))


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
