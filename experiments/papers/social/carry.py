"""Social potential fields: leading robots turn, scale and reshape a structure held by springs; squads of springs held apart by powers."""

from dataclasses import replace

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, IntArray
from swarm_control.social.connectivity import trilaterated
from swarm_control.social.laws import Law
from swarm_control.social.springs import SpringGraph, embedding, forces, springs
from swarm_control.social.summation import forces as powers
from swarm_control.social.table import law_table

from . import PAGE
from .rest import settle
from .springs import Arrangement, come_to_rest

MOTIONS = ("turn by 90°", "scale by 2", "stretch x by 2, shear by ½")
WAYS = ("length zero", "natural lengths, kept", "natural lengths, changed along")
STEPS = 20
SQUADS, SIZE, APART = 3, 7, 4.0
"""Squads of robots, robots in each (a hexagon of 0.5 m and its middle), and the distance (m) at which their forces cancel."""
STIFFNESS = (1.0, 10.0, 100.0, 1000.0)


@experiment("social_carry", "leading robots turn, scale and reshape structures of springs (§5)", PAGE, reported_on=range(100, 101))
@each_seed
def carry(lab: Lab, seed: Seed) -> Finding:
    """Move the leading robots by a turn, a scaling and a reshaping; then let squads find their distances."""
    n = 10 if lab.quick else 20
    moves = [(d, n, way, motion) for d in (2, 3) for way in WAYS for motion in MOTIONS]
    errors = dict(zip(moves, lab.map(move, [(*one, seed) for one in moves])))
    squads = dict(zip(STIFFNESS, lab.map(hold, STIFFNESS)))
    exact = [error for (_, _, way, _), error in errors.items() if way == "length zero"]
    turned = [error for (_, _, _, motion), error in errors.items() if motion == MOTIONS[0]]
    kept = [error for (_, _, way, motion), error in errors.items() if way == WAYS[1] and motion != MOTIONS[0]]
    along = [error for (_, _, way, _), error in errors.items() if way == WAYS[2]]
    rows = [(f"d = {d}, {n} robots", way, motion, f"{100 * e:.2g}") for (d, n, way, motion), e in errors.items()]
    rows += [(f"{SQUADS} squads of {SIZE}", f"stiffness {k:g}/s² inside, 1 m/s² at {APART:g} m between all robots", "shape kept",
              f"{100 * e:.2g}") for k, (e, _) in squads.items()]  # fmt: skip
    rows += [(f"{SQUADS} squads of {SIZE}", f"stiffness {k:g}/s² inside, 1 m/s² at {APART:g} m between one robot of each",
              f"shape, and {APART:g} m", f"{100 * e:.2g}") for k, (_, e) in squads.items()]  # fmt: skip
    return Finding(
        "Leading robots carry a structure (section 5)",
        "Leading robots move, turn and scale the whole structure; changing their relative places changes it. SpringGraph inside groups and "
        "inverse powers between them make flexible assemblies of rigid parts.",
        ("structure", "springs", "what is done", "largest error (% of the structure's size)"), tuple(rows),
        {
            "with lengths of zero every affine motion of the leading robots is followed to 0.01 %": max(exact) < 1e-4,
            "every structure is turned to 0.01 %": max(turned) < 1e-4,
            "with natural lengths scaling and reshaping fail (above 10 %)": min(kept) > 0.1,
            "they do not when the lengths are changed along": max(along) < 1e-4,
            "squads keep shape and distance to 0.1 % when one robot of each feels the others": max(e for _, e in squads.values()) < 1e-3,
            "when all do, a squad is bent less than 1 % with a stiffness of 1000": squads[STIFFNESS[-1]][0] < 0.01,
        },
        (Bars("largest error after a motion of the leading robots, d = 2", "% of the size", MOTIONS, {
            way: 100 * np.array([errors[2, n, way, motion] for motion in MOTIONS]) for way in WAYS}),),
        {"zero_length": max(exact), "turned": max(turned), "along": max(along)},
        f"Structures of `social_springs`, trilaterated, d+1 leading robots; moved in {STEPS} steps, all at rest after each. Errors are "
        "distances from where the motion takes a robot, over the root mean square distance from the middle; of squads, of the distances "
        "in them.",
    )  # fmt: skip


