"""From the parameters of a formation to its structure: first, and again whenever members or shape change."""

from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.errors import InputError
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure, check_points, members

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


def designs(
    params: FormationParameters, fleet: tuple[str, ...], where: str, everybody: tuple[str, ...] = ()
) -> tuple[Design, ...]:  # fmt: skip
    """What is asked for, one for each part; ``InputError`` names the place ``where`` (a file and a key) and what was expected.

    ``everybody``: who may be in it, and is where the parameters name no members; none: the whole fleet. Each part takes the shape for
    itself; of ``points`` it takes its members'.
    """
    whole = params.members or everybody or fleet
    _check_names(params, whole, everybody or fleet, where)
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


def _check_names(params: FormationParameters, names: tuple[str, ...], fleet: tuple[str, ...], where: str) -> None:
    for name in (*names, *filter(None, [params.leader])):
        if name not in fleet:
            raise InputError(f"{where}.members", f"{name!r} found, expected names of robots: {some_names(fleet)}")
    if len(set(names)) < len(names):
        raise InputError(f"{where}.members", "a robot found twice, expected each of them once")
    if params.leader and params.leader not in names:
        raise InputError(f"{where}.leader", f"{params.leader!r} found, expected one of the members: {some_names(names)}")


def _counts(params: FormationParameters, members: int, where: str) -> tuple[int, ...]:
    """How many robots each part has."""
    given = "[" + ", ".join(f"{count:g}" for count in params.split) + "]"
    if any(count != int(count) for count in params.split):
        raise InputError(f"{where}.split", f"{given} found, expected whole numbers of robots")
    if params.split and sum(params.split) != members:
        raise InputError(f"{where}.split", f"{given} found, expected parts of {members} robots in all")
    return tuple(map(int, params.split)) or (members,)


def impose(asked: Design, position: Array) -> Structure:
    """The first structure, for members at ``position`` (N, 2) m, world frame.

    Points in a fixed order are fitted to the robots; others are assigned so that the robots' ways are shortest.
    """
    if asked.points is None:
        return Structure(position, asked.names, np.zeros(3)).centred()
    if asked.fixed:
        pose = fit(asked.points, position, np.ones(len(position)), np.zeros(3), SQUARED).pose
        return Structure(asked.points, asked.names, pose).centred()
    from swarm_control.formation.assign import assign

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
        from swarm_control.formation.assign import assign_at

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


class GradualChange:
    """A change of structure under way."""

    def __init__(self) -> None:
        self._change: Change | None = None
        self._began = 0.0

    def begin(self, change: Change, time: float) -> None:
        """Change from ``time`` (s) on."""
        self._change, self._began = change, time

    def shaped(self, structure: Structure, time: float, duration: float) -> Structure:
        """The ``structure`` as it is to be at ``time`` (s), in a change that takes the ``duration`` (s); 0: at once."""
        if self._change is None or duration == 0.0:
            self._change = None
            return structure
        share = min((time - self._began) / duration, 1.0)
        found = between(self._change, share, structure.names, structure.pose)
        if share >= 1.0:
            self._change = None
        return found or structure


def _old(old: BoolArray) -> Array:
    return old.astype(float) if old.any() else np.ones(len(old))


def some_names(names: tuple[str, ...]) -> str:
    """The first few of the names, for messages."""
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
