"""Social potential fields: two hundred robots guard a castle as ROS 2 nodes, in real time."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Finding, Snapshot
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm
from swarm_control.errors import Failed
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.tree import to_data

from . import PAGE
from .guard import Guarding, watch

ROBOTS, SECONDS = 200, 90.0
"""Robots, one of them the invader, and how long the run lasts."""
DOMAIN = 87
"""ROS domain of the run, unless the environment says otherwise: other robots' nodes are not to be met."""


@dataclass(frozen=True)
class Watched:
    """A run in real time: its flight, how many ticks began late, the 99th percentile (ms) from odometry to command, and the machine's
    ``load`` before it.
    """

    flight: Flight
    rate: float
    late: int
    p99: float
    load: float


@experiment("social_crowd", "200 robots guard a castle as ROS 2 nodes, in real time", PAGE, reported_on=range(100, 101))
@each_seed
def crowd(lab: Lab, seed: Seed) -> Finding:
    """The scenario guard_castle with ten times its robots, each of which pushes a tenth as hard."""
    robots, seconds = (50, 45.0) if lab.quick else (ROBOTS, SECONDS)
    run = real_time(Trial("guard_castle", (f"robots={robots}", f"duration={seconds:g}", *shared(robots)), seed))
    lab.progress(1, 1)
    period, seen = 1e3 * load("guard_castle").scenario.control.period, watch(run.flight)
    ticks, far = len(run.flight.time) - 1, float(ring_radius(run.flight).max())
    return Finding(
        "Guarding a castle with 200 robots, as ROS 2 nodes in real time",
        "Not in the paper, whose simulations have some tens of robots.",
        ("robots", "ticks", "simulated s per s", "late ticks", "odometry to command, p99 (ms)", "invader's closest approach (m)",
         "outermost guard at 29 s (m)", "angle he moves round (deg)", "collisions"),
        ((str(robots), str(ticks), f"{run.rate:.2f}", str(run.late), f"{run.p99:.0f}", f"{seen.closest:.2f}", f"{far:.2f}",
          f"{seen.swept:.0f}", str(seen.collisions)),),
        _claims(run, seen, ticks, period, far),
        tuple(Snapshot(f"{t:g} s", run.flight, t, half=8.5) for t in (0.0, 29.0, 40.0, seconds)),
        {"late": run.late / ticks, "p99": run.p99, "rate": run.rate, "closest": seen.closest},
        f"`swarm run guard_castle --robots {robots} --duration {seconds:g}`, {1e3 / period:g} Hz, where the guards' forces on each other "
        f"and on the invader are {20 / (robots - 1):.2g} times those of the scenario with its 20 guards: a ring as wide. A tick is late "
        "when it begins more than half a period after its time. The machine's load before the run: "
        f"{run.load:.1f} on {os.cpu_count()} processors.",
    )  # fmt: skip


def _claims(run: Watched, seen: Guarding, ticks: int, period: float, far: float) -> dict[str, bool]:
    return {
        "real time is kept within 1 %": abs(run.rate - 1.0) < 0.01,
        "less than 1 % of the ticks are late": run.late < 0.01 * ticks,
        f"99 of 100 commands come within the period of {period:g} ms": run.p99 < period,
        "all guards stand round the castle, within 4.5 m, before the invader comes": far < 4.5,
        "the invader never comes nearer than the ring of 3 m": seen.closest > 3.0,
        "no collision": seen.collisions == 0,
    }


def shared(robots: int) -> tuple[str, ...]:
    """Changes to guard_castle by which all guards together push as its 20 do."""
    scenario, factor = load("guard_castle").scenario, 20.0 / (robots - 1)
    siege = f"phases.1.set={yaml.safe_dump({'social.laws': _weaker(scenario.phases[1].set['social.laws'], factor)}, width=10**6)}"
    return f"social.laws={yaml.safe_dump(_weaker(to_data(scenario.control.social.laws), factor), width=10**6)}", siege


def _weaker(laws: list[dict[str, Any]], factor: float) -> list[dict[str, Any]]:
    """The ``laws`` with what guards exert, c/r^σ, times a ``factor``."""
    return [
        {**law, "terms": [n * (factor, 1.0)[k % 2] for k, n in enumerate(law["terms"])]} if law["of"] == "guards" else law for law in laws
    ]


def ring_radius(flight: Flight) -> Array:
    """Distances (n,) m of the guards from the castle before the invader comes."""
    return norm(flight.position[flight.at(29.0), flight.members("guards")] - flight.landmarks("castle")[0])


def real_time(trial: Trial) -> Watched:
    """Make a run as ROS 2 nodes; ``Failed`` when it is not made."""
    load_before = os.getloadavg()[0]
    changes = [word for change in (*trial.changes, f"seed={trial.seed}") for word in ("--set", change)]
    with TemporaryDirectory() as folder:
        words = ["run", trial.scenario, "--no-dashboard", "--out", folder, *changes]
        alone = {"ROS_DOMAIN_ID": str(DOMAIN), **os.environ}
        command = [sys.executable, "-m", "swarm_control.cli.main", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
        if done.returncode:
            raise Failed(f"swarm run ended with status {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        flight = read(trial, Path(folder))
    said = done.stdout + done.stderr
    late, delay, rate = (re.findall(pattern, said) for pattern in (r"late (\d+)", r"p99 (\d+) ms", r"([\d.]+)× real time"))
    if not delay or not rate:
        raise Failed("swarm run said nothing of its progress: it was too short")
    return Watched(flight, float(rate[-1]), int(late[-1]) if late else 0, float(delay[-1]), load_before)


def read(trial: Trial, folder: Path) -> Flight:
    """The flight of a run of which trajectory and summary are in ``folder``; what only watchers of the run knew is zero."""
    loaded = load(trial.scenario, (*trial.changes, f"seed={trial.seed}"))
    setup = prepare(loaded.scenario, loaded.source)
    with np.load(folder / "trajectory.npz") as run:
        time, pose, velocity = run["time"], run["pose"], run["velocity"]
    nothing = np.zeros(pose.shape[:2])
    return Flight(
        trial, time, pose[:, :, :2], velocity[:, :, :2], nothing > 0, nothing, nothing > 0, setup.fleet.radius,
        setup.fleet.max_acceleration, setup.grid, loaded.scenario.goals, json.loads((folder / "summary.json").read_text()), setup.society,
    )  # fmt: skip
