"""Crossing traffic side by side with crowds by others: who arrives, when, with how many contacts, how smoothly, and what a step takes."""

from collections.abc import Sequence

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, mean_sd
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN
from .rivals.everybody import MOST, OURS, Race, installed, missing, result, whole
from .rivals.measure import Outrun
from .traffic import SCENES

LONGER = 1.1
"""How many times the best rival's time ours may be."""
LIMIT = 180.0
"""Longest run, s."""
UNITS = {"time": ("last arrival", "s"), "jerk": ("RMS jerk", "m/s³")}
"""What is drawn, with its unit."""
Found = dict[tuple[str, int, str], list[Outrun]]


@experiment("traffic_rivals", "crossing traffic side by side with pyrvo, navground and JuPedSim", PAGE, chosen_on=SEEN,
            reported_on=range(1000, 1003))  # fmt: skip
def traffic_rivals(lab: Lab) -> Finding:
    """Run ours and every rival that is installed in the four scenes, from the same starts to the same goals."""
    seeds, counts = lab.seeds(quick=1), (10,) if lab.quick else (20, 50, 100, 200)
    scenes = (SCENES[0], SCENES[-1]) if lab.quick else SCENES
    names = (*OURS, *installed())
    cases = [(scene, n, who) for scene in scenes for n in counts for who in names if n <= MOST.get(who, n)]
    results = lab.map(result, [Race(who, scene, n, seed, LIMIT) for scene, n, who in cases for seed in seeds])
    found: Found = {case: results[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    claims: dict[str, bool] = {}
    for scene in scenes:
        for n in counts:
            claims |= judged(scene, n, {who: found[scene, n, who] for who in names if (scene, n, who) in found})
    panels = tuple(curves(found, scene, names, counts, what) for what in UNITS for scene in scenes)
    rows = tuple((scene.removeprefix("traffic_"), str(n), who, *cells(runs)) for (scene, n, who), runs in found.items())
    numbers = {
        f"{scene}_{n}_{who}_{what}".replace(" ", "_").replace(",", ""): mean(runs, what)
        for (scene, n, who), runs in found.items() for what in ("arrived", "time", "contacts", "acceleration", "jerk", "step")
    }  # fmt: skip
    left_out = "".join(f" {library} is not installed and left out (`pip install './experiments[rivals]'`)." for library in missing())
    return Finding(
        "Traffic, side by side with others",
        "Not in the papers: ours, with real robots' limits, against crowds of discs without any.",
        ("scene", "number", "who", "arrived", "last arrival (s)", "pairs in contact", "in walls", "RMS acceleration (m/s²)",
         "RMS jerk (m/s³)", "step (ms)"),
        rows, claims, panels, numbers,
        f"{len(seeds)} seeds; the same starts, goals, walls, radius, top speed and period for all. Rivals' discs go any way and leap to "
        "any speed at once; ours accelerate at 4 m/s² at most. Rivals wish to go at full speed, straight in the open, between walls by "
        "the ways that ours take, which keep right where it is narrow; ours do what the scenarios ship. All is measured on the places at "
        "the end of every period; smoothness from 0.5 s on, so that leaps from rest do not count, until each one's arrival. A run ends "
        "when all are at their goals at once, or nobody has got on for 20 s. Ours are compared with those rivals that bring all to their "
        "goals, in contact or not: "
        "discs that overlap get through where robots cannot. "
        "Rivals' horizons and reaches were chosen on seed 0: their own are made for people. navground's Social Force is in Python and runs "
        "up to 50 robots. A step of a rival is its library's alone; one of ours is the whole tick with perception, filter and engine. Two "
        f"runs share the machine.{left_out}",
    )  # fmt: skip


def judged(scene: str, n: int, found: dict[str, list[Outrun]]) -> dict[str, bool]:
    """The claims on ours, both models, in a scene with n robots; those on rivals only where one brings all to their goals."""
    ours = [found[who] for who in OURS]
    others = [runs for who, runs in found.items() if who not in OURS and whole(runs)]
    name = f"{scene.removeprefix('traffic_')}, {n} robots: "
    claims = {f"{name}all arrive": all(map(whole, ours)), f"{name}no contact": not any(map(touched, ours))}
    apart = [mean(runs, "time") for runs in others if not touched(runs)]
    if apart:
        sooner = all(whole(runs) and mean(runs, "time") < min(apart) for runs in ours)
        claims[f"{name}sooner than every rival whose discs do not touch"] = sooner
    if others:
        best = {what: min(mean(runs, what) for runs in others) for what in ("time", "acceleration", "jerk")}
        claims[f"{name}no more than {LONGER:g} times as long as the best rival"] = all(
            whole(runs) and mean(runs, "time") <= LONGER * best["time"] for runs in ours
        )
        claims[f"{name}smoother than all rivals"] = all(mean(runs, what) < best[what] for runs in ours for what in ("acceleration", "jerk"))
    return claims


def touched(runs: Sequence[Outrun]) -> bool:
    """Whether anybody was in contact with another or a wall in any of the runs."""
    return any(one.contacts or one.scrapes for one in runs)


def mean(runs: Sequence[Outrun], what: str) -> float:
    """Mean of a measure; NaN where one of the runs has none."""
    values = [getattr(one, what) for one in runs]
    return float("nan") if None in values else float(np.mean(values))


def cells(runs: Sequence[Outrun]) -> tuple[str, ...]:
    """The measures of a case, for the table."""
    return (
        f"{100 * mean(runs, 'arrived'):.1f} %", mean_sd(one.time for one in runs), str(sum(one.contacts for one in runs)),
        str(sum(one.scrapes for one in runs)), mean_sd((one.acceleration for one in runs), 2), mean_sd((one.jerk for one in runs), 1),
        f"{mean(runs, 'step'):.2f}",
    )  # fmt: skip


def curves(found: Found, scene: str, names: Sequence[str], counts: Sequence[int], what: str) -> Curves:
    """A panel with a measure over the number of robots, of all who bring all to their goals."""
    lines: dict[str, tuple[Array, Array, Array | None]] = {}
    for who in names:
        runs = [found.get((scene, n, who), []) for n in counts]
        height = [mean(ns, what) if ns and whole(ns) else np.nan for ns in runs]
        lines[who] = np.array(counts, float), np.array(height), None
    label, unit = UNITS[what]
    return Curves(f"{scene.removeprefix('traffic_')}: {label}, where all arrive", "robots", unit, lines)
