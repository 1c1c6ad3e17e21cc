"""Formations of R3s on the lab floor in MuJoCo, under a camera: they form, go through a gap, and push a box."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swarm_control.analysis.experiments.finding import Finding, Photo, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.floor.loop import FloorLoop

from .floor import PAGE

SIX = {
    "robots.0.count": 6, "robots.0.start.pattern": "scatter", "robots.0.start.spacing": 0.7, "robots.0.start.heading_spread": 360,
    "control.formation.shape": "wedge", "control.formation.spacing": 0.8, "control.formation.repeat": 1,
    "control.separation_filter.enabled": True,
}  # fmt: skip
"""The paper's robots, six of them, scattered; they are to form a wedge."""


class FloorCourse(NamedTuple):
    """What robots do on the floor: a shipped ``scenario`` with ``changes``, and after what share of the run its picture is taken."""

    scenario: str
    changes: dict[str, Any]
    shown: float


COURSES = {
    "form a wedge": FloorCourse("formation_translate", SIX, 1.0),
    "form a wedge and go through a gap": FloorCourse(
        "formation_translate",
        SIX
        | {
            "world": "gap.world",
            "robots.0.start.center": [-2.5, -1.5],
            "goals": [{"position": [3.0, -1.5]}],
            "duration": 200,
            "hardware.tracker.marker_size": 0.2,
        },
        0.5,
    ),
    "push a box": FloorCourse("formation_box", {"robots.0.model": "differential", "objects.0.mass": 2.0}, 0.6),
}
"""The box weighs what robots that push with 20 N can move."""

OFF = 0.03, 20.0
"""So far (m, deg) robots that start around the box are out of place at most."""
NEAR = 0.05
"""So far (m) robots may be from their places in the end on average, and the box from its goal."""
EVERY = 20
"""Ticks from one picture that is kept to the next."""


@dataclass(frozen=True)
class FloorOutcome:
    """A run: whether all ``arrived`` and when (``time``, s), ``contacts``, how far robots are from their places in the end on average
    (``error``, m) and the box from its goal (``box``, m; NaN without one).

    ``picture`` (H, W, 3) from under way, and where the robots drove in it, ``track`` (T, N, 2) px.
    """

    arrived: bool
    time: float | None
    contacts: int
    error: float
    box: float
    picture: NDArray[np.uint8]
    track: Array


@dataclass(frozen=True)
class FloorDraw:
    """A run: its ``seed`` and the name of its ``course``."""

    seed: Seed
    course: str


def changes(draw: FloorDraw) -> tuple[str, ...]:
    """What is changed of the scenario, as for ``--set``: robots around a box are a bit out of place, others are scattered anyway."""
    course = COURSES[draw.course]
    made = dict(course.changes)
    start = load(course.scenario, ()).scenario.robots[0].start
    if start.poses:
        rng, poses = np.random.default_rng([draw.seed, 48]), np.array(start.poses)
        out = 1.0 + rng.uniform(0.0, OFF[0], (len(poses), 1)) / np.linalg.norm(poses[:, :2], axis=1, keepdims=True)
        turned = poses[:, 2:] + rng.uniform(-OFF[1], OFF[1], (len(poses), 1))
        made["robots.0.start.poses"] = np.hstack((poses[:, :2] * out, turned)).tolist()
    return (*(f"{name}={json.dumps(value)}" for name, value in made.items()), f"seed={draw.seed}")


def run(draw: FloorDraw) -> FloorOutcome:
    """Make one run, until the robots are there or its time is over."""
    course = COURSES[draw.course]
    loaded = load(course.scenario, changes(draw))
    setup = prepare(loaded.scenario, loaded.source)
    loop = FloorLoop(loaded.scenario, setup)
    simulation, pictures = Simulation(loaded, setup=setup, engine=loop, odometry=loop), [loop.picture]

    def over(simulation: Simulation) -> bool:
        if simulation.done or round(simulation.time / loaded.scenario.control.period) % EVERY == 0:
            pictures.append(loop.picture)
        return simulation.done

    simulation.run(until=over)
    trajectory, summary = simulation.trajectory, simulation.metrics()
    place = trajectory.pose[..., :2]
    top = np.concatenate((place, np.full((*place.shape[:2], 1), loop.floor.tracker.marker_height)), axis=2)
    track = loop.floor.overhead.project(top.reshape(-1, 3)).reshape(place.shape)
    loop.floor.close()
    goal = loaded.scenario.goals[-1].position
    box = np.nan if loop.objects is None else float(np.hypot(*(loop.objects.pose[0, :2] - goal)))
    error = simulation.last.error if simulation.last is not None else None
    return FloorOutcome(
        summary["arrived_fraction"] == 1.0, summary["arrival_time"], int(summary["collisions"]), np.nan if error is None else error, box,
        pictures[round(course.shown * (len(pictures) - 1))], track,
    )  # fmt: skip


@experiment(
    "floor_formations", "formations of R3s on the lab floor in MuJoCo: forming, a gap, a box", PAGE, chosen_on=range(20),
    reported_on=range(100, 105),
)  # fmt: skip
def floor_formations(lab: Lab) -> Finding:
    """Each course for each seed."""
    seeds = lab.seeds(quick=1)
    names = list(COURSES)[:1] if lab.quick else list(COURSES)
    found = iter(lab.map(run, [FloorDraw(seed, name) for name in names for seed in seeds]))
    runs = {name: [next(found) for _ in seeds] for name in names}
    every = [one for ones in runs.values() for one in ones]
    boxes = [one.box for one in every if np.isfinite(one.box)]
    claims = {
        "all robots arrive": all(one.arrived for one in every),
        "nobody touches anybody, or a wall": not any(one.contacts for one in every),
        f"in the end robots are less than {100 * NEAR:g} cm from their places on average": all(one.error < NEAR for one in every),
    }  # fmt: skip
    if boxes:
        claims[f"the box comes to within {100 * NEAR:g} cm of its goal"] = max(boxes) < NEAR
    return Finding(
        "Formations on the lab floor in MuJoCo",
        "Not shown there. Its robots are R3s under a camera, and its structures may include a box that they push.",
        ("course", "arrived", "contacts", "time (s)", "error in the end (mm)", "box from its goal (mm)"),
        tuple(_row(name, ones) for name, ones in runs.items()), claims,
        tuple(Photo(f"{name}: where the robots drive", ones[0].picture, ones[0].track) for name, ones in runs.items()),
        {f"{name.split()[-1]}_time": float(np.nanmean([np.nan if one.time is None else one.time for one in ones]))
         for name, ones in runs.items()},
        f"{len(seeds)} seeds, each with robots, markers, a calibration and a start of its own: six R3s are scattered and turned anyhow, "
        f"the four around the box up to {100 * OFF[0]:g} cm and {OFF[1]:g}° out of place. The controllers know what the camera sees, by "
        "the tracker; commands are lines of the wheel protocol. Over the map with the gap the camera is 14 m high: markers are 20 cm "
        "wide there, else 10. The box has 2 kg.",
    )  # fmt: skip


def _row(name: str, ones: list[FloorOutcome]) -> tuple[str, ...]:
    return (
        name, f"{sum(one.arrived for one in ones)} of {len(ones)}", str(sum(one.contacts for one in ones)),
        mean_sd((one.time for one in ones), 0), mean_sd((1000.0 * one.error for one in ones), 1),
        mean_sd((1000.0 * one.box for one in ones), 1),
    )  # fmt: skip
