"""The angle between the headings that steer-to-avoid tries (Adeola et al., §4.4.1)."""

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, interval, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm, wrap

from . import PAGE
from .avoidance import STEER, across, passes, starts

STEPS = (5, 10, 25, 45)
WEIGHTS = (2.0, 5.0, 10.0)
"""Of steering at the line: too small, barely enough, and as in line_and_circle."""


@experiment("steer_step", "the angle between headings that steering tries (§4.4.1)", PAGE, chosen_on=range(10), reported_on=range(100, 120))
def steer_step(lab: Lab) -> Finding:
    """Fly the line with one robot and the boxes with ten, with different angles between the headings that are tried."""
    seeds, offsets = lab.seeds(), starts(lab)
    steps = (10, 25) if lab.quick else STEPS
    cases = [(step, weight) for step in steps for weight in WEIGHTS]
    angles = [(*STEER, f"steer_to_avoid.step={step}", f"steer_to_avoid.weight={weight}") for step, weight in cases]
    flown = lab.fly([across("line", y, *angle) for angle in angles for y in offsets])
    line = {case: flown[k * len(offsets) : (k + 1) * len(offsets)] for k, case in enumerate(cases)}
    passed = {case: sum(map(passes, fs)) for case, fs in line.items()}
    time = {step: float(np.mean([f.time[-1] for f in line[step, WEIGHTS[-1]]])) for step in steps}
    wriggle = {step: float(np.mean([_fluidity(f)[1] for f in line[step, WEIGHTS[-1]]])) for step in steps}
    trials = [Trial("migrate_boxes", (f"steer_to_avoid.step={step}",), seed, until_arrival=True) for step in steps for seed in seeds]
    measured = lab.measure(trials, _fluidity)
    boxes = {step: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, step in enumerate(steps)}
    more = np.array([b[1] - a[1] for a, b in zip(boxes[10], boxes[25])])
    sure = float(more.mean()) - interval(more)
    return Finding(
        "Angle between headings (§4.4.1)",
        "At long walls a larger angle (25°) is of advantage, it turns faster; among small obstacles a smaller one gives more fluid "
        "movements.",
        ("step", *(f"line, weight {w:g}: passes" for w in WEIGHTS), f"line, weight {WEIGHTS[-1]:g}: time (s)", "turning (°/m)",
         "boxes: time (s)",
         "boxes: turning (°/m)", "boxes: acceleration (m/s²)"),
        tuple(
            (f"{step}°", *(f"{passed[step, w]} of {len(offsets)}" for w in WEIGHTS), f"{time[step]:.1f}", f"{wriggle[step]:.0f}",
             mean_sd((f[0] for f in boxes[step]), 1), mean_sd((f[1] for f in boxes[step]), 0), mean_sd((f[2] for f in boxes[step]), 3))
            for step in steps
        ),
        {
            "line: where steering barely suffices (weight 5), 25° passes from more starts than 10°": passed[25, 5.0] > passed[10, 5.0],
            "line: where it suffices (weight 10), 25° takes no longer than 10°": time[25] <= time[10],
            "that is wriggling: at weight 10 it turns more than twice as much per metre at 25° as at 10°": wriggle[25] > 2.0 * wriggle[10],
        } | ({} if lab.quick else {"boxes: 10° turns less per metre than 25° (95 % interval of the difference above 0)": sure > 0.0}),
        tuple(Paths(f"line, {step}°, weight {w:g}", line[step, w][0]) for step in steps[:3] for w in WEIGHTS[1:]),
        {f"line_time_{step}": time[step] for step in steps} | {"boxes_turning_more": float(more.mean()), "interval": interval(more)},
        f"Line: one robot, {len(offsets)} starts as in line_and_circle, filter off. A larger angle asks for a larger turn. It helps "
        f"where the weight is small; where it is large enough the robot turns too far, back again, and loses speed. Boxes: migrate_boxes, "
        f"{len(seeds)} seeds; 25° turns {more.mean():.1f} ± {interval(more):.1f} °/m more than 10° (95 % interval, seed by seed).",
    )  # fmt: skip


def _fluidity(flight: Flight) -> tuple[float | None, float, float]:
    """Arrival time (s), turning of the course per metre (°/m), and mean acceleration (m/s²)."""
    change = norm(np.diff(flight.velocity, axis=0)) / np.diff(flight.time)[:, None]
    return flight.summary["arrival_time"], turning_per_metre(flight.velocity, flight.path_length), float(change.mean())


def turning_per_metre(velocity: Array, length: Array) -> float:
    """How much courses turn, to either side, per metre of way, in degrees; from ``velocity`` (T, N, 2) above 5 cm/s."""
    course = np.arctan2(velocity[..., 1], velocity[..., 0])
    moving = norm(velocity) > 0.05
    turns = np.abs(wrap(np.diff(course, axis=0))) * (moving[1:] & moving[:-1])
    return float(np.rad2deg(turns.sum()) / length.sum())
