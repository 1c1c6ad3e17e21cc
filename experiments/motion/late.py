"""Odometry that is late, lost and noisy, with and without the estimate of where robots are by now."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE, SEEN

LATE = ("simulator.delay=0.3", "simulator.loss=0.3", "simulator.noise_position=0.01")
SCENARIOS = ("migrate_boxes", "migrate_mixed", "bypass_walls")
MODELS = ("omni", "differential")
Numbers = tuple[float, float | None, int]


def arrival(flight: Flight) -> Numbers:
    """Share arrived, when (s), and collisions."""
    found = flight.summary
    return float(found["arrived_fraction"] or 0.0), found["arrival_time"], int(found["collisions"])


@experiment("late_odometry", "flocks with odometry 0.3 s late, 30 % lost, 1 cm noise", PAGE, chosen_on=SEEN, reported_on=range(1000, 1020))
def late_odometry(lab: Lab) -> Finding:
    """Fly three scenarios with fresh odometry, and with spoilt one with the estimate off and on."""
    seeds = lab.seeds(quick=1)
    ways = {"fresh": (), "late, no estimate": (*LATE, "estimation.enabled=false"), "late": LATE}
    cases = [(name, model, way) for name in SCENARIOS for model in MODELS for way in ways]
    trials = [
        Trial(name, (f"robots.0.model={model}", *ways[way]), seed, until_arrival=True) for name, model, way in cases for seed in seeds
    ]  # fmt: skip
    measured = lab.measure(trials, arrival)
    found = {case: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    whole = {case: np.mean([share == 1.0 and not hits for share, _, hits in ns]) for case, ns in found.items()}
    every = [(name, model) for name in SCENARIOS for model in MODELS]
    claims = {
        "with the estimate, every late run arrives whole, without a collision": all(whole[(*one, "late")] == 1.0 for one in every),
        "without it, no late run does": not any(whole[(*one, "late, no estimate")] for one in every),
        "late runs take no more than 1.5 times as long as fresh ones": all(
            _time(found[(*one, "late")]) <= 1.5 * _time(found[(*one, "fresh")]) for one in every
        ),
    }  # fmt: skip
    rows = tuple(
        (name, model, way, f"{100 * np.mean([share for share, _, _ in ns]):.0f} %", mean_sd(time for _, time, _ in ns),
         f"{sum(hits for _, _, hits in ns)}", f"{100 * whole[name, model, way]:.0f} %")
        for (name, model, way), ns in found.items()
    )  # fmt: skip
    labels = tuple(f"{name}\n{model}" for name in SCENARIOS for model in MODELS)
    series = {way: np.array([100 * whole[name, model, way] for name in SCENARIOS for model in MODELS]) for way in ways}
    return Finding(
        "Odometry that is late, lost and noisy",
        "Not in the papers: odometry 0.3 s late, 30 % of it lost, 1 cm of noise, as over a wireless network with a tracker.",
        ("scenario", "robots", "odometry", "arrived", "arrival (s)", "collisions, all runs", "runs whole and without collision"),
        rows, claims, (Bars("runs whole and without collision", "% of runs", labels, series),),
        {f"{name}_{model}": float(whole[name, model, "late"]) for name in SCENARIOS for model in MODELS},
        f"{len(seeds)} seeds. The estimate moves each measurement on by the robot's own commands (`control.estimation`).",
    )  # fmt: skip


def _time(ns: list[Numbers]) -> float:
    known = [time for _, time, _ in ns if time is not None]
    return float(np.mean(known)) if known else np.inf
