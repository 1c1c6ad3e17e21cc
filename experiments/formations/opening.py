"""Formations that open for obstacles, beside the same ones kept together, in random clutter and among pillars."""

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation

from . import MODELS, PAGE
from .worlds import Passage, Passed, refusal, scenario

PLACES, SAME = ("clutter", "pillars"), 0.01
"""The kinds of worlds; times that differ by less, as a share, are those of the same way."""


@dataclass(frozen=True)
class Choice:
    """A formation among obstacles, and whether it ``opens``."""

    passage: Passage
    opens: bool


def run(draw: Choice) -> Passed:
    """Make the run, until all are there or its time is over."""
    with tempfile.TemporaryDirectory() as folder:
        file, made = Path(folder) / "opening.yaml", scenario(draw.passage, Path(folder))
        made["control"]["formation"]["plan"] = {"opens": draw.opens}
        file.write_text(yaml.safe_dump(made), encoding="utf-8")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            simulation = Simulation(file).run(until=lambda run: run.done or bool(refusal(told)))
    summary = simulation.metrics()
    return Passed(summary["arrived_fraction"] == 1.0, summary["arrival_time"], int(summary["collisions"]), refusal(told))


@experiment("formation_opening", "formations that open for obstacles", PAGE, chosen_on=range(3020), reported_on=range(3020, 3040))
def formation_opening(lab: Lab) -> Finding:
    """For each seed, kind of world and robot model: the same formation twice, with fresh odometry and with spoilt one."""
    seeds = lab.seeds(quick=1)
    cases = [(place, model, late) for late in (False, True) for place in PLACES for model in MODELS]
    draws = [Choice(Passage(seed, *case), opens) for case in cases for seed in seeds for opens in (False, True)]
    found = iter(lab.map(run, draws))
    runs = {case: [(next(found), next(found)) for _ in seeds] for case in cases}
    rows, saved = [], {}
    for (place, model, late), pairs in runs.items():
        share = np.array([other.time / one.time for one, other in pairs if one.time is not None and other.time is not None])
        other_way, saved[place, model, late] = abs(share - 1.0) > SAME, share
        rows.append((
            place, model, "late" if late else "fresh", *(f"{sum(pair[k].arrived for pair in pairs)} of {len(pairs)}" for k in range(2)),
            *(str(sum(pair[k].contacts for pair in pairs)) for k in range(2)), f"{other_way.sum()} of {len(share)}",
            *((f"{share[other_way].mean():.2f}", f"{share[other_way].max():.2f}") if other_way.any() else ("–", "–")),
        ))  # fmt: skip
    every = [pair for pairs in runs.values() for pair in pairs]
    changed = np.concatenate([share[abs(share - 1.0) > SAME] for share in saved.values()])
    return Finding(
        "Formations that open for obstacles",
        "Not in the paper. Where it saves a fifth of the planned time a formation lets an obstacle pass between its robots.",
        ("world", "robots", "odometry", "together: arrived", "may open: arrived", "together: contacts", "may open: contacts",
         "time changes", "time, may open / together, where it changes", "longest"),
        tuple(rows),
        {"nobody touches anything": not any(one.contacts for pair in every for one in pair),
         "whoever arrives together arrives where it may open": not any(one.arrived and not other.arrived for one, other in every),
         "where it changes the time it saves a fifth in the mean": bool(len(changed)) and float(changed.mean()) <= 0.8,
         "none takes more than a tenth longer": bool(len(changed)) and float(changed.max()) <= 1.1},
        (Bars("formations that open", "% of the worlds", tuple(MODELS), {
            f"{place}{', late' * late}": np.array([100.0 * np.mean(abs(saved[place, model, late] - 1.0) > SAME) for model in MODELS])
            for late in (False, True) for place in PLACES}),),
        {"mean_share": float(changed.mean()) if len(changed) else float("nan"), "opened": float(len(changed))},
        f"{len(every)} pairs of runs: 3 to 20 robots in a line, wedge, circle or grid among 8 to 20 discs and boxes, or one to three on "
        "their way. Late: odometry 0.05 to 0.3 s late, up to 40 % of it lost, with up to 2 cm and 2° of noise.",
    )  # fmt: skip
