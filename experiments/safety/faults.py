"""Random faults on running graphs: how soon robots rest, whether they touch, whether a stop is lost, and whether all recovers by itself."""

import os
from collections import Counter

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.errors import Failed
from swarm_control.ros.support.fault_result import ASKING, FaultResult, summary
from swarm_control.scenario.loader import load_prepared

from . import PAGE

FAULTS, QUICK = 20, 3
"""On each graph."""

DOMAIN = 86
STOPS = 1.0
"""Share of the faults during which a stop is asked for, at a random moment of the next seconds."""

SCENARIO = "flock_frame"
"""In it robots are always under way."""

HALF_A_SECOND = 0.5


@experiment("safety", "nodes killed, held still and starved at random, with stops at random moments", PAGE, reported_on=range(100, 104))
def safety(lab: Lab) -> Finding:
    """Real nodes; the simulated robots obey their last command for ever."""
    seeds = lab.seeds(quick=1)
    found, loads = {}, list[float]()
    for done, seed in enumerate(seeds, start=1):
        found[seed] = _graph(seed, QUICK if lab.quick else FAULTS)
        loads.append(os.getloadavg()[0])
        lab.progress(done, len(seeds))
    every = [result for _, results in found.values() for result in results]
    rows = tuple((str(seed), what, *summary(results).values()) for seed, (what, results) in found.items())
    rests = np.array([result.rest for result in every if result.rest is not None])
    kinds = Counter(result.kind for result in every)
    stops = [result for result in every if result.asked]
    return Finding(
        "Faults while robots drive",
        "Not in the papers.",
        ("seed", "graph", "time to rest", "stop confirmed after", "moving again after", "contacts", "recovered", "not as it must be"),
        (*rows, ("all", f"{len(every)} faults", *summary(every).values())),
        {
            "all robots rest within 0.5 s": bool((rests <= HALF_A_SECOND).all()),
            "nobody touches anybody": not any(result.contacts for result in every),
            "no stop is lost": not any(result.broken for result in stops),
            "every graph recovers by itself": all(result.recovery is not None for result in every),
        },
        (Bars("time to rest", "s", ("p50", "p99", "max"), {"": np.array([*np.percentile(rests, [50, 99]), rests.max()])}),),
        {"rest_max": float(rests.max()), "faults": float(len(every)), "stops": float(len(stops))},
        f"{len(every)} faults ({', '.join(f'{count} × {kind}' for kind, count in sorted(kinds.items()))}), {len(stops)} of them with a "
        f"stop at a random moment of the {ASKING:g} s after it. Rest is told where robots needed a node that was gone and were at rest "
        "before the stop was asked for; it has their own braking in it, and is seen once in a control period. The run is real time: "
        f"numbers differ from run to run, and with what else the computer does. Of its {os.cpu_count()} processors {min(loads):.0f} to "
        f"{max(loads):.0f} were wanted at a time; on one that is so busy that answers come late, a lease of 0.2 s lasts up to 0.3 s.",
    )  # fmt: skip


def _graph(seed: Seed, count: int) -> tuple[str, list[FaultResult]]:
    """Faults on one graph with a random number of robots of a random model; every fourth one with all nodes on board."""
    from swarm_control.ros.support.chaos import Chaos, campaign

    random = np.random.default_rng(int(seed))
    onboard = int(seed) % 4 == 3
    robots = int(random.integers(3, 5) if onboard else random.integers(10, 51))
    model = str(random.choice(["omni", "differential"]))
    changes = [f"robots={robots}", f"robots.0.model={model}", f"seed={int(seed)}"]
    os.environ.update(ROS_DOMAIN_ID=str(DOMAIN), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    with Chaos(*load_prepared(SCENARIO, changes), changes, onboard) as graph:
        if not graph.begin():
            raise Failed("no robot moved: " + " | ".join(graph.lines[-3:]))
        results = list(campaign(graph, count, int(seed), STOPS))
    return f"{robots} {model}, {'on board' if onboard else 'hosted'}", results
