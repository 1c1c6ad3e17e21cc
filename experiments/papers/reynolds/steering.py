"""The angle between the headings that steer-to-avoid tries (Adeola et al., §4.4.1)."""

from collections.abc import Sequence

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, interval, mean_sd
from swarm_control.analysis.experiments.flight import UNSEEDED, Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm, wrap

from . import PAGE
from .avoidance import ALONE, STEER, across, one_robot, passes, starts

STEPS = (5, 10, 25, 45)
LINE = {"line": STEER, "line, speed kept up": (*STEER, "steer_to_avoid.weight=4", "cruise.weight=0.4", "cruise.speed=0.6")}


def among_boxes(y: float, step: int) -> Trial:
    """One robot among the boxes, whose way starts ``-3.5 - y`` m from the middle's height."""
    place = ("world=boxes.world", *one_robot(-3.5, -3.5 - y, (3.5, 3.5)), "duration=40")
    return Trial("migrate_boxes", (*ALONE, *STEER, *place, f"steer_to_avoid.step={step}"), UNSEEDED, until_arrival=True)


@experiment("steer_step", "the angle between headings that steering tries (§4.4.1)", PAGE, chosen_on=range(10), reported_on=range(100, 120))
def steer_step(lab: Lab) -> Finding:
    """Fly the line with one robot, and the boxes with one and with ten, with different angles between the headings that are tried."""
    seeds, offsets = lab.seeds(), starts(lab)
    steps = (10, 25) if lab.quick else STEPS
    cases = [(way, step) for way in LINE for step in steps]
    flown = lab.fly([across("line", y, *LINE[way], f"steer_to_avoid.step={step}") for way, step in cases for y in offsets])
    line = {case: flown[k * len(offsets) : (k + 1) * len(offsets)] for k, case in enumerate(cases)}
    one = _each(steps, lab.measure([among_boxes(4.0 * y, step) for step in steps for y in offsets], _fluidity))
    trials = [Trial("migrate_boxes", (f"steer_to_avoid.step={step}",), seed, until_arrival=True) for step in steps for seed in seeds]
    ten = _each(steps, lab.measure(trials, _fluidity))
    later = {way: np.array([a.time[-1] - b.time[-1] for a, b in zip(line[way, 10], line[way, 25])]) for way in LINE}
    more = {
        "one robot": np.array(one[25])[:, 1] - np.array(one[10])[:, 1],
        "ten": np.array([b[1] - a[1] for a, b in zip(ten[10], ten[25])]),
    }
    return Finding(
        "Angle between headings (§4.4.1)",
        "At long walls a larger angle (25°) is of advantage, it turns faster; among small obstacles a smaller one gives more fluid "
        "movements.",
        ("step", *(f"{way}: {what}" for way in LINE for what in ("passes", "time (s)", "speed (m/s)")), "boxes, one robot: turning (°/m)",
         "boxes, ten: turning (°/m)", "boxes, ten: time (s)"),
        tuple(
            (f"{step}°", *(cell for way in LINE for cell in _cells(line[way, step])), mean_sd((f[1] for f in one[step]), 1),
             mean_sd((f[1] for f in ten[step]), 0), mean_sd((f[0] for f in ten[step]), 1))
            for step in steps
        ),
        {
            "line: by 10° and by 25° the robot passes from every start": all(passes(f) for s in (10, 25) for w in LINE for f in line[w, s]),
        } | ({} if lab.quick else {
            "line: 25° gets past sooner than 10°": _sure(later["line"]),
            "that is speed lost in turns: where it is kept up, 25° takes at most 0.2 s longer": _sure(later["line, speed kept up"] + 0.2),
            "boxes, one robot: 10° turns less per metre than 25°": _sure(more["one robot"]),
            "boxes, ten robots: 10° turns less per metre than 25°": _sure(more["ten"]),
        }),
        tuple(Paths(f"{way}, {step}°", fs[0]) for (way, step), fs in line.items()),
        {f"25° later, {way}": -float(gain.mean()) for way, gain in later.items()} | {k: float(v.mean()) for k, v in more.items()},
        f"Line and one robot: {len(offsets)} starts, filter off; the weight is 10 as in line_and_circle, and 4 where cruise keeps up the "
        f"speed, both chosen on other starts. Ten: migrate_boxes, {len(seeds)} seeds. 25° less 10°: {_said(more['one robot'])} "
        f"°/m for one robot, {_said(more['ten'])} °/m for ten; 10° less 25° at the line: {_said(later['line'])} s, "
        f"{_said(later['line, speed kept up'])} s where speed is kept up (95 % intervals, run by run). "
        "In the flock neighbours, not boxes, cause nearly all turning: ten turn many times as much as one, and the angle no longer shows.",
    )  # fmt: skip


Fluidity = tuple[float | None, float, float]


def _each(steps: Sequence[int], measured: list[Fluidity]) -> dict[int, list[Fluidity]]:
    count = len(measured) // len(steps)
    return {step: measured[k * count : (k + 1) * count] for k, step in enumerate(steps)}


def _cells(flights: list[Flight]) -> tuple[str, str, str]:
    speed = float(np.mean([f.speed.mean() for f in flights]))
    return f"{sum(map(passes, flights))} of {len(flights)}", mean_sd((f.time[-1] for f in flights), 1), f"{speed:.2f}"


def _sure(gain: Array) -> bool:
    return float(gain.mean()) - interval(gain) > 0.0


def _said(gain: Array) -> str:
    return f"{gain.mean():.1f} ± {interval(gain):.1f}"


def _fluidity(flight: Flight) -> Fluidity:
    """Arrival time (s), turning of the course per metre (°/m), and mean acceleration (m/s²)."""
    change = norm(np.diff(flight.velocity, axis=0)) / np.diff(flight.time)[:, None]
    return flight.summary["arrival_time"], turning_per_metre(flight.velocity, flight.path_length), float(change.mean())


def turning_per_metre(velocity: Array, length: Array) -> float:
    """How much courses turn, to either side, per metre of way, in degrees; from ``velocity`` (T, N, 2) above 5 cm/s."""
    course = np.arctan2(velocity[..., 1], velocity[..., 0])
    moving = norm(velocity) > 0.05
    turns = np.abs(wrap(np.diff(course, axis=0))) * (moving[1:] & moving[:-1])
    return float(np.rad2deg(turns.sum()) / length.sum())
