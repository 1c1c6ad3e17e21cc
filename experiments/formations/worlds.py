"""Formations led through worlds that chance has made, with passages narrower than they are."""

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.formation import shapes

from . import MODELS, PAGE, SEEN
from .kinds import GOAL, KINDS, PIXEL, START, world

SHAPES = ("line", "wedge", "circle", "grid")
COUNTS = (3, 5, 8, 12, 20)
CLEAR = 1.9
"""Nothing stands within so many metres of start and goal, so that the formation fits there."""


@dataclass(frozen=True)
class Passage:
    """A random world: its ``seed`` and ``kind``, and the formation in it; whether odometry is ``late``, lost and noisy."""

    seed: Seed
    kind: str
    model: str
    late: bool = False


@dataclass(frozen=True)
class Passed:
    """What came of it: whether all arrived, when (s), contacts, and why the way was refused, or nothing."""

    arrived: bool
    time: float | None
    contacts: int
    refused: str


def scenario(draw: Passage, folder: Path) -> dict[str, Any]:
    """A world and a formation of three to twenty robots, with no more keys than it needs."""
    from PIL import Image

    rng = np.random.default_rng([draw.seed, list(KINDS).index(draw.kind), 43])
    count, shape = int(rng.choice(COUNTS)), str(rng.choice(SHAPES))
    radius = float(rng.uniform(0.06, 0.15))
    width = 2.0 * radius + float(rng.uniform(0.2, 0.5)) + (2.0 * radius if draw.model == "car" else 0.0)
    points = shapes.shape(shape, count, 1.0)
    size = min(rng.uniform(3.0, 7.5) * radius, (CLEAR - 2.5 * radius) / float(np.linalg.norm(points, axis=1).max()))
    if size < 3.0 * radius:
        shape, size = "grid", 3.0 * radius
    walls = world(draw.kind, width, CLEAR, rng)
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(folder / "made.png")
    side = PIXEL * len(walls)
    (folder / "made.world").write_text(
        'define floorplan model (boundary 0)\n'
        f'floorplan ( name "made" bitmap "made.png" size [{side:g} {side:g} 1] pose [0 0 0 0] )\n', encoding="utf-8"
    )  # fmt: skip
    body = {"radius": radius, "wheel_base": 1.6 * radius, "max_speed": 0.6, "max_acceleration": 1.5, "max_turn_rate": 4.0}
    return {
        "world": "made.world", "duration": 600, "seed": int(draw.seed),
        "robots": [{
            "count": count, "model": draw.model, **body,
            "start": {"pattern": "scatter", "center": list(START), "spacing": 2.6 * radius, "heading_spread": 360.0},
        }],
        "control": {
            "period": 0.05, "formation": {"enabled": True, "shape": shape, "spacing": float(size)},
            "separation_filter": {"enabled": True},
        },
        "goals": [{"position": list(GOAL), "heading": float(rng.uniform(-180.0, 180.0))}],
        "simulator": {
            "delay": float(rng.uniform(0.05, 0.3)), "loss": float(rng.uniform(0.0, 0.4)),
            "noise_position": float(rng.uniform(0.0, 0.02)), "noise_heading": float(rng.uniform(0.0, 2.0)),
        } if draw.late else {},
    }  # fmt: skip


def run(draw: Passage) -> Passed:
    """Make the run, until all are there or its time is over."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "passage.yaml"
        file.write_text(yaml.safe_dump(scenario(draw, Path(folder))), encoding="utf-8")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            simulation = Simulation(file).run(until=lambda run: run.done or bool(refusal(told)))
    summary, refused = simulation.metrics(), refusal(told)
    return Passed(summary["arrived_fraction"] == 1.0, summary["arrival_time"], int(summary["collisions"]), refused)


def refusal(told: list[warnings.WarningMessage]) -> str:
    """Why a formation does not go, from the warnings it has ``told``; nothing where it does."""
    return next((str(one.message) for one in told if str(one.message).startswith("formation:")), "")


@experiment("formation_worlds", "formations led through worlds that chance has made", PAGE, chosen_on=SEEN, reported_on=range(1000, 1007))
def formation_worlds(lab: Lab) -> Finding:
    """For each seed: a world of every kind for every robot model, with fresh odometry and with spoilt one."""
    seeds = lab.seeds(quick=1)
    cases = [(kind, model, late) for late in (False, True) for kind in KINDS for model in MODELS]
    found = iter(lab.map(run, [Passage(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    rows = tuple(
        (kind, model, "late" if late else "fresh", f"{sum(one.arrived for one in ns)} of {len(ns)}",
         str(sum(bool(one.refused) for one in ns)), str(sum(one.contacts for one in ns)),
         _mean([one.time for one in ns if one.arrived and one.time is not None]))
        for (kind, model, late), ns in runs.items()
    )  # fmt: skip
    everything = [one for ns in runs.values() for one in ns]
    led = [one for one in everything if not one.refused]
    claims = {
        "nobody touches anything": not any(one.contacts for one in everything),
        "at least 98 % arrive of those that are not refused": sum(one.arrived for one in led) >= 0.98 * len(led),
        "at most one in ten is refused": 10 * (len(everything) - len(led)) <= len(everything),
    }
    share = {
        model + ", late" * late: np.array([100.0 * np.mean([one.arrived for one in runs[kind, model, late]]) for kind in KINDS])
        for model in MODELS for late in (False, True)
    }  # fmt: skip
    reasons = sorted({one.refused for one in everything if one.refused})
    return Finding(
        "Formations in unseen worlds",
        "Not in the paper: passages are 20 to 50 cm wider than a robot, for cars by a robot more, and narrower than the formation.",
        ("world", "robots", "odometry", "arrived", "refused", "contacts", "mean time (s)"), rows, claims,
        (Bars("formations that arrive", "% of the worlds", tuple(KINDS), share),),
        {f"{kind}_{model}{'_late' * late}": float(np.mean([one.arrived for one in ns])) for (kind, model, late), ns in runs.items()},
        f"{len(everything)} formations of 3 to 20 robots in a line, wedge, circle or grid. Late: odometry 0.05 to 0.3 s late, up to 40 % "
        "of it lost, with up to 2 cm and 2° of noise." + "".join(f" Refused: {why}." for why in reasons[:5]),
    )  # fmt: skip


def _mean(times: list[float]) -> str:
    return f"{np.mean(times):.0f}" if times else "–"
