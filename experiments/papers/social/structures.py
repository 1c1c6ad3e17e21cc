"""Social potential fields: structures that springs between single robots form, all of them or the fewest (Reif & Wang §5)."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, mean_sd
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.laws.structure import EDGES, read_structure, shape_error, structure_text
from swarm_control.analysis.laws.trial import end_of

from . import PAGE

SIZES = (6, 10, 16, 25, 40)
"""Robots of a structure."""
APART, RADIUS = 0.35, 0.0375
"""Least distance between two places of a structure, and the radius of a robot, m."""
FORMED = 0.02
"""Error of the shape, over its size, up to which a structure counts as formed on fresh odometry."""
LATE = {"robots.0.model": "differential", "simulator.delay": 0.2, "simulator.loss": 0.2}


@dataclass(frozen=True)
class SprungRun:
    """Error of the shape, over its size, at the end: of omnidirectional robots, and of differential drives with late odometry."""

    kind: str
    robots: int
    springs: int
    fresh: float
    late: float
    collisions: int


@experiment(
    "social_structures", "structures of springs between single robots, all or the fewest (§5)", PAGE,
    chosen_on=range(100, 108), reported_on=range(3000, 3020),
)  # fmt: skip
def structures(lab: Lab) -> Finding:
    """Let robots form random structures by all springs from a scatter, and by the fewest from near their places."""
    sizes, seeds = SIZES[:: 2 if lab.quick else 1], lab.seeds(quick=2)
    cases = [(kind, robots, seed) for kind in EDGES for robots in sizes for seed in seeds]
    found: list[SprungRun] = lab.map(form, cases)
    by = {(kind, n): [f for f in found if (f.kind, f.robots) == (kind, n)] for kind in EDGES for n in sizes}
    formed = {row: [f.fresh <= FORMED for f in runs] for row, runs in by.items()}
    every = [f for runs in by.values() for f in runs]
    return Finding(
        "Structures by springs between single robots",
        "A (d+1)-connected graph of springs holds a structure. How it forms from elsewhere is not told.",
        ("springs", "robots", "how many springs", "formed", "shape off by, of these (%)", "with wheels and late odometry (%)",
         "collisions"),
        tuple(_row(kind, n, by[kind, n]) for kind, n in by),
        {
            "robots joined by the fewest springs form every structure from near their places": all(
                ok for (kind, _), oks in formed.items() if kind == "fewest" for ok in oks
            ),
            "joined each to every other they form at least eight in ten from a scatter": float(
                np.mean([ok for (kind, _), oks in formed.items() if kind == "all" for ok in oks])
            ) >= 0.8,
            "what forms with all springs is off by less than 0.1 %": max(
                (f.fresh for f in every if f.kind == "all" and f.fresh <= FORMED), default=1.0
            ) < 1e-3,
            "no collision": not any(f.collisions for f in every),
        },
        (Bars("Formed", "of the draws (%)", tuple(map(str, sizes)), {
            kind: np.array([100.0 * np.mean(formed[kind, n]) for n in sizes]) for kind in EDGES}),),
        {"all": float(np.mean([ok for (kind, _), oks in formed.items() if kind == "all" for ok in oks]))},
        f"{len(seeds)} draws each: places at random, at least {APART:g} m apart, on a floor that grows with their number. With all springs "
        "robots start from a scatter over 1.2 times the structure's size, with the fewest aside of their places by up to 0.15 of the "
        f"shortest distance. Formed: the shape is off by at most {100 * FORMED:g} % of its size at the end; its mirror image has the same "
        "springs and counts. With wheels: differential drives, odometry 0.2 s late, a fifth lost, all draws. Laws so stiff swing then.",
    )  # fmt: skip


def form(case: tuple[str, int, int]) -> SprungRun:
    """Draw a structure of so many robots by a seed, and let them form it by springs of this kind."""
    kind, robots, seed = case
    rng = np.random.default_rng([seed, robots])
    half = 0.6 * np.sqrt(robots)
    places: list[np.ndarray] = []
    while len(places) < robots:
        at = rng.uniform(-half, half, 2)
        if all(np.hypot(*(at - other)) >= APART for other in places):
            places.append(at)
    collisions, errors = 0, []
    with tempfile.TemporaryDirectory() as folder:
        path, scenario = Path(folder) / "places.csv", Path(folder) / "structure.yaml"
        path.write_text("\n".join(f"{x:.6g},{y:.6g}" for x, y in places), encoding="utf-8")
        structure = read_structure(path, kind)
        scenario.write_text(structure_text(structure, kind, "experiment social_structures", seed, RADIUS), encoding="utf-8")
        for changes in ({}, LATE):
            position, hits = end_of(scenario, seed, changes)
            errors.append(shape_error(structure.place, position))
            collisions += hits
    return SprungRun(kind, robots, len(structure.edges), errors[0], errors[1], collisions)


def _row(kind: str, robots: int, runs: list[SprungRun]) -> tuple[str, ...]:
    formed = [run for run in runs if run.fresh <= FORMED]
    return (
        kind, str(robots), str(runs[0].springs), f"{len(formed)} of {len(runs)}", mean_sd(100.0 * run.fresh for run in formed),
        f"median {100.0 * float(np.median([run.late for run in runs])):.1f}", str(sum(run.collisions for run in runs)),
    )  # fmt: skip
