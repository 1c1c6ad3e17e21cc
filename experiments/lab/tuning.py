"""Tuning at work: from bad weights to arrival without collision, and against the paper's weights (Adeola et al., Table 2)."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Page, experiment
from swarm_control.analysis.tuning.objective import objective_of
from swarm_control.analysis.tuning.search import Candidate, Result, Score, TuningProblem, search
from swarm_control.analysis.tuning.space import space_of
from swarm_control.core.geometry import Array

PAGE = Page("tuning", "Automatic tuning")

SCENARIO = "migrate_mixed"
RULES = ("alignment", "cohesion", "separation", "steer_to_avoid", "arrival")
BAD = (0.9, 1.0, 0.02, 0.1, 0.02)
"""A flock that crowds and hardly looks at walls."""


@experiment("tuning", "from bad weights to arrival without collision, by `swarm tune`", PAGE, reported_on=range(100, 120))
def tuning(lab: Lab) -> Finding:
    """Tune the five weights of the flock among mixed obstacles; then fly bad, printed and tuned weights with seeds not seen before."""
    held_out, (trained, evaluations) = lab.seeds(quick=3), (2, 6) if lab.quick else (20, 80)
    seeds = lab.choosing(trained)
    bad = tuple(f"{rule}.weight={weight}" for rule, weight in zip(RULES, BAD))
    found = _search(lab, bad, seeds, held_out, evaluations)
    printed = _search(lab, (), seeds, held_out, 0)
    flown = {"bad": found.start_held_out, "Table 2": printed.start_held_out, "tuned": found.best_held_out}
    return _finding(lab, flown, found, len(held_out))


def _search(lab: Lab, overrides: tuple[str, ...], seeds: Sequence[Seed], held_out: Sequence[Seed], evaluations: int) -> Result:
    space = space_of(SCENARIO, overrides, [f"{rule}.weight=0:1" for rule in RULES])
    objective = objective_of(["arrival_time"], ["collisions<=0", "arrived_fraction>=1"])
    problem = TuningProblem(SCENARIO, overrides, space, objective, tuple(seeds), seeds[0])
    with tempfile.TemporaryDirectory() as folder:
        return search(problem, Path(folder) / "runs.jsonl", evaluations, held_out, lambda done, total, best: lab.progress(done, total))


def _finding(lab: Lab, flown: dict[str, Candidate], found: Result, held_out: int) -> Finding:
    arrival = {name: [s["arrival_time"] for s in candidate.summaries] for name, candidate in flown.items()}
    broken = {name: sum(s["collisions"] for s in candidate.summaries) for name, candidate in flown.items()}
    whole = {name: all(time is not None for time in times) for name, times in arrival.items()}
    tuned, printed = flown["tuned"].score, flown["Table 2"].score
    return Finding(
        "Tuned weights (Table 2, Fig. 23d)",
        "weights were found by trial and error. Here CMA-ES finds them, for the scenario as it is shipped: objective arrival_time, "
        "constraints collisions<=0 and arrived_fraction>=1, from weights that make the flock crowd.",
        ("weights", *RULES, "runs", "collisions", "runs without", "all arrived in", "arrival (s)"),
        tuple(
            (name, *(f"{w:.3g}" for w in candidate.values.values()), str(held_out), str(broken[name]),
             str(sum(s["collisions"] == 0 for s in candidate.summaries)), str(sum(time is not None for time in arrival[name])),
             mean_sd(arrival[name]))
            for name, candidate in flown.items()
        ),
        {
            "the bad weights collide or do not arrive": broken["bad"] > 0 or not whole["bad"],
        } | ({} if lab.quick else {
            "tuned: arrival without collision in every run with seeds not seen in the search": whole["tuned"] and not broken["tuned"],
            "tuned is better than Table 2's weights with seeds not seen in the search": tuned.key() < printed.key(),
        }),
        (_convergence([candidate.score for candidate in found.candidates]),),
        {f"collisions, {name}": float(count) for name, count in broken.items()},
        "All three rows with the same seeds, which the search has not seen.",
    )  # fmt: skip


def _convergence(scores: Sequence[Score]) -> Curves:
    cost = np.array([score.cost for score in scores])
    broken = np.array([score.violation for score in scores])
    best = np.minimum.accumulate(np.where(broken == 0.0, cost, np.inf))
    index = np.arange(len(scores), dtype=float)
    known = np.isfinite(best)
    curves: dict[str, tuple[Array, Array, Array | None]] = {"candidate": (index, cost, None)}
    curves["best without collision so far"] = (index[known], best[known], None)
    return Curves("the search", "candidate", "arrival (s), mean over seeds", curves)
