"""What keeps robots from colliding: the separation filter, in every scenario."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE
from .combined import Numbers, numbers_of, share

FILTERED = ("separation_filter.enabled=true",)
UNFILTERED = ("separation_filter.enabled=false",)
SCENARIOS = (
    "flock_frame", "migrate_boxes", "flock_mixed", "migrate_mixed", "flock_walls", "maze_hard", "multi_goal", "scale",
)  # fmt: skip


@experiment(
    "no_collision", "collisions and arrival in every shipped scenario, with and without the filter", PAGE, reported_on=range(100, 120)
)
def no_collision(lab: Lab) -> Finding:
    """Fly every shipped scenario with the filter off and on."""
    seeds = lab.seeds(quick=1)
    short = ("duration=15",) if lab.quick else ()
    small = {"scale": (f"robots={60 if lab.quick else 200}",)}
    cases = [(name, on) for name in SCENARIOS for on in (False, True)]
    trials = [
        Trial(name, (*small.get(name, ()), *(FILTERED if on else UNFILTERED), *short), seed) for name, on in cases for seed in seeds
    ]  # fmt: skip
    measured = lab.measure(trials, numbers_of)
    found = {case: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    on = {name: ns for (name, filtered), ns in found.items() if filtered}
    claims = {"no collision in any scenario with the filter on": not sum(n.collisions for ns in on.values() for n in ns)}
    if not lab.quick:
        arrived = all(n.arrived in (None, 1.0) for ns in on.values() for n in ns)
        claims["all robots arrive wherever there is a goal, with the filter on"] = arrived
    return Finding(
        "No collisions, no jams",
        "Not in the paper: robots that neither collide nor jam in any shipped scenario.",
        ("scenario", "filter", "collisions per run", "least separation of centres (m)", "least room to walls (m)", "arrived", "arrival (s)",
         "interventions per robot-minute"),
        tuple((name, "on" if filtered else "off", *_cells(ns)) for (name, filtered), ns in found.items()),
        claims, (_chart(found),),
        {"collisions_on": float(sum(n.collisions for ns in on.values() for n in ns)),
         "collisions_off": float(sum(n.collisions for (_, filtered), ns in found.items() if not filtered for n in ns))},
        f"{len(seeds)} seeds, {'15 s' if lab.quick else 'whole durations'}; scale with {'60' if lab.quick else '200'} robots. "
        "A tick is 0.05 s: 1200 per robot-minute.",
    )  # fmt: skip


def _cells(ns: list[Numbers]) -> tuple[str, ...]:
    return (
        mean_sd(float(n.collisions) for n in ns), f"{min(n.separation for n in ns):.3f}", f"{min(n.clearance for n in ns):.3f}",
        share([n.arrived for n in ns]), mean_sd(n.arrival for n in ns), mean_sd((n.interventions for n in ns), 0),
    )  # fmt: skip


def _chart(found: dict[tuple[str, bool], list[Numbers]]) -> Bars:
    series = {
        f"filter {'on' if on else 'off'}": np.array([np.mean([n.collisions for n in found[name, on]]) for name in SCENARIOS])
        for on in (False, True)
    }  # fmt: skip
    return Bars("collisions per run", "collisions", SCENARIOS, series)
