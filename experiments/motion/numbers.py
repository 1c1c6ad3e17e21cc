"""Any number of any robots: the flocking scenarios from one robot to hundreds, omnidirectional, on two wheels and as cars."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN

SCENARIOS = ("migrate_boxes", "migrate_mixed", "multi_goal", "maze_hard")
MODELS = ("omni", "differential", "car")
COUNTS = (1, 3, 10, 20, 50, 100, 200)
Numbers = tuple[float, float | None, int, int, float]


def numbers(flight: Flight) -> Numbers:
    """Share arrived, when (s), collisions, jams and the time (s) with any."""
    found = flight.summary
    return (
        float(found["arrived_fraction"]), found["arrival_time"], int(found["collisions"]), int(found["jams"]), float(found["jam_time"])
    )  # fmt: skip


@experiment("any_number", "flocks of 1 to 200 robots of three models", PAGE, chosen_on=SEEN, reported_on=range(1000, 1002))
def any_number(lab: Lab) -> Finding:
    """Fly the flocking scenarios with goals for every number and model."""
    seeds, counts = lab.seeds(quick=1), (3, 20) if lab.quick else COUNTS
    cases = [(scenario, model, n) for scenario in SCENARIOS for model in MODELS for n in counts]
    trials = [
        Trial(scenario, (f"robots={n}", f"robots.0.model={model}"), seed, until_arrival=True)
        for scenario, model, n in cases for seed in seeds
    ]  # fmt: skip
    measured = lab.measure(trials, numbers)
    found = {case: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    rows = tuple(
        (scenario, model, str(n), f"{100 * np.mean([one[0] for one in ns]):.1f} %", f"{sum(one[0] == 1.0 for one in ns)} of {len(ns)}",
         mean_sd(one[1] for one in ns), str(sum(one[2] for one in ns)), str(sum(one[3] for one in ns)),
         f"{np.mean([one[4] for one in ns]):.0f}")
        for (scenario, model, n), ns in found.items()
    )  # fmt: skip
    claims = {"no robot touches anything, in any run": not any(one[2] for ns in found.values() for one in ns)}
    for scenario in SCENARIOS:
        for model in MODELS:
            whole = all(one[0] == 1.0 for n in counts for one in found[scenario, model, n])
            claims[f"{scenario}, {model}: all arrive in every run"] = whole
    most = max(counts)
    shown = [Trial("migrate_boxes", (f"robots={most}", f"robots.0.model={model}"), seeds[0], until_arrival=True) for model in MODELS]
    panels = tuple(Paths(f"migrate_boxes, {most} × {model}", flight) for model, flight in zip(MODELS, lab.fly(shown)))
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        f"{scenario}, {model}": (
            np.array(counts, float), np.array([np.mean([one[1] or np.nan for one in found[scenario, model, n]]) for n in counts]), None
        )
        for scenario in SCENARIOS for model in MODELS
    }  # fmt: skip
    return Finding(
        "Any number of robots",
        "The papers have ten robots, and twenty at most. `leaders.per`, `arrival_room` and `separation.area_share` grow with the flock.",
        ("scenario", "robots", "number", "arrived", "runs whole", "arrival (s)", "collisions", "jams", "jam time (s)"),
        rows, claims, (*panels, Curves("arrival", "robots", "s", curves)),
        {f"{scenario}_{model}_{n}": float(np.mean([one[0] for one in ns])) for (scenario, model, n), ns in found.items()},
        f"{len(seeds)} seeds. A jam is a robot on its way that gets no farther than its own width in 5 s.",
    )  # fmt: skip
