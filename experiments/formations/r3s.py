"""Fifteen of the paper's robots, scattered, form a shape."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE, SEEN
from .forming import Formed, formed, median

R3_SHAPES = ("wedge", "circle", "line", "grid", "diamond")


@experiment("formation_r3", "fifteen scattered R3 robots form a shape", PAGE, chosen_on=SEEN, reported_on=range(1100, 1150))
def formation_r3(lab: Lab) -> Finding:
    """A shape for each seed, in turn; the robots have the R3's size, wheels and limits, and are seen by the tracker with its noise."""
    seeds = lab.seeds(quick=2)
    found = lab.map(fifteen, seeds)
    rows, share = [], []
    for k, name in enumerate(R3_SHAPES):
        ns = [one for seed, one in zip(seeds, found) if seed % len(R3_SHAPES) == k]
        times = [one.time for one in ns if one.time is not None]
        share.append(100.0 * float(np.mean([one.arrived for one in ns])) if ns else float("nan"))
        rows.append((name, f"{sum(one.arrived for one in ns)} of {len(ns)}", str(sum(one.contacts for one in ns)), f"{median(times):.1f}"))
    return Finding(
        "Fifteen R3 robots",
        "Not in the paper, whose fifteen robots start in formation.",
        ("shape", "formed", "contacts", "median time (s)"), tuple(rows),
        {"all form": all(one.arrived for one in found), "nobody touches anybody": not any(one.contacts for one in found)},
        (Bars("formed", "% of the runs", R3_SHAPES, {"fifteen R3 robots": np.array(share)}),),
        {"formed": float(np.mean([one.arrived for one in found]))},
        "Scattered, 0.6 m between points at least; 0.3 m/s, 0.6 m/s²; seen with 2 mm and 1° of noise, 20 ms late.",
    )  # fmt: skip


def fifteen(seed: Seed) -> Formed:
    """Fifteen of the paper's robots. A diamond's spacing is along its outline: neighbours at its corners are nearer to each other."""
    name = R3_SHAPES[seed % len(R3_SHAPES)]
    r3 = {"radius": 0.2, "wheel_base": 0.25, "max_speed": 0.3, "max_acceleration": 0.6, "max_turn_rate": 2.4}
    start = {"pattern": "scatter", "spacing": 0.5, "heading_spread": 360.0}
    return formed({
        "duration": 300.0, "seed": int(seed), "simulator": {"noise_position": 0.002, "noise_heading": 1, "delay": 0.02},
        "robots": [{"count": 15, "model": "differential", **r3, "start": start}],
        "control": {
            "period": 0.1, "separation_filter": {"enabled": True},
            "formation": {"enabled": True, "shape": name, "spacing": 0.6 * (np.sqrt(2.0) if name == "diamond" else 1.0)},
        },
        "goals": [{"position": [0.0, 0.0]}],
    })  # fmt: skip
