"""How far apart robots come to be, by how many they see and how far apart they wish to be (Brogan & Hodgins §6.2, figure 14)."""

from functools import partial

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab

from .herd import HERDS, SCATTER, among_themselves, harm, harm_cells, of_each_kind, scattered, spacing, unharmed

SETTINGS = ((6, 2.5), (30, 2.5), (104, 3.5))
"""Visible robots n and wished distance D (m): those with which the paper's numbers come out; its text does not have them."""
PAPER = ((2.36, 1.98), (2.76, 1.11), (4.78, 0.95))
"""Mean separation from the visible, and mean separation from the nearest, m."""


@of_each_kind("spacing", "separation by visible neighbours (Fig. 14)", ("points", "hoppers"))
def separation(lab: Lab, kind: str) -> Finding:
    """Three settings of n and D, 80 s after a grid."""
    herd, seeds, scenario = HERDS[kind], lab.seeds(), f"herd_{kind}"
    runs, shown = [], []
    for count, distance in SETTINGS:
        changes = (f"perception.count={count}", f"grouping.distance={distance}", "duration=80")
        trials = [Trial(scenario, (scattered(scenario, seed), *changes), seed) for seed in seeds]
        shown.append(among_themselves(lab.fly(trials[:1])[0]))
        runs.append(lab.measure(trials, partial(apart, count=count)))
    mean, nearest = [float(np.mean([m[0] for m in some])) for some in runs], [float(np.mean([m[1] for m in some])) for some in runs]
    found = [m[2] for some in runs for m in some]
    return Finding(
        f"Separation by visible neighbours: {herd.word} (section 6.2, figure 14)",
        "The more robots are perceived, the nearer the closest ones come to be, even though the wished distance grows: mean separation "
        "from the visible 2.36, 2.76, 4.78 m, mean separation from the nearest 1.98, 1.11, 0.95 m after 80 s.",
        ("n", "D (m)", "separation, paper (m)", "ours (m)", "nearest, paper (m)", "ours (m)", "collisions", "falls", "least distance (m)"),
        tuple(
            (str(n), f"{d:g}", f"{paper[0]:.2f}", mean_sd((m[0] for m in some), 2), f"{paper[1]:.2f}", mean_sd((m[1] for m in some), 2),
             *harm_cells([m[2] for m in some]))
            for (n, d), paper, some in zip(SETTINGS, PAPER, runs)
        ),
        {
            "the nearest come nearer from setting to setting": nearest[0] > nearest[1] > nearest[2],
            "mean separations are the paper's within 5 %": all(abs(m / p[0] - 1.0) < 0.05 for m, p in zip(mean, PAPER)),
            "mean separations from the nearest are the paper's within 5 %": all(abs(m / p[1] - 1.0) < 0.05 for m, p in zip(nearest, PAPER)),
        } | unharmed(found),
        (Snapshot("start", shown[0], 0.0, 0.0, half=15.0),
         *(Snapshot(f"n = {n}, D = {d:g} m", flight, 80.0, 0.0, half=15.0) for (n, d), flight in zip(SETTINGS, shown))),
        {f"separation_{n}": value for (n, _), value in zip(SETTINGS, mean)},
        f"{len(seeds)} seeds, 105 {herd.word}, {SCATTER}. The ratio of the two separations tells n, their size then D, as for point masses "
        "distances are proportional to D; these settings are the round ones that come nearest to the paper's numbers.",
    )  # fmt: skip


def apart(flight: Flight, count: int) -> tuple[float, float, tuple[float, float, float]]:
    """Mean separations at the end (m), and harm done."""
    return *spacing(flight.position[-1], count), harm(flight)
