"""Robots that nobody here drew, from their makers' files, through crossing traffic with the separation filter."""

from collections.abc import Sequence

import numpy as np

from swarm_control import paths
from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE

SCENES = ("traffic_antipodal", "traffic_crossing")
FEWEST, MOST = 3, 10
"""Robots in a run, drawn evenly."""


def trial(model: str, scene: str, seed: Seed) -> Trial:
    """A run of a number of robots that the seed draws."""
    count = int(np.random.default_rng([int(seed), SCENES.index(scene)]).integers(FEWEST, MOST + 1))
    return Trial(scene, (f"robots={count}", f"robots.0.model={model}"), seed, True)


def passing(flight: Flight) -> tuple[float, float, int, int, float]:
    """Share that arrived, after how long (s), contacts, falls, least distance in footprints' diameters."""
    summary = flight.summary
    time = summary["arrival_time"]
    apart = float(summary["min_separation"]) / (2.0 * float(flight.radius.max()))
    arrived = float(summary["arrived_fraction"])
    return arrived, float("nan") if time is None else float(time), int(summary["collisions"]), int(summary["falls"]), apart


@experiment(
    "herd_from_files", "robots from URDF and MJCF files in crossing traffic", PAGE, chosen_on=range(100), reported_on=range(2000, 2006),
)  # fmt: skip
def from_files(lab: Lab) -> Finding:
    """Arrival, contacts and falls of every robot that is shipped as a file."""
    seeds = lab.seeds(quick=1)
    models = list(paths.models())
    made = [trial(model, scene, seed) for model in models for scene in SCENES for seed in seeds]
    found = iter(lab.measure(made, passing))
    runs = {model: [next(found) for _ in SCENES for _ in seeds] for model in models}
    every = [run for own in runs.values() for run in own]
    return Finding(
        "Robots from files",
        "Not in the paper, whose robots were modelled by hand.",
        ("robot", "runs in which all arrived", "after (s), mean", "contacts", "falls", "least distance (diameters)"),
        tuple(_row(model, own) for model, own in runs.items()),
        {
            "all arrive, in every run": all(run[0] == 1.0 for run in every), "no contact, in any run": not sum(run[2] for run in every),
            "nobody falls": not sum(run[3] for run in every),
        },
        (Bars("time to arrive", "s", tuple(models), {"mean": np.array([_mean(own) for own in runs.values()])}),),
        {f"time_{model}": _mean(own) for model, own in runs.items()},
        f"{len(seeds)} seeds of each scene, {FEWEST} to {MOST} robots by chance: each to the opposite place on a circle, and four flows "
        "that cross. Robots keep clear of each other by reciprocal avoidance and the separation filter, with the abilities that `swarm "
        "identify` found on seed 0; their controllers read noisy, late sensors of their own.",
    )  # fmt: skip


def _row(model: str, runs: Sequence[tuple[float, float, int, int, float]]) -> tuple[str, ...]:
    arrived = sum(run[0] == 1.0 for run in runs)
    contacts, falls, apart = sum(run[2] for run in runs), sum(run[3] for run in runs), min(run[4] for run in runs)
    return model, f"{arrived} of {len(runs)}", f"{_mean(runs):.0f}", str(contacts), str(falls), f"{apart:.2f}"


def _mean(runs: Sequence[tuple[float, float, int, int, float]]) -> float:
    times = [run[1] for run in runs if np.isfinite(run[1])]
    return float(np.mean(times)) if times else float("nan")
