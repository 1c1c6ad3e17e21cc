"""How the field of view shapes the flock (Adeola et al., §4.4.2, Fig. 22)."""

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, interval
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray

from . import PAGE

OPEN = (
    "world=null", "robots.0.count=20", "robots.0.start.heading_spread=60", "perception.radius=3", "perception.count=0",
    "steer_to_avoid.weight=0", "cruise.weight=0.1", "duration=60",
)  # fmt: skip
VIEWS = (360, 270, 180, 90)
HELD = "alignment.weight=0.5"
"""Five times Table 2's alignment: it holds the flock together."""
CASES = {**{f"{view}°": (view, ()) for view in VIEWS}, **{f"{view}°, alignment 0.5": (view, (HELD,)) for view in (360, 90)}}
WINDOW = 20.0
"""The last seconds of the flight, over which the shape is averaged."""
LINK, LEAST, SKIP = 1.0, 5, 10
"""Robots closer than this (m) are of one group; smaller groups have no shape; every tenth tick is looked at."""


@experiment("field_of_view", "the flock's shape by field of view (Fig. 22)", PAGE, reported_on=range(100, 120))
def field_of_view(lab: Lab) -> Finding:
    """Fly twenty robots over open floor with fields of view from all round to a quarter."""
    seeds = lab.seeds(quick=3)
    changes = [(*OPEN, f"perception.field_of_view={view}", *more) for view, more in CASES.values()]
    measured = lab.measure([Trial("flock_frame", change, seed) for change in changes for seed in seeds], elongation)
    shapes, shares = np.moveaxis(np.array(measured).reshape(len(CASES), len(seeds), 2), 2, 0)
    flights = lab.fly([Trial("flock_frame", change, seeds[0]) for change in changes])
    kept = [row[np.isfinite(row)] for row in shapes]
    mean, half = np.array([row.mean() for row in kept]), np.array([interval(row) for row in kept])
    rows = tuple(
        (case, f"{m:.2f} ± {h:.2f}", f"{np.median(row):.2f}", f"{100 * share.mean():.0f} ± {100 * interval(share):.0f} %",
         f"{(share >= 0.99).sum()} of {len(seeds)}")
        for case, m, h, row, share in zip(CASES, mean, half, kept, shares)
    )  # fmt: skip
    least = dict(zip(CASES, (mean - half).tolist()))
    most = dict(zip(CASES, (mean + half).tolist()))
    return Finding(
        "Field of view (Fig. 22)",
        "A field of view of 360° makes for circular or elliptic flocks; a smaller one for streamlined flocks, as of birds.",
        ("field of view", "elongation: length / width (mean ± 95 % interval)", "median", "robots in the largest group",
         "runs in one piece"),
        rows,
        {
            "360°: the flock is round (elongation from 0.8 to 1.25, with its interval)": least["360°"] > 0.8 and most["360°"] < 1.25,
            **{f"the flock is longer at {v}° than at 360° (intervals apart)": least[f"{v}°"] > most["360°"] for v in VIEWS[1:]},
        } | ({} if lab.quick else {
            "90°: the flock breaks up (less than 80 % in the largest group)": bool(np.mean(shares[VIEWS.index(90)]) < 0.8),
            "that is the cause: held together by more alignment, it is longer at 90° than at 360° (intervals apart)":
                least["90°, alignment 0.5"] > most["360°, alignment 0.5"],
        }),
        (*(Paths(case, flight, zoom=2.0) for case, flight in zip(CASES, flights)),
         Curves("elongation", "field of view (°)", "length / width", {"alignment 0.1": (np.array(VIEWS, float), mean[:4], half[:4])})),
        {f"elongation_{case}": float(m) for case, m in zip(CASES, mean)},
        "Elongation: root of the ratio of the variances along and across the course of the largest group, averaged over the last 20 s; "
        "open floor. Whoever is ahead sees nobody behind: with narrow views and Table 2's alignment (0.1) the flock breaks up, and what is "
        "left has no steady shape.",
    )  # fmt: skip


def elongation(flight: Flight) -> tuple[float, float]:
    """Mean elongation of the largest group over the flight's last ``WINDOW`` seconds, and its share of the robots."""
    last = flight.after(WINDOW)
    ratio, share = [], []
    for position, velocity in zip(flight.position[last][::SKIP], flight.velocity[last][::SKIP]):
        group = largest_group(position)
        share.append(group.mean())
        if group.sum() >= LEAST:
            ratio.append(_ratio(position[group], velocity[group]))
    return float(np.mean(ratio)) if ratio else np.nan, float(np.mean(share))


def largest_group(position: Array) -> BoolArray:
    """Which of the robots at ``position`` (N, 2) m belong to the largest group joined by gaps of up to ``LINK`` (N,)."""
    near = squareform(pdist(position)) <= LINK
    label = connected_components(near)[1]
    return np.asarray(label == np.bincount(label).argmax())


def _ratio(position: Array, velocity: Array) -> float:
    """Root of the ratio of the variances of ``position`` (N, 2) along and across the mean of ``velocity`` (N, 2)."""
    course = velocity.mean(axis=0)
    along = course / max(float(np.hypot(*course)), 1e-9)
    centred = position - position.mean(axis=0)
    across = np.array([-along[1], along[0]])
    return float((centred @ along).std() / max((centred @ across).std(), 1e-9))
