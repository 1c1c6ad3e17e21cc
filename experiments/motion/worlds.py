"""Any world: flocks of any number of robots of three models in shipped worlds and in worlds that nobody has seen."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE, SEEN
from .cases import MODELS, Found
from .generated import draw, write
from .numbers import jams

WORLDS = ("frame", "boxes", "mixed", "walls", "maze_simple", "maze_hard")
COUNTS = (3, 10, 20, 50, 100, 200)
GUIDED, UNGUIDED = "maze_hard", "migrate_mixed"
"""The scenarios whose robots fly; from corner to corner, too."""


class WorldCase(NamedTuple):
    """``robots`` of one ``model`` in a ``world``, as in a ``scenario``."""

    scenario: str
    world: str
    model: str
    robots: int


def trial(case: WorldCase, seed: Seed) -> Trial:
    """The run of a case, until everybody has arrived."""
    changes = (f"world={case.world}", f"robots={case.robots}", f"robots.0.model={case.model}", "duration=180")
    return Trial(case.scenario, changes, seed, until_arrival=True)


def told(found: Sequence[Found]) -> str:
    """When all arrived (s), or which share of the robots did."""
    arrived = float(np.mean([one.arrived for one in found]))
    return mean_sd([one.time for one in found], 0) if arrived == 1.0 else f"{100 * arrived:.0f} %"


def _sums(found: Sequence[Found]) -> tuple[str, str]:
    """Collisions and jam time (s) of all these runs."""
    return str(sum(one.collisions for one in found)), f"{sum(one.measured[1] for one in found):.0f}"


def _whole(found: Sequence[Found]) -> bool:
    return all(one.arrived == 1.0 for one in found)


@experiment("any_world", "flocks of 3 to 200 robots of three models in six worlds", PAGE, chosen_on=SEEN, reported_on=range(1000, 1002))
def any_world(lab: Lab) -> Finding:
    """Fly a guided flock of every number and model through the shipped worlds, and ten robots without guidance."""
    seeds, counts = lab.seeds(quick=1), (10,) if lab.quick else COUNTS
    ways = {GUIDED: counts, UNGUIDED: (10,)}
    cases = [WorldCase(way, f"{world}.world", model, n) for world in WORLDS for model in MODELS for way, ns in ways.items() for n in ns]
    runs = lab.measure([trial(case, seed) for case in cases for seed in seeds], jams)
    found = {case: runs[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    rows = []
    for world in WORLDS:
        for model in MODELS:
            mine = {n: found[WorldCase(GUIDED, f"{world}.world", model, n)] for n in counts}
            alone = found[WorldCase(UNGUIDED, f"{world}.world", model, 10)]
            sums = _sums([one for ns in mine.values() for one in ns])
            rows.append((world, model, *(told(ns) for ns in mine.values()), *sums, told(alone)))
    guided = {case: ns for case, ns in found.items() if case.scenario == GUIDED}
    claims = {"no robot touches anything, in any run": not any(one.collisions for ns in found.values() for one in ns)}
    claims |= {
        f"{model}: with guidance all arrive in every run": all(_whole(ns) for case, ns in guided.items() if case.model == model)
        for model in MODELS
    }
    shown = [trial(WorldCase(GUIDED, f"{world}.world", "differential", 10), seeds[0]) for world in WORLDS]
    return Finding(
        "Any world",
        "The paper's six maps, with ten robots (Fig. 23). Here one scenario is flown from corner to corner of all of them.",
        ("world", "robots", *(f"{n}: arrival (s)" for n in counts), "collisions", "jam time (s)", "10 without guidance"),
        tuple(rows), claims, tuple(Paths(world, flight) for world, flight in zip(WORLDS, lab.fly(shown))),
        {f"{case.scenario}_{Path(case.world).stem}_{case.model}_{case.robots}": float(np.mean([one.arrived for one in ns]))
         for case, ns in found.items()},
        f"{len(seeds)} seeds, at most 180 s. Where not all arrive the share that does is given. `{GUIDED}` with another world; without "
        f"guidance `{UNGUIDED}`, whose flock goes straight at the goal.",
    )  # fmt: skip


@experiment("new_worlds", "flocks in worlds that chance has made", PAGE, chosen_on=SEEN, reported_on=range(1000, 1024))
def new_worlds(lab: Lab) -> Finding:
    """Fly a guided flock of every model through a world of its own for each seed; the number of robots goes round."""
    seeds = lab.seeds(quick=2)
    with tempfile.TemporaryDirectory() as folder:
        worlds = [write(draw(seed), Path(folder), f"world_{seed}") for seed in seeds]
        cases = [WorldCase(GUIDED, str(world), model, COUNTS[k % len(COUNTS)]) for k, world in enumerate(worlds) for model in MODELS]
        made = [trial(case, seeds[k // len(MODELS)]) for k, case in enumerate(cases)]
        found = dict(zip(cases, lab.measure(made, jams)))
        flights = lab.fly([trial(WorldCase(GUIDED, str(world), "differential", 20), seed) for world, seed in zip(worlds[:6], seeds)])
    rows = []
    for model in MODELS:
        for n in COUNTS:
            mine = [one for case, one in found.items() if case.model == model and case.robots == n]
            if mine:
                rows.append((model, str(n), f"{sum(_whole([one]) for one in mine)} of {len(mine)}", told(mine), *_sums(mine)))
    claims = {"no robot touches anything, in any world": not any(one.collisions for one in found.values())}
    of_model = {model: [one for case, one in found.items() if case.model == model] for model in MODELS}
    claims |= {f"{model}: all arrive in every world": _whole(ns) for model, ns in of_model.items()}
    return Finding(
        "Worlds that nobody has seen",
        "Not in the papers: 8 to 24 discs, boxes and walls where chance puts them, another world for each seed.",
        ("robots", "number", "worlds whole", "arrival (s)", "collisions", "jam time (s)"),
        tuple(rows), claims, tuple(Paths(f"seed {seed}", flight) for seed, flight in zip(seeds, flights)),
        {f"{model}_whole": float(np.mean([one.arrived == 1.0 for one in ns])) for model, ns in of_model.items()},
        f"{len(seeds)} worlds, each flown by robots of every model, at most 180 s. Somewhere there is a way 0.6 m wide from start to goal. "
        "Where not all arrive the share that does is given.",
    )  # fmt: skip
