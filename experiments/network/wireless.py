"""Formations by wireless: how loss and delay spoil them, how soon a robot that is cut off stops, and what the two states cost."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Page, experiment
from swarm_control.core.geometry import norm
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

from .onboard import formation_error, radio, stopping_time
from .radio import Air

PAGE = Page("wireless", "The wireless network")

LEVELS = ((Air(), "swarm_state"), (Air(), "odom"), (Air(0.1, 0.05, 0.02), "swarm_state"), (Air(0.3, 0.2, 0.05), "swarm_state"))  # fmt: skip
"""Networks, and what the robots hear: one message with all robots' states, or each robot's odometry."""
CUT = 2
"""The robot (its machine's number) that is cut off."""


@dataclass(frozen=True)
class Seen:
    """A run: errors (m) before the blackout, in it, and after; the time (s) that the robot took to stop; bytes a second of the floor."""

    before: float
    worst: float
    after: float
    stop: float
    recovery: float
    rate: float
    collisions: int
    dead: int


@experiment("wireless", "formation, cut-off and recovery over loss and delay, in network namespaces", PAGE, reported_on=range(100, 101))
@each_seed
def wireless(lab: Lab, seed: Seed) -> Finding:
    """Three robots with all their nodes on board, on networks from good to bad; each is cut off for 5 s."""
    levels = (LEVELS[0], LEVELS[3]) if lab.quick else LEVELS
    seen = {}
    for done, level in enumerate(levels, start=1):
        seen[level] = _run(*level, seed)
        lab.progress(done, len(levels))
    names = [f"{air.loss:.0%} lost, {1e3 * air.delay:.0f} ± {1e3 * air.jitter:.0f} ms, {source}" for air, source in levels]
    every = seen.values()
    return Finding(
        "Formation, cut-off and recovery by wireless",
        "Not in the paper: it closes the loop over wireless but does not say what it loses.",
        ("loss each way", "delay each way (ms)", "robots hear", "error (cm)", "in the blackout (cm)", "after it (cm)",
         "recovered after (s)", "stopped after (s)", "sent by the floor (kB/s)", "collisions"),
        tuple(
            (f"{air.loss:.0%}", f"{1e3 * air.delay:.0f} ± {1e3 * air.jitter:.0f}", source, f"{100 * one.before:.1f}",
             f"{100 * one.worst:.1f}", f"{100 * one.after:.1f}", _seconds(one.recovery), f"{one.stop:.2f}", f"{1e-3 * one.rate:.0f}",
             str(one.collisions))
            for (air, source), one in seen.items()
        ),
        {"nobody collides": not any(one.collisions for one in every),
         "a robot that is cut off stops within 0.5 s": all(one.stop < 0.5 for one in every),
         "the formation recovers from every blackout": not any(np.isnan(one.recovery) for one in every),
         "no node dies": not any(one.dead for one in every)},
        (Bars("formation error", "cm", tuple(names), {
            "before": np.array([100 * one.before for one in every]), "worst in the blackout": np.array([100 * one.worst for one in every]),
            "after": np.array([100 * one.after for one in every])}),),
        {"stop_worst": max(one.stop for one in every), "error_worst": max(one.after for one in every)},
        "One run each, in network namespaces of one computer; a delay holds on each way, from the floor to the robot and back. The floor "
        "tells everybody's odometry, as a camera above it would. Errors are mean distances of the true positions from the triangle fitted "
        "to them; recovered: below half as much again as before the blackout, at least 1.5 cm, for a second. The run is real time, so "
        "that numbers differ from run to run.",
    )  # fmt: skip


def _seconds(value: float) -> str:
    return f"{value:.1f}" if np.isfinite(value) else "not in 12"


def _run(air: Air, source: str, seed: Seed) -> Seen:
    with tempfile.TemporaryDirectory() as folder, radio(Path(folder), air, source, seed) as floor:
        floor.until(lambda: floor.states and floor.states[-1].time > 2.0, 150.0)
        loaded = load(str(Path(folder) / "onboard.yaml"), ())
        setup = prepare(loaded.scenario, loaded.source)
        sent, began = floor.sent(), floor.states[-1].time
        before = formation_error(floor.watch(12.0), setup).mean()
        rate = (floor.sent() - sent) / (floor.states[-1].time - began)
        floor.until(lambda: norm(floor.states[-1].velocity[CUT - 1, :2]) > 0.1, 60.0)
        cut = floor.cut(CUT)
        blackout = floor.watch(5.0)
        floor.cut(CUT, False)
        again = floor.watch(12.0)
        error = formation_error(again, setup)
        settled = 1.5 * max(before, 0.01)
        recovered = next((state.time - again[0].time for k, state in enumerate(again) if error[k : k + 10].max() < settled), float("nan"))
        return Seen(
            float(before), float(formation_error(blackout, setup).max()), float(error[-60:].mean()),
            stopping_time(blackout, CUT - 1, cut), recovered, rate, again[-1].collisions, len(floor.dead()),
        )  # fmt: skip
