"""Any number of any robots: the flocking scenarios from one robot to hundreds, omnidirectional, on two wheels and as cars."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN
from .cases import MODELS, Crowd, Found, all_arrive, fly, found_in, trial_of

SCENARIOS = ("migrate_boxes", "migrate_mixed", "multi_goal", "maze_hard")
COUNTS = (1, 3, 10, 20, 50, 100, 200)


def jams(flight: Flight) -> Found:
    """Jams and the time (s) with any."""
    return found_in(flight, float(flight.summary["jams"]), float(flight.summary["jam_time"]))


@experiment("any_number", "flocks of 1 to 200 robots of three models", PAGE, chosen_on=SEEN, reported_on=range(1000, 1002))
def any_number(lab: Lab) -> Finding:
    """Fly the flocking scenarios with goals for every number and model."""
    seeds, counts = lab.seeds(quick=1), (3, 20) if lab.quick else COUNTS
    found = fly(lab, [Crowd(scenario, model, n) for scenario in SCENARIOS for model in MODELS for n in counts], seeds, jams)
    rows = tuple(
        (scenario, model, str(n), f"{100 * np.mean([one.arrived for one in ns]):.1f} %",
         f"{sum(one.arrived == 1.0 for one in ns)} of {len(ns)}", mean_sd(one.time for one in ns), str(sum(one.collisions for one in ns)),
         f"{sum(one.measured[0] for one in ns):.0f}", f"{np.mean([one.measured[1] for one in ns]):.0f}")
        for (scenario, model, n), ns in found.items()
    )  # fmt: skip
    claims = {"no robot touches anything, in any run": not any(one.collisions for ns in found.values() for one in ns)}
    claims |= {f"{name}, {model}: all arrive in every run": all_arrive(found, name, model) for name in SCENARIOS for model in MODELS}
    shown = [trial_of(Crowd("migrate_boxes", model, max(counts)), seeds[0]) for model in MODELS]
    panels = tuple(Paths(f"migrate_boxes, {max(counts)} × {model}", flight) for model, flight in zip(MODELS, lab.fly(shown)))
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        f"{scenario}, {model}": (
            np.array(counts, float), np.array([np.mean([one.time or np.nan for one in found[Crowd(scenario, model, n)]]) for n in counts]),
            None,
        )
        for scenario in SCENARIOS for model in MODELS
    }  # fmt: skip
    return Finding(
        "Any number of robots",
        "The papers have ten robots, and twenty at most. `leaders.per`, `arrival_room` and `separation.area_share` grow with the flock.",
        ("scenario", "robots", "number", "arrived", "runs whole", "arrival (s)", "collisions", "jams", "jam time (s)"),
        rows, claims, (*panels, Curves("arrival", "robots", "s", curves)),
        {f"{scenario}_{model}_{n}": float(np.mean([one.arrived for one in ns])) for (scenario, model, n), ns in found.items()},
        f"{len(seeds)} seeds. A jam is a robot on its way that gets no farther than its own width in 5 s.",
    )  # fmt: skip
