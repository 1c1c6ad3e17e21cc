"""What keeps robots from colliding: accumulation (Adeola et al., §4.2.2), and the separation filter in every scenario."""

import numpy as np

from swarm_control.experiments.combined import Numbers, numbers_of, share
from swarm_control.experiments.finding import Bars, Finding, mean_sd
from swarm_control.experiments.flight import Trial
from swarm_control.experiments.lab import Lab

FILTERED = ("separation_filter.enabled=true",)
UNFILTERED = ("separation_filter.enabled=false",)
SCENARIOS = (
    "flock_frame", "migrate_boxes", "flock_mixed", "migrate_mixed", "flock_walls", "maze_hard", "multi_goal", "scale",
)  # fmt: skip


def accumulation(lab: Lab) -> Finding:
    """Fly three scenarios with weighted and prioritised accumulation, with and without the filter."""
    seeds = lab.seeds(10, 1)
    short = ("duration=25",) if lab.quick else ()
    scenarios = ("flock_frame", "flock_mixed", "migrate_mixed")
    cases = [(s, method, on) for s in scenarios for method in ("weighted", "prioritised") for on in (False, True)]
    trials = [
        Trial(s, (f"accumulation.method={method}", *(FILTERED if on else UNFILTERED), *short), seed)
        for s, method, on in cases for seed in seeds
    ]  # fmt: skip
    measured = lab.measure(trials, numbers_of)
    found = {case: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}

    def total(method: str, on: bool) -> int:
        return sum(n.collisions for (_, m, o), ns in found.items() if m == method and o == on for n in ns)

    numbers = {f"{m}_{'on' if on else 'off'}": float(total(m, on)) for m in ("weighted", "prioritised") for on in (False, True)}
    return Finding(
        "Weighted against prioritised accumulation (§4.2.2)",
        "In a weighted sum conflicting requests may cancel out; prioritised, critical ones are met first.",
        ("scenario", "accumulation", "filter", "collisions per run", "least room to walls (m)", "least separation of centres (m)", "polarization"),
        tuple(
            (s, method, "on" if on else "off", mean_sd(float(n.collisions) for n in ns), f"{min(n.clearance for n in ns):.3f}",
             f"{min(n.separation for n in ns):.3f}", mean_sd((n.polarization for n in ns), 2))
            for (s, method, on), ns in found.items()
        ),
        {
            "without the filter, prioritised collides no more than weighted": numbers["prioritised_off"] <= numbers["weighted_off"],
            "with the filter, neither collides": numbers["weighted_on"] + numbers["prioritised_on"] == 0.0,
        },
        (_comparison(scenarios, found),), numbers, f"{len(seeds)} seeds; the paper refers to videos for this comparison.",
    )  # fmt: skip


def _comparison(scenarios: tuple[str, ...], found: dict[tuple[str, str, bool], list[Numbers]]) -> Bars:
    series = {
        method: np.array([np.mean([n.collisions for n in found[s, method, False]]) for s in scenarios])
        for method in ("weighted", "prioritised")
    }  # fmt: skip
    return Bars("collisions per run, filter off", "collisions", scenarios, series)


def no_collision(lab: Lab) -> Finding:
    """Fly every shipped scenario with the filter off and on."""
    seeds = lab.seeds(20, 1)
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
        claims["all robots arrive wherever there is a goal, with the filter on"] = all(n.arrived in (None, 1.0) for ns in on.values() for n in ns)
    return Finding(
        "No collisions, no jams",
        "Not in the paper: robots that neither collide nor jam in any shipped scenario.",
        ("scenario", "filter", "collisions per run", "least separation of centres (m)", "least room to walls (m)", "arrived", "arrival (s)",
         "interventions per robot-minute"),
        tuple((name, "on" if filtered else "off", *_cells(ns)) for (name, filtered), ns in found.items()),
        claims, (_chart(found),),
        {"collisions_on": float(sum(n.collisions for ns in on.values() for n in ns)),
         "collisions_off": float(sum(n.collisions for (_, filtered), ns in found.items() if not filtered for n in ns))},
        f"{len(seeds)} seeds, whole durations; scale with {small['scale'][0].split('=')[1]} robots. A tick is 0.05 s: 1200 per robot-minute.",
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
