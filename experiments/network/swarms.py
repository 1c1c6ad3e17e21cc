"""A flock and traffic by wireless: contacts in truth, arrival, and how soon a robot that is cut off stands."""

import tempfile
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from .driven import Driven, drive
from .radio import Air
from .wireless import PAGE

ROBOTS = 4
"""Four nodes run for each."""

SILENCE, OLDEST = 0.35, 0.5
"""A robot goes by odometry that is as old (s) as its way through the air and this silence, and at most so old."""

AIRS = (Air(), Air(0.1, 0.05, 0.02), Air(0.3, 0.2, 0.05), Air(0.5, 0.3, 0.075))
SCENARIOS = ("migrate_boxes", "traffic_antipodal")
CHANGES = (
    f"robots.0.count={ROBOTS}", "robots.0.model=differential", "control.period=0.1", "control.safety.command_timeout=0.3",
    "control.separation_filter.margin=0.1",
)  # fmt: skip


@experiment("wireless_swarms", "a flock and traffic over loss and delay, in network namespaces", PAGE, reported_on=range(100, 101))
@each_seed
def swarms(lab: Lab, seed: Seed) -> Finding:
    """Differential drives with all their nodes on board, on networks from good to bad; one is cut off for 5 s."""
    cases = [(name, air) for name in SCENARIOS for air in ((AIRS[2],) if lab.quick else AIRS)]
    seen: dict[tuple[str, Air], Driven] = {}
    for done, (name, air) in enumerate(cases, start=1):
        with tempfile.TemporaryDirectory() as folder:
            timeout = f"control.safety.odometry_timeout={min(SILENCE + air.delay, OLDEST):g}"
            seen[name, air] = drive(Path(folder), name, (*CHANGES, timeout), air, 60.0, seed)
        lab.progress(done, len(cases))
    every = seen.values()
    return Finding(
        "A flock and traffic by wireless",
        "Not in the papers.",
        ("scenario", "loss each way", "delay each way (ms)", "contacts in truth", "least distance of centres (cm)", "arrived", "after (s)",
         "stopped after (s)"),
        tuple(
            (name, f"{air.loss:.0%}", f"{1e3 * air.delay:.0f} ± {1e3 * air.jitter:.0f}", str(one.summary["collisions"]),
             f"{100 * one.summary['min_separation']:.1f}", f"{one.summary['arrived_fraction']:.0%}", _seconds(one.summary["arrival_time"]),
             f"{one.stop:.2f}")
            for (name, air), one in seen.items()
        ),
        {"nobody touches anybody": not any(one.summary["collisions"] for one in every),
         "a robot that is cut off stops within 0.5 s": all(one.stop < 0.5 for one in every),
         "no node dies": not any(one.dead for one in every)},
        (Bars("least distance of two centres", "cm", tuple(f"{name}, {air.loss:.0%}, {1e3 * air.delay:.0f} ms" for name, air in seen), {
            "": np.array([100 * one.summary["min_separation"] for one in every])}),),
        {"stop_worst": max(one.stop for one in every)},
        f"{ROBOTS} emulated differential drives of 7.5 cm whose wheels slip by 2 %, each a machine of its own that is wired to its wheels. "
        "Motion capture at the floor looks 20 times a second (1 mm, 0.3°); robots hear of it, of each other and of themselves, by air "
        f"alone. A robot stands when its odometry is older than its way through the air and {SILENCE:g} s "
        f"(``safety.odometry_timeout``), {OLDEST:g} s at most. Clocks agree. Contacts are those that the emulator counts. "
        "The run is real time: numbers differ from run to run.",
    )  # fmt: skip


def _seconds(value: float | None) -> str:
    return "not in 60" if value is None else f"{value:.0f}"
