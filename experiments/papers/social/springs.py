"""Social potential fields: structures held by springs. Which graphs are rigid, where starts end, and what leading robots carry."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, IntArray
from swarm_control.social.connectivity import connectivity, harary, trilaterated
from swarm_control.social.springs import SpringGraph, embedding, energy, forces, freedom, springs

from . import PAGE
from .rest import settle

GRAPHS = ("Harary", "trilaterated")
NEAR = 0.01
"""A structure is formed if no robot is farther (m) from its place; structures fill a square or cube of 2 m."""
STRETCHED = 1e-6
"""Energy (stiffness 1) above which springs count as stretched."""
DISPLACED = (0.1, 0.2, 0.4, 0.8)
"""Standard deviations (m) of starts around the places, per axis."""


@dataclass(frozen=True)
class Arrangement:
    """A random structure of ``count`` robots in ``dimension`` d, held by springs along a ``graph`` and by d+1 leading robots."""

    dimension: int
    count: int
    graph: str
    natural: bool
    starts: int
    seed: Seed

    def make(self) -> tuple[Array, SpringGraph, IntArray]:
        """Places (n, d) m, springs, and leading robots. Neighbours in Harary's ring are near each other: in order of their bearing."""
        rng = np.random.default_rng(self.seed)
        place = rng.uniform(-1.0, 1.0, (self.count, self.dimension))
        place = place[np.argsort(np.arctan2(place[:, 1], place[:, 0]))]
        ends = harary(self.count, self.dimension + 1) if self.graph == "Harary" else trilaterated(place)
        leaders = spread(place, self.dimension + 1)
        held = springs(place, ends, natural=self.natural)
        return (place if self.natural else embedding(held, leaders, place[leaders])), held, leaders


@dataclass(frozen=True)
class Ends:
    """What a graph is like, and where starts ended: shares not in the structure, and of these such with stretched springs.

    ``anywhere``: starts drawn over the square or cube; ``displaced`` (D,): starts around the places.
    """

    edges: int
    connected: int
    free: int
    free_held: int
    anywhere: float
    stretched: float
    displaced: Array


