"""Crossing traffic: who arrives, when, how smoothly, for any number of robots of three models."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN
from .cases import MODELS, Crowd, Found, all_arrive, fly, found_in, trial_of

SCENES = ("traffic_antipodal", "traffic_crossing", "traffic_corridor", "traffic_doorway")


def smoothness(flight: Flight) -> Found:
    """RMS acceleration (m/s²) and jerk (m/s³)."""
    period = float(flight.time[1] - flight.time[0])
    acceleration = np.diff(flight.velocity, axis=0) / period
    jerk = np.diff(acceleration, axis=0) / period
    return found_in(flight, *(float(np.sqrt((values**2).sum(axis=-1).mean())) for values in (acceleration, jerk)))


@experiment("traffic", "crossing traffic with 20 to 200 robots of three models", PAGE, chosen_on=SEEN, reported_on=range(1000, 1005))
def traffic(lab: Lab) -> Finding:
    """Fly the four traffic scenarios for every number and model."""
    seeds, counts = lab.seeds(quick=1), (10,) if lab.quick else (20, 50, 100, 200)
    found = fly(lab, [Crowd(scene, model, n) for scene in SCENES for model in MODELS for n in counts], seeds, smoothness, "duration=180")
    rows = tuple(
        (scene, model, str(n), f"{100 * np.mean([one.arrived for one in ns]):.1f} %",
         f"{sum(one.arrived == 1.0 for one in ns)} of {len(ns)}", mean_sd(one.time for one in ns), str(sum(one.collisions for one in ns)),
         mean_sd((one.measured[0] for one in ns), 2), mean_sd((one.measured[1] for one in ns), 1))
        for (scene, model, n), ns in found.items()
    )  # fmt: skip
    claims = {"no two robots touch, in any run": not any(one.collisions for ns in found.values() for one in ns)}
    claims |= {f"{scene}, {model}: all arrive in every run": all_arrive(found, scene, model) for scene in SCENES for model in MODELS}
    pictures = [trial_of(Crowd(scene, "differential", 20), seeds[0], "duration=20") for scene in SCENES]
    panels = tuple(Paths(f"{scene}, 20 differential drives", flight) for scene, flight in zip(SCENES, lab.fly(pictures)))
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        f"{scene}, {model}": (
            np.array(counts, float), np.array([100 * np.mean([one.arrived for one in found[Crowd(scene, model, n)]]) for n in counts]), None
        )
        for scene in SCENES for model in MODELS
    }  # fmt: skip
    return Finding(
        "Crossing traffic",
        "Not in the papers: the crossing tests of crowd simulators, with real robots' limits.",
        ("scene", "robots", "number", "arrived", "runs whole", "arrival (s)", "collisions", "RMS acceleration (m/s²)", "RMS jerk (m/s³)"),
        rows, claims, (*panels, Curves("arrived", "robots", "% of the robots", curves)),
        {f"{scene}_{model}_{n}": float(np.mean([one.arrived for one in ns])) for (scene, model, n), ns in found.items()},
        f"{len(seeds)} seeds, at most 180 s. Robots of 7.5 cm at 0.8 m/s. By `reciprocal_avoidance`, in the "
        "doorway by `human_like`; neither has a memory: a robot that gets no nearer for 5 s is led by the director past walls and those "
        "that have arrived. Nobody has the right of way at a door: crowds from both sides wait for a gap.",
    )  # fmt: skip
