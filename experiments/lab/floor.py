"""The paper's two formation experiments on the lab floor in MuJoCo, the whole loop closed over camera and wheels (Lewis & Tan §5)."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.analysis.experiments.finding import Curves, Finding, Photo, mean_sd
from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Page, experiment
from swarm_control.analysis.simulation import TickRecord, simulate
from swarm_control.core.geometry import Array
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.floor.floor import misplaced
from swarm_control.sim.floor.loop import FloorLoop

PAGE = Page("floor", "The lab floor")

PAPER = {"translate": (0.4739, 0.2941), "rotate": (1.1499, 0.2941)}
"""Mean and standard deviation of the formation error on the paper's floor, cm."""
LIMIT = {"translate": 0.47, "rotate": 1.15}
"""What the mean error is to be at most, cm."""


@dataclass(frozen=True)
class FloorRun:
    """A run on the floor: T ticks, N robots.

    ``time`` (T,) s; ``error`` (T,) m, true mean distance from the fitted structure; ``slip`` (T,) m/s of the wheel that slips most;
    ``tracker``: root mean square of its errors, m and rad; ``picture`` (H, W, 3) from under way, and where the robots drove in it,
    ``track`` (T, N, 2) px; ``cost``: processor time of a tick, s. ``summary``: the contract's measures.
    """

    time: Array
    error: Array
    slip: Array
    tracker: tuple[float, float]
    picture: NDArray[np.uint8]
    track: Array
    cost: float
    summary: dict[str, Any]


def run(trial: Trial) -> FloorRun:
    """Make one run."""
    loaded = load(trial.scenario, (*trial.changes, f"seed={trial.seed}"))
    setup = prepare(loaded.scenario, loaded.source)
    loop = FloorLoop(loaded.scenario, setup)
    rows: list[tuple[float, float, float]] = []
    seen, stood, driven = [], [], []
    picture = loop.picture

    def watch(frame: TickRecord, metrics: Any) -> None:
        nonlocal picture
        away, slips = frame.formation.error(frame.truth), loop.floor.world.robots.slip(loop.floor.world.data)
        rows.append((frame.truth.time, np.nan if away is None else away, float(np.abs(slips).max())))
        seen.append(loop.seen)
        stood.append(loop.stood)
        driven.append(frame.truth.position)
        picture = loop.picture if len(rows) == PHOTO else picture

    began = time.process_time()
    outcome = simulate(loaded, setup, until_arrival=trial.until_arrival, watch=watch, engine=loop, odometry=loop)
    cost = (time.process_time() - began) / len(rows)
    when, error, slip = np.array(rows).T
    n = len(setup.fleet)
    top = np.column_stack((np.array(driven).reshape(-1, 2), np.full(len(rows) * n, loop.floor.tracker.marker_height)))
    track = loop.floor.overhead.project(top).reshape(-1, n, 2)
    loop.floor.close()
    return FloorRun(when, error, slip, misplaced(np.array(seen), np.array(stood)), picture, track, cost, outcome.summary)


PHOTO = 45
"""The tick of the picture that is shown."""


@experiment(
    "floor", "the paper's two formation experiments on a floor in MuJoCo, under a camera (Lewis & Tan)", PAGE, reported_on=range(100, 103)
)
def floor(lab: Lab) -> Finding:
    """To and fro ten times, and ten rotations."""
    seeds = lab.seeds(quick=1)
    short = ("formation.repeat=1",) if lab.quick else ()
    made = iter(lab.map(run, [Trial(f"formation_{motion}", short, seed, until_arrival=True) for motion in PAPER for seed in seeds]))
    runs = {motion: [next(made) for _ in seeds] for motion in PAPER}
    cm = {motion: 100.0 * np.concatenate([one.error for one in ones]) for motion, ones in runs.items()}
    first = {motion: ones[0] for motion, ones in runs.items()}
    every = [one for ones in runs.values() for one in ones]
    return Finding(
        "The paper's floor in MuJoCo: image → tracker → virtual structure → wheel driver → robot",
        "Mean formation error 0.4739 cm (sd 0.2941) going to and fro ten times, 1.1499 cm (sd 0.2941) in ten rotations; three R3 robots "
        "with markers under overhead cameras, wheel speeds sent by wireless, a control period of 0.1 s.",
        ("motion", "mean error (cm)", "sd (cm)", "max (cm)", "the paper (cm)", "tracker's rms error", "most wheel slip (cm/s)",
         "time (s)", "collisions"),
        tuple(_row(motion, ones, cm[motion]) for motion, ones in runs.items()),
        {f"{motion}: mean error at most {limit} cm, as on the paper's floor": bool(cm[motion].mean() <= limit)
         for motion, limit in LIMIT.items()}
        | {"all goals are reached": all(one.summary["arrival_time"] is not None for one in every),
           "nobody collides": not any(one.summary["collisions"] for one in every)},
        (Photo("what the tracker sees, and where the robots drive to and fro", first["translate"].picture, first["translate"].track),
         Photo("the same, turning", first["rotate"].picture, first["rotate"].track),
         *(Curves(f"formation error, {motion}: true positions", "time (s)", "error (cm)", {
             "in MuJoCo": (one.time, 100.0 * one.error, None),
             "the paper's mean": (one.time[[0, -1]], np.full(2, PAPER[motion][0]), None)}) for motion, one in first.items())),
        {f"{motion}_mean": float(error.mean()) for motion, error in cm.items()},
        _note(len(seeds), every),
    )  # fmt: skip


def _row(motion: str, ones: list[FloorRun], error: Array) -> tuple[str, ...]:
    mean, sd = PAPER[motion]
    away, askew = (np.mean([one.tracker[k] for one in ones]) for k in (0, 1))
    return (
        motion, f"{error.mean():.4f}", f"{error.std():.4f}", f"{error.max():.3f}", f"{mean} ± {sd}",
        f"{1e3 * away:.1f} mm, {np.rad2deg(askew):.2f}°", f"{100 * max(one.slip.max() for one in ones):.2f}",
        mean_sd((one.summary["arrival_time"] for one in ones), 0), f"{sum(one.summary['collisions'] for one in ones)}",
    )  # fmt: skip


def _note(seeds: int, runs: list[FloorRun]) -> str:
    height, width, _ = runs[0].picture.shape
    return (
        f"{seeds} seeds, each with robots, markers and a calibration of its own. Errors are distances of the true positions from the "
        "structure fitted to them, over all ticks until the last goal; the paper's are what its tracker saw. Every tick a picture of "
        f"{width} × {height} px is rendered and nothing else is known of where the robots are; it is 20 ms old when commands are made "
        "of it. Commands and encoder counts are lines of the wheel protocol. Simulated wheels differ by 0.5 %, mass, friction and motors "
        "by 5 to 30 %, markers are stuck on to 1 mm and 0.5°, the camera's calibration points are read to 1 px, pixels have noise of 2 "
        "grey levels (standard deviations). A tick, rendering and all, takes "
        f"{1e3 * np.mean([one.cost for one in runs]):.0f} ms of processor time."
    )
