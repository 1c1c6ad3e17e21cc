"""What a scenario's force laws will come to: distances that they keep, the disc that a group forms, how its motion is damped."""

import contextlib
from collections.abc import Iterator

import numpy as np

from swarm_control.core.geometry import IntArray
from swarm_control.core.state import Society
from swarm_control.errors import InputError
from swarm_control.scenario.groups import controls_of, squads
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.schema import Control
from swarm_control.scenario.setup import Setup
from swarm_control.social.density import equilibrium
from swarm_control.social.disc import Disc
from swarm_control.social.laws import Law, equilibria, laws_between
from swarm_control.social.spring_links import COLUMNS, spring_links
from swarm_control.social.springs import SpringGraph, laplacian

NEIGHBOURS = 6.0
"""Stiffness of a hexagonal lattice's steepest motion over that of one pair."""
FEW, MANY = 10, 10_000
"""Robots from which on, and up to which, the disc of a group is told: a continuum knows no single robots."""

Pair = tuple[int, int, tuple[Law, ...]]
"""Number of the kind that feels, of the kind that it feels, and the laws."""


def predict(loaded: Loaded, setup: Setup) -> Iterator[str]:
    """A line for each thing. ``InputError`` for a scenario without force laws."""
    scenario, society = loaded.scenario, setup.society
    controls = controls_of(scenario, str(loaded.source))
    found = False
    for squad in squads(scenario.groups, society):
        control = controls.of(squad.name) if squad.name else controls.common
        if not (control.social.laws or control.social.springs) or not control.social.weight:
            continue
        found = True
        if squad.name:
            yield f"robots of the group {squad.name}:"
        pairs = list(_pairs(control.social.laws, society, squad.robots))
        discs = list(_discs(pairs, society))
        sizes = [line for robots, _, disc in discs for line in _sized(robots, disc, setup)]
        joined, stiffness = len(control.social.springs) // COLUMNS, control.social.stiffness
        springs = [f"{joined} springs of {stiffness:g}/s² join single robots"] if joined else []
        swings = _swings(pairs, discs, society) + _spring_swing(control)
        lines = [*_told(pairs, society), *springs, *sizes, *_damping(swings, control)]
        yield from (f"  {line}" for line in lines)
    if not found:
        raise InputError(str(loaded.source), "no control.social.laws with a weight found, expected a scenario whose robots feel force laws")


def _pairs(laws: tuple[Law, ...], society: Society, robots: IntArray) -> list[Pair]:
    """Which sets of groups ``robots`` (R,) are in, whose forces they feel there, robots' first and then landmarks', and by which laws."""
    feel = np.unique(society.robot[robots[~society.leads[robots]]])
    felt = [*np.unique(society.robot), *np.unique(society.landmark_kind)]
    found = ((int(on), int(of), laws_between(laws, society.kinds[on], society.kinds[of])) for on in feel for of in felt)
    return [(on, of, between) for on, of, between in found if between]


def _told(pairs: list[Pair], society: Society) -> Iterator[str]:
    """How far robots are held from others; groups that are felt in the same way in one line."""
    alike: dict[tuple[int, str], list[str]] = {}
    for on, of, laws in pairs:
        alike.setdefault((on, _balance(laws)), []).append(_names(society.kinds[of]))
    for (on, balance), names in alike.items():
        others = f"{names[0]} and {len(names) - 1} more groups" if len(names) > 1 else names[0]
        yield f"{_names(society.kinds[on])} of {others}: {balance}"


def _names(kind: frozenset[str]) -> str:
    named = sorted(kind - {""})
    return " + ".join(named) if named else "all"


def _balance(laws: tuple[Law, ...]) -> str:
    """How far from another a robot is held by laws."""
    parts = [f"held at {r:.3g} m, stiffness {_stiffness(laws, r):.2g}/s²" for r in equilibria(laws)]
    parts += [f"unstable at {r:.3g} m" for r in equilibria(laws, stable=False)]
    if parts:
        return ", ".join(parts)
    near, far = max(min(law.near for law in laws), 1e-3), max(law.far or 1e4 for law in laws)
    middle = np.geomspace(near, far, 100)[1:-1]
    way = "attracted" if sum(float(law.force(middle).sum()) for law in laws) > 0.0 else "pushed away"
    beyond, within = f" beyond {near:.3g} m" if near > 1e-3 else "", f" within {far:.3g} m" if far < 1e4 else ""
    return way + (beyond + within or " at all distances")


