"""Virtual structures with lost and late odometry, computed by one process for all and by each robot for itself."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from ..papers.structures import PAGE
from ..papers.structures.drill import Drill, drill

NETWORKS = {
    "20 ms": (), "30 % lost, 20 ms": ("simulator.loss=0.3",), "200 ms": ("simulator.delay=0.2",),
    "30 % lost, 200 ms": ("simulator.loss=0.3", "simulator.delay=0.2"),
}  # fmt: skip
TIMETABLE = {
    "translate": "goals=[{position: [1, 0], time: 6}, {position: [0, 0], time: 6}]",
    "rotate": "goals=[{position: [0, 0], heading: 90, time: 6}, {position: [0, 0], time: 6}]",
}  # fmt: skip
WAYS = {"hosted": (), "onboard": ("simulator.onboard=true", "simulator.agree=false")}


@experiment("formation_loss", "lost and late odometry; how far the robots' own structures differ", PAGE)
def loss(lab: Lab) -> Finding:
    """The paper's two experiments with lost and late odometry, one process for all and each robot for itself."""
    seeds = lab.seeds(quick=1)
    short = ("formation.repeat=2",) if lab.quick else ()
    cases = [(motion, way, network) for motion in ("translate", "rotate") for way in WAYS for network in NETWORKS]
    trials = [
        Trial(f"formation_{motion}", (TIMETABLE[motion], *WAYS[way], *NETWORKS[network], *short), seed, until_arrival=True)
        for motion, way, network in cases for seed in seeds
    ]  # fmt: skip
    drills = lab.map(drill, trials)
    groups = {case: drills[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    mean = {case: float(100 * np.nanmean(np.concatenate([one.error for one in ones]))) for case, ones in groups.items()}
    worst = "30 % lost, 200 ms"
    ends = {case: all(one.arrival is not None for one in ones) for case, ones in groups.items()}
    return Finding(
        "Lost and late odometry, hosted and onboard",
        "Every robot can run the same computation by itself; the bandwidth is K·N/T, 3 robots × 96 bit / 0.1 s = 2.9 kbit/s.",
        ("motion", "computed", "odometry", "mean error (cm)", "max error (cm)", "times as much",
        "structures differ: mean (mm)", "max (mm)", "time (s)",
         "collisions"),
        tuple(
            (*case, f"{mean[case]:.3f}", f"{max(100 * np.nanmax(one.error) for one in ones):.2f}",
            f"{mean[case] / mean[case[0], case[1], '20 ms']:.1f}",
             *_apart(case[1], ones), _times(ones), f"{sum(one.summary['collisions'] for one in ones)}")
            for case, ones in groups.items()
        ),
        {
            "with 30 % lost and 200 ms delay all goals are reached": all(value for case,
            value in ends.items() if case[2] == worst),
            "hosted, with 30 % lost and 200 ms delay, the error stays below the paper's": mean["translate", "hosted",
            worst] < 0.4739
            and mean["rotate", "hosted", worst] < 1.1499,
            "onboard, with both, it stays below 1 cm": max(mean[motion, "onboard", worst] for motion in TIMETABLE) < 1.0,
            "onboard, without loss, the robots' structures differ by less than 1 mm": max(
                float(np.nanmean(one.spread)) for case, ones in groups.items() if case[1:] == ("onboard",
                "20 ms") for one in ones) < 0.001,
            "nobody collides": not any(one.summary["collisions"] for one in drills),
        },
        (Bars("mean formation error", "cm", tuple(NETWORKS), {
            f"{motion}, {way}": np.array([mean[motion, way, network] for network in NETWORKS]) for motion in ("translate",
            "rotate") for way in WAYS}),),
        {f"{motion}_{way}": mean[motion, way, worst] for motion in ("translate", "rotate") for way in WAYS},
        f"{len(seeds)} seeds; noise of 2 mm and 1°; goals on a timetable, 6 s each, as each robot has a clock but none "
        f"asks another whether it has "
        "arrived. Onboard, each robot hears itself always and loses others' messages on its own. Structures differ "
        "by the largest distance between two robots' ideas of the same point.",
    )  # fmt: skip


def _apart(way: str, ones: list[Drill]) -> tuple[str, str]:
    if way == "hosted":
        return "", ""
    spread = 1e3 * np.concatenate([one.spread for one in ones])
    return f"{np.nanmean(spread):.2f}", f"{np.nanmax(spread):.1f}"


def _times(ones: list[Drill]) -> str:
    times = [one.arrival for one in ones]
    return "not all in time" if None in times else f"{np.mean([t for t in times if t is not None]):.0f}"
