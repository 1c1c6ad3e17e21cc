"""How long planning takes: who takes which place, by which ways, and how fast the separation filter lets them be gone."""

import functools
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import UNSEEDED, Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array

from . import MODELS, PAGE, SEEN
from .forming import Forming, plain
from .forming import scenario as forming
from .kinds import PIXEL
from .worlds import refusal

OPEN, OBSTACLES = "formed in the open", "led past obstacles"
COUNTS = {OPEN: (30, 100, 300, 1000), OBSTACLES: (10, 30, 100, 200)}
WANTED = {(OPEN, 30): 0.1, (OPEN, 1000): 10.0}
"""Planning is to take so long (s) at most."""

FEW = 5
"""Robots of the first plan of each kind, which is not timed."""

AGAIN = 3.0
"""What took less (s) is planned three times."""

SPACING = 0.5
"""Of the formations that are led past obstacles, m."""


@dataclass(frozen=True)
class PlanningTask:
    """What is to be planned, for how many ``robots``."""

    seed: Seed
    what: str
    robots: int
    model: str


@dataclass(frozen=True)
class PlanningTime:
    """How long the first tick took, in which all is planned (s), and why nothing was, or nothing."""

    time: float
    refused: str


def scenario(task: PlanningTask, folder: Path) -> dict[str, Any]:
    """Robots that form one of eight shapes from a scatter, or a grid that is led past two obstacles as wide as half of it."""
    if task.what == OPEN:
        return plain(forming(Forming(task.seed, task.model, False, (task.robots, task.robots))))  # type: ignore[no-any-return]
    from PIL import Image

    rng = np.random.default_rng([task.seed, task.robots, 47])
    extent = SPACING * np.ceil(np.sqrt(task.robots))
    side = 8.0 * max(extent, 2.0)
    middle = (np.arange(round(side / PIXEL)) + 0.5) * PIXEL - 0.5 * side
    x, y = np.meshgrid(middle, middle[::-1])
    walls = np.maximum(abs(x), abs(y)) > 0.5 * side - 2.0 * PIXEL
    for at in (-0.1, 0.15):
        across = rng.uniform(-0.5, 0.5) * extent
        walls |= (abs(x - at * side) < 0.25 * extent) & (abs(y - across) < 0.25 * extent)
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(folder / "made.png")
    (folder / "made.world").write_text(
        f'define floorplan model ()\nfloorplan ( bitmap "made.png" size [{side:g} {side:g} 1] pose [0 0 0 0] )\n', encoding="utf-8"
    )
    body = {"radius": 0.1, "wheel_base": 0.16, "max_speed": 0.6, "max_acceleration": 1.5, "max_turn_rate": 4.0}
    away = 0.5 * side - 1.2 * extent
    return {
        "world": "made.world", "duration": 600, "seed": int(task.seed),
        "robots": [{"count": task.robots, "model": task.model, **body, "start": {
            "pattern": "scatter", "center": [-float(away), 0.0], "spacing": 0.45, "heading_spread": 360.0}}],
        "control": {
            "period": 0.05, "formation": {"enabled": True, "shape": "grid", "spacing": SPACING}, "separation_filter": {"enabled": True},
        },
        "goals": [{"position": [float(away), 0.0]}],
    }  # fmt: skip


@functools.cache
def warm(what: str, model: str) -> None:
    """Compile and load what planning needs, by planning for few robots."""
    _planned(PlanningTask(UNSEEDED, what, FEW, model), 0.0)


def run(task: PlanningTask) -> PlanningTime:
    """Plan, and again where that was soon done: the quickest time counts."""
    warm(task.what, task.model)
    return _planned(task, AGAIN)


def _planned(task: PlanningTask, again: float) -> PlanningTime:
    """How long planning takes; three times where that is less than ``again`` (s)."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        file = Path(folder) / "planning.yaml"
        file.write_text(yaml.safe_dump(scenario(task, Path(folder))), encoding="utf-8")
        while not taken or (len(taken) < 3 and min(taken) < again):
            simulation = Simulation(file)
            began = time.perf_counter()
            simulation.step()
            taken.append(time.perf_counter() - began)
    return PlanningTime(min(taken), refusal(told))


@experiment("formation_planning", "time to plan formings and ways", PAGE, chosen_on=SEEN, reported_on=range(1000, 1008))
def formation_planning(lab: Lab) -> Finding:
    """For each seed, number and model: a forming in the open, and a way past obstacles."""
    seeds = lab.seeds(quick=1)
    counts = {what: numbers[:1] if lab.quick else numbers for what, numbers in COUNTS.items()}
    cases = [(what, count, model) for what, numbers in counts.items() for count in numbers for model in MODELS]
    found = iter(lab.map(run, [PlanningTask(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    times = {case: np.array([one.time for one in ns if not one.refused]) for case, ns in runs.items()}
    rows = tuple(
        (what, model, str(count), f"{len(taken)} of {len(seeds)}", _seconds(np.median(taken)), _seconds(taken.max()),
         f"{WANTED[what, count]:g}" if (what, count) in WANTED else "–")
        for (what, count, model), taken in times.items() if len(taken)
    )  # fmt: skip
    claims = {
        f"{count} {model} robots are {what} after {WANTED[what, count]:g} s of planning at most": bool(len(taken))
        and float(taken.max()) <= WANTED[what, count]
        for (what, count, model), taken in times.items() if (what, count) in WANTED
    }  # fmt: skip
    reasons = sorted({one.refused for ns in runs.values() for one in ns if one.refused})
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        f"{model}, {what}": (
            np.array(counts[what], float), np.array([np.median(times[what, count, model]) for count in counts[what]]), None)
        for what in counts for model in MODELS
    }  # fmt: skip
    return Finding(
        "Time to plan",
        "Not in the paper, whose robots start in formation.",
        ("what", "robots", "number", "planned", "median (s)", "slowest (s)", "wanted (s)"), rows, claims,
        (Curves("time to plan", "robots", "s", curves),),
        {f"{what}_{model}_{count}": float(np.median(taken)) for (what, count, model), taken in times.items() if len(taken)},
        f"{sum(map(len, runs.values()))} plans: the first tick, in which places are dealt, ways are found, proved free and timed. Formed "
        "in the open: the scattered robots and eight shapes of the random formings. Led past obstacles: a grid with 0.5 m between robots, "
        "from a scatter, and two boxes half as wide as it in its way; whether to open for them is part of the plan. What takes less than "
        "3 s is planned three times and the quickest counts; two plans at a time share the machine."
        + "".join(f" Refused: {why}." for why in reasons[:5]),
    )  # fmt: skip


def _seconds(value: float) -> str:
    """Two digits, without an exponent."""
    return f"{float(f'{value:.2g}'):g}"
