"""Weighted against prioritised accumulation (Adeola et al., §4.2.2): Table 2's weights, an urge against the walls, and one robot."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, interval, mean_sd
from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE
from .avoidance import STEER, across, starts
from .combined import Numbers, numbers_of, share

METHODS = ("weighted", "prioritised")
SHIPPED, STRONG = "accumulation.gain=5", "accumulation.gain=20"
BARE = ("separation_filter.enabled=false", "leaders.everywhere=false", "duration=40")
ALL_URGED = ("leaders.count=0", "arrival.weight=1", "accumulation.priority=[steer_to_avoid, separation, alignment, cohesion, arrival]")
FLOCKS = {
    "23a, gain 5": ("flock_frame", (SHIPPED,)),
    "23d, gain 5": ("migrate_mixed", (SHIPPED,)),
    "23a, gain 20": ("flock_frame", (STRONG,)),
    "23b, gain 20": ("migrate_boxes", (STRONG,)),
    "23c, gain 20": ("flock_mixed", (STRONG,)),
    "23d, gain 20": ("migrate_mixed", (STRONG,)),
    "23e, gain 20": ("flock_walls", (STRONG,)),
    "23d, gain 20, all urged": ("migrate_mixed", (STRONG, *ALL_URGED)),
}
URGED = "23d, gain 20, all urged"
ALONE = {f"one robot, {world}, seek {seek:g}": (world, seek) for world in ("line", "circle") for seek in (0.1, 10.0)}


@experiment("accumulation", "weighted against prioritised accumulation (§4.2.2)", PAGE, chosen_on=range(10), reported_on=range(100, 120))
def accumulation(lab: Lab) -> Finding:
    """Fly Table 2's flocks, one with a strong urge, and one robot towards a line and a circle, with either accumulation."""
    seeds, offsets = lab.seeds(), starts(lab)
    flocks = {name: FLOCKS[name] for name in (("23d, gain 5", URGED) if lab.quick else FLOCKS)}
    flown = [
        Trial(scenario, (*BARE, f"accumulation.method={how}", *changes), seed, until_arrival=True)
        for scenario, changes in flocks.values() for how in METHODS for seed in seeds
    ]  # fmt: skip
    flown += [alone(world, seek, how, y) for world, seek in ALONE.values() for how in METHODS for y in offsets]
    measured = iter(lab.measure(flown, numbers_of))
    found = {(name, how): [next(measured) for _ in seeds] for name in flocks for how in METHODS}
    found |= {(name, how): [next(measured) for _ in offsets] for name in ALONE for how in METHODS}
    return Finding(
        "Weighted against prioritised accumulation (§4.2.2)",
        "In a weighted sum conflicting requests may cancel out; prioritised, critical ones are met first.",
        ("runs", "accumulation", "at the limit", "collisions per run", "fewer when prioritised (mean ± 95 % interval)",
         "runs alike", "least room to walls (m)", "polarization", "arrived"),
        tuple(_row(found, name, how) for name, how in found), _claims(found, lab.quick), (_chart(found),),
        {f"fewer, {name}": float(fewer(found, name).mean()) for name in (*flocks, *ALONE)},
        f"The filter is off; 40 s. Flocks: {len(seeds)} seeds, weights and priorities of Table 2. All urged: every robot feels the goal, "
        "ten times as strongly as in Table 2, and arrival ranks last. One robot: as in line_and_circle, with steering at 10, "
        f"which ranks first; {len(offsets)} starts. At the limit: share of robots and ticks that get all of the 4 m/s². The paper "
        "shows no numbers here, it refers to videos; nor does it print the gain. The methods differ only where a robot is at its limit, "
        "which at the shipped gain of 5 it hardly ever is.",
    )  # fmt: skip


def alone(world: str, seek: float, how: str, y: float) -> Trial:
    """One robot on its way past an obstacle, from ``y`` m beside the axis, with an urge of weight ``seek``, accumulated in this way."""
    ranked = (f"seek.weight={seek}", f"accumulation.method={how}", "accumulation.priority=[steer_to_avoid, seek]")
    return across(world, y, *STEER, *ranked)


Found = dict[tuple[str, str], list[Numbers]]


def fewer(found: Found, name: str) -> Array:
    """How many collisions fewer there are when prioritised than when weighted, run by run."""
    return np.array([w.collisions - p.collisions for w, p in zip(*(found[name, how] for how in METHODS))], float)


def alike(found: Found, name: str) -> int:
    """In how many runs the same robots' number arrives and the same number of collisions happens with both methods."""
    return sum((w.collisions, w.arrived) == (p.collisions, p.arrived) for w, p in zip(*(found[name, how] for how in METHODS)))


def _row(found: Found, name: str, how: str) -> tuple[str, ...]:
    ns, less = found[name, how], fewer(found, name)
    both = (f"{less.mean():.2f} ± {interval(less):.2f}", f"{alike(found, name)} of {len(ns)}") if how == METHODS[1] else ("", "")
    return (
        name, how, f"{100 * np.mean([n.saturated for n in ns]):.1f} %", mean_sd(float(n.collisions) for n in ns), *both,
        f"{min(n.clearance for n in ns):.3f}", "" if name in ALONE else mean_sd((n.polarization for n in ns), 2),
        share([n.arrived for n in ns]),
    )  # fmt: skip


def _claims(found: Found, quick: bool) -> dict[str, bool]:
    shipped = [name for name, _ in found if name.endswith("gain 5")]
    runs = sum(len(found[name, METHODS[0]]) for name in shipped)
    single = {how: [n for name in ALONE if name.endswith("10") for n in found[name, how]] for how in METHODS}
    claims = {
        "Table 2, gain 5: the methods do the same (collisions and arrivals alike in 9 runs of 10)":
            sum(alike(found, name) for name in shipped) >= 0.9 * runs,
        "one robot, strong urge: prioritised, it reaches the goal from every start without a collision":
            all(n.arrived == 1.0 and not n.collisions for n in single["prioritised"]),
        "one robot, strong urge: weighted, it collides from every start": all(n.collisions > 0 for n in single["weighted"]),
    }  # fmt: skip
    sure = {name: fewer(found, name).mean() - interval(fewer(found, name)) > 0.0 for name in FLOCKS if (name, METHODS[0]) in found}
    if not quick:
        claims |= {
            f"{name}: prioritised collides less (95 % interval)": sure[name] for name in FLOCKS if "gain 20" in name and name != URGED
        }
        claims["that is for want of conflict: all urged strongly, 23d collides less prioritised (95 % interval)"] = sure[URGED]
    return claims


def _chart(found: Found) -> Bars:
    names = [name for name in FLOCKS if (name, METHODS[0]) in found]
    series = {how: np.array([np.mean([n.collisions for n in found[name, how]]) for name in names]) for how in METHODS}
    return Bars("collisions per run, filter off", "collisions", tuple(names), series)
