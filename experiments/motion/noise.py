"""Odometry with noise: crowds and flocks drawn at random, as it is measured and smoothed by what robots have been told."""

from typing import NamedTuple

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN
from .cases import MODELS, Crowd, Found, found_in, trial_of

SCENARIOS = (
    "bypass_walls", "migrate_boxes", "migrate_mixed", "traffic_antipodal", "traffic_crossing", "traffic_corridor", "traffic_doorway",
)  # fmt: skip
NOISE = (0.01, 0.02, 0.05, 0.08)
LATE = ("simulator.delay=0.2", "simulator.loss=0.3")
WAYS = {"fresh, as measured": ("estimation.enabled=false",), "fresh, smoothed": (), "late, smoothed": LATE}
MOST = 24
"""As many robots as find room where ``bypass_walls`` begins."""


class NoisyCase(NamedTuple):
    """Odometry of one of the :data:`WAYS`, with so much ``noise`` (m) of positions."""

    way: str
    noise: float


def crowd(seed: Seed) -> tuple[Crowd, tuple[str, ...]]:
    """The crowd that a seed draws, and how well its headings (deg) and velocities (m/s) are measured."""
    rng = np.random.default_rng([int(seed), 17])
    drawn = Crowd(str(rng.choice(SCENARIOS)), str(rng.choice(MODELS)), int(rng.integers(5, MOST + 1)))
    return drawn, (f"simulator.noise_heading={rng.choice([0.0, 1.0, 3.0])}", f"simulator.noise_velocity={rng.choice([0.0, 0.02])}")


def trial(case: NoisyCase, seed: Seed) -> Trial:
    """The run of a case."""
    drawn, measured = crowd(seed)
    position = f"simulator.noise_position={case.noise}"
    return trial_of(drawn, seed, "separation_filter.enabled=true", position, *measured, *WAYS[case.way])


@experiment(
    "noisy_odometry", "crowds and flocks with 1 to 8 cm of noise in their positions", PAGE, chosen_on=SEEN, reported_on=range(1000, 1024)
)  # fmt: skip
def noisy_odometry(lab: Lab) -> Finding:
    """Fly every crowd with every noise, with positions as they are measured and smoothed."""
    seeds, levels = lab.seeds(quick=3), (0.05,) if lab.quick else NOISE
    cases = [NoisyCase(way, noise) for noise in levels for way in WAYS]
    runs = lab.measure([trial(case, seed) for case in cases for seed in seeds], found_in)
    found = {case: runs[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    smoothed = [one for case, ns in found.items() for one in ns if case.way != "fresh, as measured"]
    raw, kept = (found[NoisyCase(way, 0.05)] for way in ("fresh, as measured", "fresh, smoothed"))
    claims = {
        "smoothed, no robot touches anything, in any run": not any(one.collisions for one in smoothed),
        "smoothed, more crowds arrive whole with 5 cm of noise than as measured": _whole(kept) > _whole(raw),
        "smoothed, nine of ten crowds arrive whole with up to 5 cm of noise, late or not": all(
            _whole(ns) >= 0.9 for case, ns in found.items() if case.way != "fresh, as measured" and case.noise <= 0.05
        ),
    }
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        way: (100.0 * np.array(levels), np.array([100.0 * _whole(found[NoisyCase(way, noise)]) for noise in levels]), None) for way in WAYS
    }
    return Finding(
        "Positions that are measured with noise",
        "Not in the papers: what trackers and radio beacons tell of positions is off by centimetres. The separation filter keeps robots "
        "six standard deviations of it further apart; smoothed, of what is left of it.",
        ("noise", "odometry", "arrived", "whole crowds", "arrival (s)", "collisions"),
        tuple(_row(case, ns) for case, ns in found.items()),
        claims,
        (Curves("crowds that arrive whole", "noise (cm)", "% of runs", curves),),
        {f"{case.way.replace(', ', '_').replace(' ', '_')}_{100 * case.noise:.0f}cm": _whole(ns) for case, ns in found.items()},
        f"{len(seeds)} crowds: each seed draws the scenario, the model of 5 to {MOST} robots, 0, 1 or 3° of noise of headings and 0 or 2 "
        "cm/s of velocities. Late: 0.2 s, 30 % lost. As measured: `estimation.enabled=false`.",
    )  # fmt: skip


def _whole(runs: list[Found]) -> float:
    return float(np.mean([one.arrived == 1.0 for one in runs]))


def _row(case: NoisyCase, runs: list[Found]) -> tuple[str, ...]:
    arrived, whole = np.mean([one.arrived for one in runs]), sum(one.arrived == 1.0 for one in runs)
    return (
        f"{100 * case.noise:g} cm", case.way, f"{100 * arrived:.0f} %", f"{whole} of {len(runs)}", mean_sd(one.time for one in runs),
        str(sum(one.collisions for one in runs)),
    )  # fmt: skip
