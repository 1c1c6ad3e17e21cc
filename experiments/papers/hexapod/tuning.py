"""Motor programs of a walking insect tuned automatically, which McKenna & Zeltzer leave open."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Photo, interval, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.tuning.objective import objective_of
from swarm_control.analysis.tuning.search import Candidate, Result, TuningProblem, search
from swarm_control.analysis.tuning.space import space_of
from swarm_control.core.geometry import BoolArray
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE
from .numerics import level
from .pictures import diagram

SCENARIO, DURATION = "hexapod_walk", 2.5
"""Walks of so many seconds, from standing, told 5.5 cm/s."""
PROGRAMS = "bodies.hexapod.programs."
RANGES = {
    "stride": (0.1, 0.7), "lift": (0.05, 0.45), "rise": (0.1, 0.6), "forward": (0.35, 0.95), "carry": (0.0, 1.0), "authority": (0.0, 1.0),
}  # fmt: skip
"""What is tuned."""
POOR = {"stride": 0.15, "lift": 0.45, "rise": 0.3, "forward": 0.4, "carry": 0.0, "authority": 0.0}
"""Short hasty strides, legs thrown high and stamped down early, and nothing that makes up for what is lost on the way."""
OBJECTIVES = ("travel_speed=20", "straightness=5", "energy=40")
"""1 cm/s of speed is worth as much as 0.04 of straightness or 5 mJ."""


@experiment("hexapod_tuning", "motor programs tuned from poor ones", PAGE, reported_on=range(100, 110))
def tuning(lab: Lab) -> Finding:
    """Tune six numbers of step and stance from poor ones; then walk with poor, tuned and shipped ones, with seeds not seen before."""
    unseen, (trained, evaluations) = lab.seeds(), (1, 6) if lab.quick else (3, 80)
    seeds = lab.choosing(trained)
    found = _search(lab, tuple(f"{PROGRAMS}{name}={value}" for name, value in POOR.items()), seeds, unseen, evaluations)
    shipped = _search(lab, (), seeds, unseen, 0)
    walked = {"poor": found.start_held_out, "tuned": found.best_held_out, "shipped": shipped.start_held_out}
    shown = [({name: walked[who].values[PROGRAMS + name] for name in RANGES}, unseen[0]) for who in ("poor", "tuned")]
    return _finding(walked, found, lab.map(steps, shown), lab.quick, f"{len(seeds)} seeds, {len(unseen)}")


def _search(lab: Lab, overrides: tuple[str, ...], seeds: Sequence[Seed], unseen: Sequence[Seed], evaluations: int) -> Result:
    told = (f"duration={DURATION}", *overrides)
    space = space_of(SCENARIO, told, [f"{PROGRAMS}{name}={low}:{high}" for name, (low, high) in RANGES.items()])
    problem = TuningProblem(SCENARIO, told, space, objective_of(OBJECTIVES, ["falls<=0"]), tuple(seeds), seeds[0])
    with tempfile.TemporaryDirectory() as folder:
        return search(problem, Path(folder) / "runs.jsonl", evaluations, unseen, lambda done, total, best: lab.progress(done, total))


def steps(case: tuple[dict[str, float], Seed]) -> BoolArray:
    """Which legs step (T, 6), every 2 ms of 0.8 s, by such motor programs, told 5.5 cm/s, from a seed."""
    programs, seed = case
    insects = Insects(with_hexapod(level(), **{f"programs__{name}": value for name, value in programs.items()}), 1, seed)
    insects.walk((0.055, 0.0, 0.0), 1.0)
    return np.asarray(insects.walk((0.055, 0.0, 0.0), 0.8).stepping[:, 0])


def _per_metre(summary: dict[str, Any]) -> float:
    """Work of the muscles, mJ/m."""
    return float(1e3 * summary["energy"] / (summary["travel_speed"] * summary["duration"]))


def _finding(walked: dict[str, Candidate], found: Result, stepping: Sequence[BoolArray], quick: bool, runs: str) -> Finding:
    speed = {who: np.array([100.0 * s["travel_speed"] for s in made.summaries]) for who, made in walked.items()}
    straight = {who: np.array([s["straightness"] for s in made.summaries]) for who, made in walked.items()}
    energy = {who: np.array([_per_metre(s) for s in made.summaries]) for who, made in walked.items()}
    cost = {who: made.score.cost for who, made in walked.items()}
    spared, faster = energy["tuned"] - energy["shipped"], speed["tuned"] - speed["shipped"]
    return Finding(
        "Motor programs tuned automatically",
        "Automatic tuning of motor programs is left open.",
        ("motor programs", *RANGES, "speed (cm/s)", "straightness", "muscles' work (mJ/m)", "falls", "cost"),
        tuple(
            (who, *(f"{made.values[PROGRAMS + name]:.3g}" for name in RANGES), mean_sd(speed[who], 2), mean_sd(straight[who], 4),
             mean_sd(energy[who], 0), str(sum(s["falls"] for s in made.summaries)), f"{made.score.cost:.3f}")
            for who, made in walked.items()
        ),
        {"the poor programs are slower and waste more than the shipped ones": bool(
            speed["poor"].mean() < speed["shipped"].mean() and energy["poor"].mean() > energy["shipped"].mean())}
        | ({} if quick else {
            "tuned: faster, straighter and with less work per metre than the poor ones, on seeds that the search has not seen": bool(
                speed["tuned"].mean() > speed["poor"].mean() and straight["tuned"].mean() > straight["poor"].mean()
                and energy["tuned"].mean() < energy["poor"].mean()),
            "tuned: as good as those shipped, by the objective, on these seeds": cost["tuned"] <= cost["shipped"],
        }),
        (_convergence(found), *(Photo(f"{who}: white steps, black stands", diagram(made, 0.002), np.empty((0, 0, 2)), axes=False)
                                for who, made in zip(("poor", "tuned"), stepping))),
        {f"{what}_{who}": float(values[who].mean()) for what, values in (("speed", speed), ("energy", energy)) for who in walked}
        | {f"cost_{who}": value for who, value in cost.items()},
        f"As `swarm tune {SCENARIO}` does it: {DURATION:g} s from standing, objectives {', '.join(OBJECTIVES)}, constraint falls<=0; "
        f"{len(found.candidates) - 1} evaluations with {runs} others in the table. Poor: short strides, legs thrown high and stamped down "
        f"early, no closed loop. Tuned less shipped: {faster.mean():.2f} ± {interval(faster):.2f} cm/s, {spared.mean():.1f} ± "
        f"{interval(spared):.1f} mJ/m (mean, 95 % confidence, same seeds). Tuned on level ground only.",
    )  # fmt: skip


def _convergence(found: Result) -> Curves:
    """Cost above that of the best, of each candidate and of the best so far."""
    cost = np.array([made.score.cost if made.score.violation == 0.0 else np.nan for made in found.candidates])
    best = np.fmin.accumulate(cost)
    index = np.arange(len(cost), dtype=float)
    above = {"candidate": cost - best[-1], "best so far": best - best[-1]}
    return Curves("the search", "candidate", "cost above the best's", {name: (index, values, None) for name, values in above.items()})