def _stiffness(laws: tuple[Law, ...], r: float) -> float:
    """How fast the force of ``laws`` changes with the distance at ``r`` m, 1/s²."""
    step = 1e-4 * r
    before, after = (float(sum(law.force(np.array(r + s)) for law in laws)) for s in (-step, step))
    return (after - before) / (2.0 * step)


def _discs(pairs: list[Pair], society: Society) -> Iterator[tuple[IntArray, Law, Disc]]:
    """The discs that groups form whose robots attract each other by one clustering law, while they feel nobody else."""
    for on in dict.fromkeys(on for on, _, _ in pairs):
        robots = np.flatnonzero((society.robot == on) & ~society.leads)
        felt = [(of, laws) for feels, of, laws in pairs if feels == on]
        if FEW <= len(robots) <= MANY and [of for of, _ in felt] == [on] and len(felt[0][1]) == 1:
            with contextlib.suppress(ValueError):  # not a law of which the theory knows
                yield robots, felt[0][1][0], equilibrium(felt[0][1][0], len(robots))


def _sized(robots: IntArray, disc: Disc, setup: Setup) -> Iterator[str]:
    """How large a disc is, and whether robots fit into it."""
    inner, outer = (float(disc.spacing(disc.holding(np.array(share)))) for share in (0.1, 0.9))
    yield f"{len(robots)} robots form a disc of {disc.rim():.3g} m radius, {inner:.3g} m apart in the middle, {outer:.3g} m near the edge"
    radius = float(setup.fleet.radius[robots].max())
    if 2.0 * radius > min(inner, outer):
        yield f"warning: robots of {radius:.3g} m radius do not fit so close: they are held apart, or touch"


def _damping(stiffness: list[float], control: Control) -> Iterator[str]:
    """How the fastest swing is damped, and whether the control period is short enough for it. ``stiffness`` 1/s² of each swing."""
    stiff, friction, period = max(stiffness, default=0.0), control.social.friction, control.period
    if stiff <= 0.0:
        return
    rate = float(np.sqrt(stiff))
    if friction == 0.0:
        yield f"the fastest swing is of {rate:.3g} rad/s, and nothing damps it: social.friction is 0"
        return
    yield f"the fastest swing is of {rate:.3g} rad/s, damped by {friction / (2.0 * rate):.2g} of what is critical (friction {friction:g}/s)"
    if stiff * period**2 + 2.0 * friction * period >= 4.0:
        yield f"warning: a control.period of {period:g} s is too long for laws so stiff: robots will not come to rest"


def _swings(pairs: list[Pair], discs: list[tuple[IntArray, Law, Disc]], society: Society) -> list[float]:
    """Stiffness (1/s²) of what swings: two robots about their distance, one robot about a landmark, the middle of a disc."""
    found = [(1.0 + (of in society.robot)) * _stiffness(laws, r) for _, of, laws in pairs for r in equilibria(laws)]
    return found + [NEIGHBOURS * _stiffness((law,), float(disc.spacing(disc.holding(np.array(0.1))))) for _, law, disc in discs]


def _spring_swing(control: Control) -> list[float]:
    """Stiffness (1/s²) of the steepest motion of springs between single robots: the largest eigenvalue of their Laplacian."""
    if not control.social.springs:
        return []
    links = spring_links(control.social.springs, control.social.stiffness)
    joined = np.unique((links.one, links.other), return_inverse=True)[1].reshape(2, -1).T
    graph = SpringGraph(int(joined.max()) + 1, joined, np.full(len(joined), links.stiffness), links.length)
    return [float(np.linalg.eigvalsh(laplacian(graph))[-1])]
