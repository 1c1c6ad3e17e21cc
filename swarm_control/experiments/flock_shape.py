"""How the field of view shapes the flock (Adeola et al., §4.4.2, Fig. 22)."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.experiments.finding import Curves, Finding, Paths, interval
from swarm_control.experiments.flight import Flight, Trial
from swarm_control.experiments.lab import Lab

OPEN = (
    "world=null", "robots.0.count=20", "robots.0.start.heading_spread=60", "perception.radius=3", "perception.count=0",
    "steer_to_avoid.weight=0", "cruise.weight=0.1", "duration=60",
)  # fmt: skip
VIEWS = (360, 270, 180, 90)
WINDOW = 20.0
"""The last seconds of the flight, over which the shape is averaged."""


def field_of_view(lab: Lab) -> Finding:
    """Fly twenty robots over open floor with fields of view from all round to a quarter."""
    seeds = lab.seeds(20, 4)
    trials = [Trial("flock_frame", (*OPEN, f"perception.field_of_view={view}"), seed) for view in VIEWS for seed in seeds]
    shapes = np.array(lab.measure(trials, elongation)).reshape(len(VIEWS), len(seeds))
    flights = lab.fly([Trial("flock_frame", (*OPEN, f"perception.field_of_view={view}")) for view in VIEWS])
    mean, half = shapes.mean(axis=1), np.array([interval(row) for row in shapes])
    rows = tuple((f"{v}°", f"{m:.2f} ± {h:.2f}", f"{np.median(s):.2f}") for v, m, h, s in zip(VIEWS, mean, half, shapes))
    return Finding(
        "Field of view (Fig. 22)",
        "A field of view of 360° makes for circular or elliptic flocks; a smaller one for streamlined flocks, as of birds.",
        ("field of view", "elongation: length / width (mean ± 95 % interval)", "median"), rows,
        {
            "360°: the flock is round (elongation below 1.5)": bool(mean[0] < 1.5),
            "the flock is longer at 270° than at 360°": bool(mean[1] > mean[0]),
            "the flock is longer at 180° than at 360°": bool(mean[2] > mean[0]),
        },
        (*(Paths(f"{view}°", flight, zoom=-1.0) for view, flight in zip(VIEWS, flights)),
         Curves("elongation", "field of view (°)", "length / width", {f"{len(seeds)} seeds": (np.array(VIEWS, float), mean, half)})),
        {f"elongation_{view}": float(m) for view, m in zip(VIEWS, mean)},
        "Elongation: root of the ratio of the variances along and across the flock's course, averaged over the last 20 s; open floor.",
    )  # fmt: skip


def elongation(flight: Flight) -> float:
    """Mean elongation over the flight's last ``WINDOW`` seconds."""
    last = flight.after(WINDOW)
    return float(np.mean([_ratio(p, v) for p, v in zip(flight.position[last], flight.velocity[last])]))


def _ratio(position: Array, velocity: Array) -> float:
    """Root of the ratio of the variances of ``position`` (N, 2) along and across the mean of ``velocity`` (N, 2)."""
    course = velocity.mean(axis=0)
    along = course / max(float(np.hypot(*course)), 1e-9)
    centred = position - position.mean(axis=0)
    across = np.array([-along[1], along[0]])
    return float((centred @ along).std() / max((centred @ across).std(), 1e-9))