def move(what: tuple[int, int, str, str, Seed]) -> float:
    """Largest error of a structure's robots after a motion, over its size; ``what``: d, number of robots, springs, motion, seed."""
    d, n, way, motion, seed = what
    place, held, leaders = Arrangement(d, n, "trilaterated", way != WAYS[0], 0, seed).make()
    position = place
    for k in range(1, STEPS + 1):
        aim = place @ affine(motion, d, k / STEPS).T
        position = position.copy()
        position[leaders] = aim[leaders]
        now = springs(aim, held.ends) if way == WAYS[2] else held
        position = come_to_rest(now, leaders, position)
    if way == WAYS[0] and not np.allclose(position, embedding(held, leaders, aim[leaders]), atol=1e-5):
        return float("nan")
    size = np.sqrt(((aim - aim.mean(axis=0)) ** 2).sum(axis=1).mean())
    return float(np.linalg.norm(position - aim, axis=1).max() / size)


def affine(motion: str, d: int, share: float) -> Array:
    """Matrix (d, d) of a ``share`` of a motion."""
    matrix = np.eye(d)
    if motion == MOTIONS[0]:
        c, s = np.cos(0.5 * np.pi * share), np.sin(0.5 * np.pi * share)
        matrix[:2, :2] = [[c, -s], [s, c]]
    elif motion == MOTIONS[1]:
        matrix *= 1.0 + share
    else:
        matrix[0, :2] = 1.0 + share, 0.5 * share
    return matrix


def hold(stiffness: float) -> tuple[float, float]:
    """Largest relative error of distances within squads when all robots feel the other squads; and, when one of each does, of these and of
    the distances between those.
    """
    shape = np.vstack((np.zeros((1, 2)), 0.5 * _circle(SIZE - 1)))
    place = (shape + 1.1 * APART / np.sqrt(3.0) * _circle(SQUADS)[:, None]).reshape(-1, 2)
    ends = np.concatenate([trilaterated(shape) + k * SIZE for k in range(SQUADS)])
    held = replace(springs(place, ends), stiffness=np.full(len(ends), stiffness))
    squad = np.repeat(np.arange(SQUADS), SIZE)
    hubs = np.arange(SQUADS) * SIZE
    every = _rest(held, place, squad, np.arange(len(place)))
    some = _rest(held, place, squad, hubs)
    between = np.array([np.linalg.norm(some[a] - some[b]) for a in hubs for b in hubs if a < b])
    return _bent(every, place, squad), max(_bent(some, place, squad), float(np.abs(between / APART - 1.0).max()))


def _rest(held: SpringGraph, place: Array, squad: IntArray, feeling: IntArray) -> Array:
    """Where robots rest when those ``feeling`` (F,) repel and attract those of other squads."""
    kinds = tuple(frozenset({"", f"squad {k}"}) for k in range(SQUADS))
    laws = [Law(acts_on=f"squad {a}", of=f"squad {b}", equilibrium=APART) for a in range(SQUADS) for b in range(SQUADS) if a != b]
    table = law_table(tuple(laws), kinds)

    def force(position: Array) -> Array:
        total = forces(held, position)
        at, kind = position[feeling], squad[feeling]
        total[feeling] += powers(at, kind, at, kind, table, 1e-6, "direct")
        return total

    return settle(force, place, 0.1, 1e-7, 40_000)


def _circle(n: int) -> Array:
    """``n`` points (n, 2) m on a circle of radius 1 m."""
    angle = 2.0 * np.pi * np.arange(n) / n
    return np.stack((np.cos(angle), np.sin(angle)), axis=1)


def _bent(position: Array, place: Array, squad: IntArray) -> float:
    """Largest error of the distances within squads, over the squads' size."""
    worst = 0.0
    for k in range(SQUADS):
        now, then = (np.linalg.norm(p[squad == k][:, None] - p[squad == k], axis=2) for p in (position, place))
        worst = max(worst, float(np.abs(now - then).max() / then.max()))
    return worst
