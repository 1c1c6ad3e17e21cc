"""A thousand scattered robots take their places in a shape, and nobody touches anybody."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import MODELS, PAGE, SEEN
from .forming import Formed, Forming, median, run

THOUSAND = (1000, 1000)


@experiment("formation_thousand", "a thousand scattered robots form random shapes", PAGE, chosen_on=SEEN, reported_on=range(1000, 1004))
def formation_thousand(lab: Lab) -> Finding:
    """For each seed and model: a forming like the random ones, with fresh odometry and with late one."""
    seeds = lab.seeds(quick=1)
    count = (60, 60) if lab.quick else THOUSAND
    cases = [(model, late) for model in MODELS for late in (False, True)]
    found = iter(lab.map(run, [Forming(seed, model, late, count) for model, late in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    rows = tuple(
        (model, "late" if late else "fresh", f"{sum(one.arrived for one in ns)} of {len(ns)}", str(sum(bool(one.refused) for one in ns)),
         str(sum(one.contacts for one in ns)), f"{_time(ns):.1f}",
         f"{median([one.time / one.bound for one in ns if one.time is not None]):.1f}")
        for (model, late), ns in runs.items()
    )  # fmt: skip
    everything = [one for ns in runs.values() for one in ns]
    times: dict[str, Array] = {
        kind: np.array([_time(runs[model, late]) for model in MODELS]) for kind, late in (("fresh", False), ("late", True))
    }
    return Finding(
        "A thousand robots form",
        "Not in the paper, which has three robots, and fifteen in simulation.",
        ("robots", "odometry", "formed", "refused", "contacts", "median time (s)", "over the bound"), rows,
        {
            "nobody touches anybody": not any(one.contacts for one in everything),
            "all that are not refused take their places": all(one.arrived or one.refused for one in everything),
        },
        (Bars("median time until formed", "s", MODELS, times),),
        {"formed": float(np.mean([one.arrived for one in everything]))},
        f"{len(everything)} runs of {count[0]} robots; sizes, speeds, shapes, late odometry and the bound are those of the random formings."
        + "".join(f" Refused: {why}." for why in sorted({one.refused for one in everything if one.refused})[:5]),
    )  # fmt: skip


def _time(runs: list[Formed]) -> float:
    """Median time (s) until formed."""
    return median([one.time for one in runs if one.time is not None])