@experiment("social_springs", "structures of springs: rigidity, and where starts end (Reif & Wang §5)", PAGE, reported_on=range(100, 101))
@each_seed
def design(lab: Lab, seed: Seed) -> Finding:
    """Graphs of d+1 connections: springs, rigidity, and how often a start ends elsewhere, with and without natural lengths."""
    starts, counts = (10, (8, 14)) if lab.quick else (200, (10, 20, 40))
    cases = [Arrangement(d, n, graph, True, starts, seed) for d in (2, 3) for n in counts for graph in GRAPHS]
    cases += [Arrangement(d, counts[-1], graph, False, starts, seed) for d in (2, 3) for graph in GRAPHS]
    found = dict(zip(cases, lab.map(study, cases)))
    natural, zero = ({case: ends for case, ends in found.items() if case.natural == which} for which in (True, False))
    solid = {case: ends for case, ends in natural.items() if case.graph == "trilaterated"}
    sparse = {case: ends for case, ends in natural.items() if case.graph == "Harary"}
    return Finding(
        "Structures held by springs (section 5)",
        "A (d+1)-connected graph with d+1 leading robots is rigid: one embedding has the least energy, so there are no other minima.",
        ("d", "robots", "graph", "lengths", "springs", "connected", "free motions", "with d+1 held", "ends elsewhere from anywhere (%)",
         "of these, stretched (%)", *(f"from {100 * s:.0f} cm away (%)" for s in DISPLACED)),
        tuple(_row(case, ends) for case, ends in found.items()),
        {
            "both graphs are (d+1)-connected": all(ends.connected >= case.dimension + 1 for case, ends in found.items()),
            "Harary's has ⌈(d+1) n / 2⌉ springs, the trilaterated fewer than (d+1) n":
                all(ends.edges == -(-(case.dimension + 1) * case.count // 2) for case, ends in sparse.items())
                and all(ends.edges < (case.dimension + 1) * case.count for case, ends in solid.items()),
            "springs of length zero: every start ends in the one minimum": all(ends.anywhere == 0.0 for ends in zero.values()),
            "with natural lengths Harary's is never rigid: (d+1)-connected is not enough": all(e.free > 0 for e in sparse.values()),
            "with natural lengths the trilaterated is always rigid": all(ends.free == 0 for ends in solid.values()),
        } | ({} if lab.quick else {  # few starts and small graphs do not tell
            "and yet most starts from anywhere end elsewhere": all(ends.anywhere > 0.5 for ends in solid.values()),
        }),
        (Curves("trilaterated, natural lengths: ends elsewhere", "robots were displaced by (m, standard deviation)", "share (%)", {
            f"d = {case.dimension}, {case.count} robots": (np.array(DISPLACED), 100 * ends.displaced, None)
            for case, ends in solid.items()}),
         Curves("starts from anywhere that end elsewhere", "robots", "share (%)", {
             f"d = {d}, {graph}": (np.array(counts, float), np.array([100 * e.anywhere for c, e in natural.items()
                                                                      if (c.dimension, c.graph) == (d, graph)]), None)
             for d in (2, 3) for graph in GRAPHS})),
        {"elsewhere_zero_length": max(ends.anywhere for ends in zero.values()),
         "elsewhere_10_cm": max(float(ends.displaced[0]) for ends in solid.values()),
         "elsewhere_anywhere_least": min(ends.anywhere for ends in solid.values())},
        f"{starts} starts of each kind, leading robots in place, damped to rest; the structure counts as formed within {100 * NEAR:.0f} "
        "cm. Structures are drawn in a square or cube of 2 m; the d+1 leading robots are far from each other. The paper's claim is that of "
        "springs of length zero. With natural lengths Harary's graph leaves motions free, and robots rest elsewhere, stretched or not.",
    )  # fmt: skip


def study(case: Arrangement) -> Ends:
    """Measure one graph."""
    place, held, leaders = case.make()
    rng = np.random.default_rng(case.seed + 1)
    anywhere, strain = _ends(place, held, leaders, rng.uniform(-1.0, 1.0, (case.starts, *place.shape)))
    displaced = [_ends(place, held, leaders, place + s * rng.normal(size=(case.starts, *place.shape)))[0] for s in DISPLACED]
    missed = anywhere > NEAR
    return Ends(
        len(held.ends), connectivity(case.count, held.ends), freedom(held.ends, place), freedom(held.ends, place, leaders),
        float(missed.mean()), float((strain[missed] > STRETCHED).mean()) if missed.any() else 0.0,
        (np.array(displaced) > NEAR).mean(axis=1),
    )  # fmt: skip


def spread(place: Array, count: int) -> IntArray:
    """``count`` robots far from each other: each the farthest from those before."""
    chosen = [int(np.argmax(np.linalg.norm(place - place.mean(axis=0), axis=1)))]
    while len(chosen) < count:
        distance = np.linalg.norm(place[:, None] - place[chosen], axis=2).min(axis=1)
        chosen.append(int(np.argmax(distance)))
    return np.array(sorted(chosen))


def come_to_rest(held: SpringGraph, leaders: IntArray, start: Array) -> Array:
    """Where robots (…, n, d) m rest from ``start``, leading robots kept where they are."""
    free = np.ones((held.count, 1))
    free[leaders] = 0.0
    return settle(lambda position: free * forces(held, position), start, 0.1, 1e-7)


def _ends(place: Array, held: SpringGraph, leaders: IntArray, start: Array) -> tuple[Array, Array]:
    """Largest distances (S,) m from the places after S starts, and by how much more energy (S,) than at the places."""
    start[:, leaders] = place[leaders]
    end = come_to_rest(held, leaders, start)
    return np.linalg.norm(end - place, axis=-1).max(axis=-1), energy(held, end) - energy(held, place)


def _row(case: Arrangement, ends: Ends) -> tuple[str, ...]:
    return (
        str(case.dimension), str(case.count), case.graph, "natural" if case.natural else "zero", str(ends.edges), str(ends.connected),
        str(ends.free), str(ends.free_held), f"{100 * ends.anywhere:.0f}", f"{100 * ends.stretched:.0f}" if ends.anywhere else "–",
        *(f"{100 * share:.0f}" for share in ends.displaced),
    )  # fmt: skip
