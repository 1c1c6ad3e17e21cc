"""Insects' reflexes: their calibration, what they do for who has lost legs; and insects in a flock (McKenna & Zeltzer, section 3.2)."""

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.sim.mujoco.hexapod_walk import Insects, watch, with_hexapod

from . import PAGE
from .numerics import level

LOST = ((), ("left_1",), ("left_2",), ("left_3",), ("left_1", "right_3"), ("left_2", "right_2"))
SPEEDS = (0.03, 0.05)
"""Commanded to insects with lost legs, m/s."""


def calibrated(seed: Seed) -> tuple[Array, Array]:
    """Thresholds (3,) deg and (3,) dyn of front, middle and hind pair, from one walk's record."""
    found = watch(level(), seed=seed)
    return np.rad2deg(found.extension[::2]), found.load[::2]


def lame(case: tuple[tuple[str, ...], float, bool, Seed]) -> tuple[float, Array]:
    """Share of a commanded speed (m/s) that an insect with lost legs makes, with or without reflexes; how often they acted (3,)."""
    lost, speed, reflexes, seed = case
    insects = Insects(with_hexapod(level(), legs__lost=lost, reflexes__enabled=reflexes), 1, seed, tick=0.01)
    before = insects.walk((speed, 0.0, 0.0), 0.7, 2.0).fired
    walk = insects.walk((speed, 0.0, 0.0), 2.0, 2.0)
    return float(walk.pose[-1, 0, 0] - walk.pose[0, 0, 0]) / (2.0 * speed), walk.fired[0] - before[0]


@experiment("hexapod_reflexes", "calibration of the reflexes, and lost legs (§3.2)", PAGE, reported_on=range(100, 103))
def reflexes(lab: Lab) -> Finding:
    """Thresholds found by watching, and lost legs."""
    seeds = lab.seeds(quick=1)
    thresholds = lab.map(calibrated, list(seeds))
    lost = LOST[:3:2] if lab.quick else LOST
    cases = [(legs, speed, on, seed) for legs in lost for speed in SPEEDS for on in (False, True) for seed in seeds]
    found = lab.map(lame, cases)
    share = np.array([made for made, _ in found]).reshape(len(lost), 2, 2, len(seeds))
    fired = np.array([acted for _, acted in found]).reshape(len(lost), 2, 2, len(seeds), 3).mean(axis=3)
    names = tuple(" and ".join(legs) or "none" for legs in lost)
    angles, loads = (np.array([pair[k] for pair in thresholds]) for k in (0, 1))
    rows = [("thresholds", f"{pair} pair", mean_sd(angles[:, k], 1) + "°", mean_sd(loads[:, k], 0) + " dyn", "–")
            for k, pair in enumerate(("front", "middle", "hind"))]  # fmt: skip
    rows += [(f"lost: {name}", f"{100 * speed:g} cm/s", mean_sd(100 * share[i, j, 0], 0) + " %", mean_sd(100 * share[i, j, 1], 0) + " %",
              " / ".join(f"{n:.0f}" for n in fired[i, j, 1]))
             for i, name in enumerate(names) for j, speed in enumerate(SPEEDS)]  # fmt: skip
    return Finding(
        "Reflexes (sections 3.2 and 4.1)",
        "Reflexes must not act in undisturbed walking; thresholds are to be set by watching it, for each pair of legs, which was not done. "
        "With missing legs the load-bearing reflex increases stability.",
        ("what", "of", "extension, or speed made without reflexes", "load, or speed made with reflexes", "step / load / elevator"),
        tuple(rows),
        {
            "in undisturbed walking no reflex acts": not fired[0, :, 1].any(),
            "thresholds differ between pairs, and hardly between records (spread below 15 %)": bool(
                np.diff(angles.mean(axis=0)).min() > 1.0 and (np.ptp(loads, axis=0) / loads.mean(axis=0)).max() < 0.15),
            "with legs lost, insects with reflexes are faster on the whole": bool(share[1:, :, 1].mean() > share[1:, :, 0].mean()),
            "and never slower by more than a tenth": bool((share[1:, :, 1] - share[1:, :, 0]).mean(axis=-1).min() > -0.1),
        },
        tuple(Bars(f"told {100 * speed:g} cm/s", "speed made (%)", names, {
            name: 100 * share[:, j, on].mean(axis=-1) for on, name in enumerate(("no reflexes", "reflexes"))})
            for j, speed in enumerate(SPEEDS)),
        {"plain": float(share[1:, :, 0].mean()), "reflexes": float(share[1:, :, 1].mean())},
        f"{len(seeds)} starts each. Thresholds are 50 % beyond the most extended standing leg and the load at the beginning of 95 % of "
        "steps, in walks of 1, 2, 3.5 and 5.5 cm/s; the parameters' defaults are these, rounded. Legs are named by side and pair, 1 is the "
        "front.",
    )  # fmt: skip


@experiment("hexapod_flock", "ten insects flock to a goal", PAGE, reported_on=range(100, 103))
def flock(lab: Lab) -> Finding:
    """Ten insects go to a goal by the ordinary behaviours."""
    trials = [Trial("hexapod_flock", (), seed) for seed in lab.seeds(quick=1)]
    flights = lab.fly(trials)
    when = ["–" if f.summary["arrival_time"] is None else f"{f.summary['arrival_time']:.1f}" for f in flights]
    rows = tuple(
        (str(f.trial.seed), f"{100 * f.summary['arrived_fraction']:.0f}", at, str(f.summary["collisions"]),
         f"{100 * f.summary['min_separation']:.1f}", f"{f.summary['polarization']:.2f}", str(f.summary["falls"]),
         f"{f.summary['real_time_factor']:.2f}")
        for f, at in zip(flights, when)
    )  # fmt: skip
    return Finding(
        "Ten insects in a flock",
        "Not in the paper, which has one insect.",
        ("seed", "arrived (%)", "after (s)", "collisions", "closest (cm)", "polarization", "falls", "times real time"),
        rows,
        {
            "all arrive, in every run": all(f.summary["arrived_fraction"] == 1.0 for f in flights),
            "without a collision": sum(f.summary["collisions"] for f in flights) == 0,
            "nobody falls": sum(f.summary["falls"] for f in flights) == 0,
        },
        tuple(Paths(f"seed {f.trial.seed}", f) for f in flights),
        {"arrived": float(np.mean([f.summary["arrived_fraction"] for f in flights])),
         "collisions": float(sum(f.summary["collisions"] for f in flights))},
        "Separation, alignment, cohesion and arrival, with the separation filter; footprints are discs of 2 cm radius. Real time is "
        "measured with other runs at the same time.",
    )  # fmt: skip
