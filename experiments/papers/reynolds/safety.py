"""What keeps robots from colliding: accumulation (Adeola et al., §4.2.2), and the separation filter in every scenario."""

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


LIMITS = (4.0, 1.0, 0.5)
"""Maximum accelerations, m/s²; the first is that of the shipped scenarios."""
METHODS = ("weighted", "prioritised")


@experiment("accumulation", "weighted against prioritised accumulation (§4.2.2)", PAGE, reported_on=range(100, 110))
def accumulation(lab: Lab) -> Finding:
    """Fly four scenarios with either accumulation and ever weaker robots, with and without the filter."""
    seeds = lab.seeds(quick=1)
    short = ("duration=15",) if lab.quick else ("duration=60",)
    scenarios = ("flock_frame", "flock_mixed", "flock_walls", "migrate_mixed")
    cases = [(limit, method, on) for limit in LIMITS for on in (False, True) for method in METHODS]
    runs = len(scenarios) * len(seeds)
    trials = [
        Trial(s, (f"robots.0.max_acceleration={limit}", f"accumulation.method={method}", *(FILTERED if on else UNFILTERED), *short), seed)
        for limit, method, on in cases for s in scenarios for seed in seeds
    ]  # fmt: skip
    measured = lab.measure(trials, numbers_of)
    found = {case: measured[k * runs : (k + 1) * runs] for k, case in enumerate(cases)}
    hits = {case: float(np.mean([n.collisions for n in ns])) for case, ns in found.items()}
    return Finding(
        "Weighted against prioritised accumulation (§4.2.2)",
        "In a weighted sum conflicting requests may cancel out; prioritised, critical ones are met first.",
        ("maximum acceleration (m/s²)", "filter", "accumulation", "at the limit", "collisions per run", "least room to walls (m)",
         "polarization", "arrived (23d)"),
        tuple(
            (f"{limit:g}", "on" if on else "off", method, f"{100 * np.mean([n.saturated for n in ns]):.1f} %",
             mean_sd(float(n.collisions) for n in ns), f"{min(n.clearance for n in ns):.3f}", mean_sd((n.polarization for n in ns), 2),
             share([n.arrived for n in ns]))
            for (limit, method, on), ns in found.items()
        ),
        {
            **{f"at {limit:g} m/s², filter off, prioritised collides less than weighted":
               hits[limit, "prioritised", False] < hits[limit, "weighted", False] for limit in LIMITS},
            "with the filter, neither collides at any limit": not any(hit for (_, _, on), hit in hits.items() if on),
        },
        (_comparison(hits),), {f"{method}_{limit:g}": hits[limit, method, False] for limit in LIMITS for method in METHODS},
        f"Figs 23a, c, d and e together, {len(seeds)} seeds each. The paper shows no numbers here, it refers to videos. The two "
        "differ only where a robot's acceleration limit is reached, which at the shipped 4 m/s² it hardly ever is; lower limits were added "
        "to see a difference.",
    )  # fmt: skip


def _comparison(hits: dict[tuple[float, str, bool], float]) -> Bars:
    series = {method: np.array([hits[limit, method, False] for limit in LIMITS]) for method in METHODS}
    return Bars("collisions per run, filter off", "collisions", tuple(f"{limit:g} m/s²" for limit in LIMITS), series)


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
