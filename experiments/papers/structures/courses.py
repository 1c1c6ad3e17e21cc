"""A structure on any course: how well robots that cannot go sideways keep it where courses bend, against leaving at once."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE
from .drill import Drill, drill

COURSES: dict[str, tuple[tuple[float, ...], ...]] = {
    "to and fro, ahead": ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "to and fro, sideways": ((0.0, 1.0, 0.0), (0.0, 0.0, 0.0)),
    "to and fro, diagonal": ((1.0, 1.0, 0.0), (0.0, 0.0, 0.0)),
    "square": ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)),
    "to and fro, with turns": ((1.0, 0.0, 90.0), (0.0, 0.0, 0.0)),
}
"""Goals x, y (m) and heading (deg) of each course; it is gone through :data:`TIMES` times."""

TIMES = 3
BEFORE = ("formation.drive.align_within=180", "formation.drive.corner=180", "formation.drive.look_ahead=0")
"""The structure leaves at once, and robots go to their points the direct way."""

WAYS = {"turn first": (), "leave at once": BEFORE}
MEAN, MOST = 1.2, 6.0


@experiment("structures_courses", "formation error on courses that bend, with and without turning first", PAGE,
            chosen_on=range(10), reported_on=range(100, 120))  # fmt: skip
def courses(lab: Lab) -> Finding:
    """Three R3 robots on five courses, seen by the tracker with its noise, at the limits of their wheels."""
    seeds = lab.seeds(quick=1)
    cases = [(course, way) for course in COURSES for way in WAYS]
    trials = [
        Trial("formation_translate", (*WAYS[way], f"goals={_goals(course)}", f"formation.repeat={1 if lab.quick else TIMES}",
        "duration=200"), seed, until_arrival=True)
        for course, way in cases for seed in seeds
    ]  # fmt: skip
    drills = iter(lab.map(drill, trials))
    groups = {case: [next(drills) for _ in seeds] for case in cases}
    mm = {case: 1e3 * np.concatenate([one.error for one in ones]) for case, ones in groups.items()}
    ours = {course: mm[course, "turn first"] for course in COURSES}
    arrived = all(one.arrival is not None for ones in groups.values() for one in ones)
    return Finding(
        "A triangle of three R3 robots on courses that bend",
        "Mean formation error 4.74 mm straight ahead, to and fro; other courses were not measured.",
        ("course", "structure", "mean (mm)", "99 % (mm)", "max (mm)", "worst seed's mean (mm)", "time (s)", "collisions"),
        tuple(
            (course, way, f"{mm[course, way].mean():.2f}", f"{np.percentile(mm[course, way], 99):.2f}", f"{mm[course, way].max():.2f}",
             f"{max(1e3 * one.error.mean() for one in groups[course, way]):.2f}", _time(groups[course, way]),
             f"{sum(one.summary['collisions'] for one in groups[course, way])}")
            for course, way in cases
        ),
        {
            f"mean error at most {MEAN} mm on every course": all(float(error.mean()) <= MEAN for error in ours.values()),
            f"never more than {MOST:g} mm": all(float(error.max()) <= MOST for error in ours.values()),
            "all goals are reached": arrived,
        },
        (Curves(f"square, seed {seeds[0]}", "time (s)", "formation error (mm)", {way: _curve(groups["square", way][0]) for way in WAYS}),
         Curves(f"with turns, seed {seeds[0]}", "time (s)", "formation error (mm)", {
             way: _curve(groups["to and fro, with turns", way][0]) for way in WAYS})),
        {"mean": max(float(error.mean()) for error in ours.values()), "max": max(float(error.max()) for error in ours.values())},
        f"{len(seeds)} seeds; noise of 2 mm and 1°, 20 ms late; each course {TIMES} times, at 85 % of the wheels' top speed. Errors "
        "are over all ticks from the first one to the last goal. Leaving at once, as before, robots still turn while the structure "
        "goes; nearly all of the error arises there.",
    )  # fmt: skip


def _goals(course: str) -> str:
    return "[" + ", ".join(f"{{position: [{x:g}, {y:g}], heading: {yaw:g}}}" for x, y, yaw in COURSES[course]) + "]"


def _curve(one: Drill) -> tuple[Array, Array, None]:
    return one.time, 1e3 * one.error, None


def _time(drills: list[Drill]) -> str:
    times = [one.arrival for one in drills]
    return f"{np.mean([t for t in times if t is not None]):.1f}" if None not in times else "not in time"
