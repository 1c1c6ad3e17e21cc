"""Narrow ways: wide robots that have to go through a gap little wider than they are, one after another."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import BoolArray

from . import PAGE, SEEN
from .cases import MODELS, Found
from .generated import FRAME, PIXEL, write_scenario
from .numbers import jams

SIDE, LONGEST = 10.0, 240.0
"""Side (m) of the two rooms together, and how long (s) a run may last."""

WIDTHS = 1.5, 2.5
"""The gap's width lies between these, in widths of a robot."""


class NarrowWay(NamedTuple):
    """``robots`` of this ``radius`` (m) at up to ``speed`` (m/s), a gap this wide (m) at y (m), and what becomes of the odometry."""

    robots: int
    radius: float
    speed: float
    gap: float
    y: float
    goal: float
    delay: float
    loss: float


def draw_case(seed: Seed) -> NarrowWay:
    """The case of this ``seed``."""
    rng = np.random.default_rng([seed, 23])
    radius = float(rng.uniform(0.08, 0.25))
    gap = 2.0 * radius * float(rng.uniform(*WIDTHS))
    y, goal = (float(rng.uniform(-3.0, 3.0)) for _ in range(2))
    late = rng.uniform() < 0.5
    return NarrowWay(
        int(rng.integers(2, 15)), radius, float(rng.uniform(0.3, 1.5)), gap, y, goal, 0.2 * late, 0.3 * late
    )  # fmt: skip


def rooms(case: NarrowWay) -> BoolArray:
    """Walls (H, W), row 0 on top: two rooms, and between them a wall with the gap."""
    middles = (np.arange(round(SIDE / PIXEL)) + 0.5) * PIXEL - SIDE / 2
    x, y = np.meshgrid(middles, middles[::-1])
    between = (abs(x) < FRAME / 2) & (abs(y - case.y) > case.gap / 2)
    return np.asarray((np.maximum(abs(x), abs(y)) > SIDE / 2 - FRAME) | between)


def scenario(seed: Seed, folder: Path) -> Path:
    """The scenario file of a flock of the paper's behaviours in the rooms of this ``seed``."""
    case = draw_case(seed)
    group = {
        "count": case.robots, "radius": case.radius, "wheel_base": 1.6 * case.radius, "max_speed": case.speed,
        "start": {"center": [-2.5, 0.0], "spacing": 3.0 * case.radius, "heading": 0, "speed": 0},
    }  # fmt: skip
    control = {
        "perception": {"radius": 2.0, "count": 6}, "alignment": {"weight": 0.1}, "cohesion": {"weight": 0.35},
        "separation": {"weight": 0.2, "distance": 0.6, "area_share": 0.5}, "steer_to_avoid": {"weight": 0.85, "look_ahead": 0.8},
        "arrival": {"weight": 0.1}, "leaders": {"count": 3, "per": 10}, "separation_filter": {"enabled": True},
        "accumulation": {
            "method": "prioritised", "gain": 5.0, "priority": ["arrival", "steer_to_avoid", "separation", "alignment", "cohesion"],
        },
    }  # fmt: skip
    return write_scenario(
        rooms(case), folder, f"narrow_{seed}", duration=LONGEST, robots=[group], control=control,
        simulator={"delay": case.delay, "loss": case.loss},
        goals=[{"position": [2.5, case.goal], "arrival_room": 1.0, "fraction": 1.0}],
    )  # fmt: skip


def _row(model: str, late: bool, found: Sequence[Found]) -> tuple[str, ...]:
    whole, jammed = sum(one.arrived == 1.0 for one in found), sum(one.measured[1] for one in found) / max(len(found), 1)
    odometry = "0.2 s late, 30 % lost" if late else "fresh"
    contacts = sum(one.collisions for one in found)
    return model, odometry, f"{whole} of {len(found)}", mean_sd([one.time for one in found], 0), f"{jammed:.0f}", str(contacts)


@experiment("narrow_ways", "wide robots through a gap of one and a half to two and a half of their widths", PAGE, chosen_on=SEEN,
            reported_on=range(1000, 1040))  # fmt: skip
def narrow_ways(lab: Lab) -> Finding:
    """Send 2 to 14 robots of every model through one gap; another number, size, speed, gap and goal for each seed."""
    seeds = lab.seeds(quick=2)
    with tempfile.TemporaryDirectory() as folder:
        files = [scenario(seed, Path(folder)) for seed in seeds]
        trials = {model: [Trial(str(file), (f"robots.0.model={model}",), seed, until_arrival=True) for file, seed in zip(files, seeds)]
                  for model in MODELS}  # fmt: skip
        runs = lab.measure([one for ns in trials.values() for one in ns], jams)
        flights = lab.fly(trials["differential"][:6])
    found = {model: runs[k * len(seeds) : (k + 1) * len(seeds)] for k, model in enumerate(MODELS)}
    late = [draw_case(seed).loss > 0.0 for seed in seeds]
    rows = [
        _row(model, so, [one for one, is_late in zip(ns, late) if is_late == so])
        for model, ns in found.items() for so in (False, True) if so in late
    ]  # fmt: skip
    claims = {"no robot touches anything": not any(one.collisions for one in runs)}
    claims |= {f"{model}: all get through and arrive": all(one.arrived == 1.0 for one in ns) for model, ns in found.items()}
    return Finding(
        "Narrow ways",
        "Not in the papers: their robots are points, or small beside the ways between the walls.",
        ("robots", "odometry", "runs whole", "arrival (s)", "jam time (s)", "collisions"),
        tuple(rows), claims,
        tuple(Paths(f"seed {seed}", flight) for seed, flight in zip(seeds, flights)),
        {f"{model}_whole": float(np.mean([one.arrived == 1.0 for one in ns])) for model, ns in found.items()},
        f"{len(seeds)} draws: two rooms joined by a gap of {WIDTHS[0]:g} to {WIDTHS[1]:g} widths of a robot, 2 to 14 robots of 16 to 50 cm "
        f"at up to 0.3 to 1.5 m/s, by `migrate_mixed`'s behaviours and the separation filter, without guidance, at most {LONGEST:g} s. Jam "
        "time is the mean of a run. Those that hold each other up before the gap give way by turns (`runtime/right_of_way.py`).",
    )  # fmt: skip
