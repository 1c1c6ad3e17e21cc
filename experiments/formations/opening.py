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
from .worlds import Passage, refusal, scenario

PLACES, SAME = ("clutter", "pillars"), 0.01
"""The kinds of worlds; times that differ by less, as a share, are those of the same way."""


@dataclass(frozen=True)
class Choice:
    """A formation among obstacles, and whether it ``opens``."""

    passage: Passage
    opens: bool


@dataclass(frozen=True)
class OpeningRun:
    """What came of it: when all were there (s), or None, contacts, and how far robots were from their places in the formation (m)."""

    time: float | None
    contacts: int
    error: float


def run(draw: Choice) -> OpeningRun:
    """Make the run, until all are there or its time is over."""
    with tempfile.TemporaryDirectory() as folder:
        file, made = Path(folder) / "opening.yaml", scenario(draw.passage, Path(folder))
        made["control"]["formation"]["plan"] = {"opens": draw.opens}
        file.write_text(yaml.safe_dump(made), encoding="utf-8")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            simulation = Simulation(file).run(until=lambda run: run.done or bool(refusal(told)))
    summary = simulation.metrics()
    error = summary["formation_error_mean"]
    return OpeningRun(summary["arrival_time"], int(summary["collisions"]), float("nan") if error is None else float(error))


@experiment("formation_opening", "formations that open for obstacles", PAGE, chosen_on=range(3044), reported_on=range(3044, 3056))
def formation_opening(lab: Lab) -> Finding:
    """For each seed, kind of world and robot model: the same formation twice, with fresh odometry and with spoilt one."""
    seeds = lab.seeds(quick=1)
    cases = [(place, model, late) for late in (False, True) for place in PLACES for model in MODELS]
    draws = [Choice(Passage(seed, *case), opens) for case in cases for seed in seeds for opens in (False, True)]
    found = iter(lab.map(run, draws))
    runs = {case: [(next(found), next(found)) for _ in seeds] for case in cases}
    rows, saved = [], {}
    for (place, model, late), pairs in runs.items():
        time = np.array([(one.time, other.time) for one, other in pairs], float).reshape(-1, 2)
        there = np.isfinite(time).all(axis=1)
        share = time[there, 1] / time[there, 0]
        other_way = abs(share - 1.0) > SAME
        error = np.array([(one.error, other.error) for one, other in pairs]).reshape(-1, 2)[there][other_way]
        saved[place, model, late] = share, error
        rows.append((
            place, model, "late" if late else "fresh", *(f"{n} of {len(pairs)}" for n in np.isfinite(time).sum(axis=0)),
            *(str(sum(pair[k].contacts for pair in pairs)) for k in range(2)), f"{other_way.sum()} of {len(share)}",
            *((f"{share[other_way].mean():.2f}", f"{share[other_way].max():.2f}", *(f"{100.0 * mean:.0f}" for mean in error.mean(axis=0)))
              if other_way.any() else ("–",) * 4),
        ))  # fmt: skip
    every = [pair for pairs in runs.values() for pair in pairs]
    changed = np.concatenate([share[abs(share - 1.0) > SAME] for share, _ in saved.values()])
    errors = np.concatenate([error for _, error in saved.values()])
    little = changed > 0.8
    return Finding(
        "Formations that open for obstacles",
        "Not in the paper. Where it saves a fifth of the planned time, or less where the formation would be deformed more else, it lets "
        "an obstacle pass between its robots.",
        ("world", "robots", "odometry", "together: arrived", "may open: arrived", "together: contacts", "may open: contacts",
         "time changes", "time, may open / together, where it changes", "longest",
         "then off the formation, together (cm)", "may open (cm)"),
        tuple(rows),
        {"nobody touches anything": not any(one.contacts for pair in every for one in pair),
         "whoever arrives together arrives where it may open": not any(one.time and not other.time for one, other in every),
         "where it changes the time it saves a tenth in the mean": bool(len(changed)) and float(changed.mean()) <= 0.9,
         "where it saves less than a fifth robots are in the mean no farther off the formation":
             float(errors[little, 1].sum()) <= float(errors[little, 0].sum()),
         "none takes more than a tenth longer": bool(len(changed)) and float(changed.max()) <= 1.1},
        (Bars("formations that open", "% of the worlds", tuple(MODELS), {
            f"{place}{', late' * late}": np.array([100.0 * np.mean(abs(saved[place, model, late][0] - 1.0) > SAME) for model in MODELS])
            for late in (False, True) for place in PLACES}),),
        {"mean_share": float(changed.mean()) if len(changed) else float("nan"), "opened": float(len(changed))},
        f"{len(every)} pairs of runs: 3 to 20 robots in a line, wedge, circle or grid among 8 to 20 discs and boxes, or one to three on "
        "their way. Late: odometry 0.05 to 0.3 s late, up to 40 % of it lost, with up to 2 cm and 2° of noise.",
    )  # fmt: skip
