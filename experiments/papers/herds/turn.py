"""A group turns to the left and to the right (Brogan & Hodgins §5, figure 9)."""

from dataclasses import replace
from functools import partial

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.core.geometry import Array, wrap

from .herd import HERDS, SCATTER, harm, harm_cells, of_each_kind, scattered, unharmed

TURNS = (20.0, 40.0)
"""When (s) the turn to the left begins, and the one to the right."""
ANGLE = {"points": 45.0, "hoppers": 45.0, "bicycles": 22.5}
"""Heading (deg) after the turn to the left; after the one to the right it is as much to the other side."""
NEAR = 3.0
"""A group has turned when its mean course is, and stays, so near (deg) to the one wished."""


@of_each_kind("turn", "to the left, and to the right (Fig. 9)")
def turning(lab: Lab, kind: str) -> Finding:
    """Two turns on the march."""
    herd, angle, seeds = HERDS[kind], ANGLE[kind], lab.seeds()
    scenario = f"herd_{kind}_turn"
    trials = [Trial(scenario, (scattered(scenario, seed),), seed) for seed in seeds]
    first = lab.fly(trials[:1])[0]
    measured = lab.measure(trials, partial(turn, angle=angle))
    found, done = [m[0] for m in measured], np.array([m[1] for m in measured])
    slow = 15.0 if kind == "bicycles" else 10.0
    return Finding(
        f"Turning: {herd.word} (section 5, figure 9)",
        f"From steady state {angle:g}° to the left, and after 20 s {2 * angle:g}° to the right"
        + (", each within 10 s" if kind == "bicycles" else "") + "; all complete the path without a collision.",
        ("", "left turn done after (s)", "right turn done after (s)", "courses at the end, sd (deg)", "collisions", "falls",
         "least distance (m)"),
        (("paper", "–", "–", "–", "0", "0", "–"),
         ("ours", *(mean_sd(column, 2) for column in done.T), mean_sd((m[2] for m in measured), 2), *harm_cells(found))),
        unharmed(found) | {f"the group has turned within {slow:g} s, both times, in every run": bool((done <= slow).all())},
        (Paths("every 20 s, and the path of one", path_of_one(first)), Paths("all paths", first)),
        {"left": float(done[:, 0].mean()), "right": float(done[:, 1].mean())},
        f"{len(seeds)} seeds, {first.robots} {herd.word}, {SCATTER}. Turned: the mean course is within {NEAR:g}° of the one wished, and "
        "stays there.",
    )  # fmt: skip


def turn(flight: Flight, angle: float) -> tuple[tuple[float, float, float], Array, float]:
    """Harm done; how long (s) each turn took, infinite if it never ended; spread of the robots' courses at the end (deg)."""
    mean = flight.velocity.mean(axis=1)
    course = np.arctan2(mean[:, 1], mean[:, 0])
    took = []
    for begins, ends, wished in ((TURNS[0], TURNS[1], angle), (TURNS[1], np.inf, -angle)):
        during = (flight.time >= begins - 1e-9) & (flight.time < ends)
        off = np.flatnonzero(np.abs(wrap(course[during] - np.deg2rad(wished))) > np.deg2rad(NEAR))
        time = flight.time[during]
        since = int(off[-1]) + 1 if off.size else 0
        took.append(time[since] - begins if since < len(time) else np.inf)
    last = np.arctan2(flight.velocity[-1, :, 1], flight.velocity[-1, :, 0])
    return harm(flight), np.array(took), float(np.rad2deg(wrap(last - course[-1])).std())


def path_of_one(flight: Flight) -> Flight:
    """For a picture: robots that stand where the robots were every 20 s, and the one in the middle moving along its path."""
    instants = [flight.at(t) for t in np.arange(0.0, flight.time[-1] + 1.0, 20.0)]
    middle = int(np.argmin(np.hypot(*(flight.position[0] - flight.position[0].mean(axis=0)).T)))
    still = np.concatenate([flight.position[k] for k in instants])
    position = np.concatenate((np.broadcast_to(still, (len(flight.time), *still.shape)), flight.position[:, [middle]]), axis=1)
    return replace(flight, position=position, radius=np.append(np.tile(flight.radius, len(instants)), flight.radius[middle]))
