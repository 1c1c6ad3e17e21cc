"""Crowds of any robots at doors, corridors, bends, cups and dead ends, some with another crowd that comes the other way."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import BoolArray

from . import PAGE, SEEN
from .cases import MODELS, Found
from .generated import FRAME, PIXEL, SIZE, write_scenario
from .numbers import jams

LONGEST, FAR = 240.0, 3.4
"""How long (s) a run may last, and how far (m) start and goal are from the middle."""

WIDTHS = 1.3, 3.5
"""Ways are as wide as so many robots."""

WALLS = {
    "door": lambda x, y, h: (abs(x) < 0.06) & (abs(y) > h),
    "two doors": lambda x, y, h: (abs(x) < 0.06) & (abs(y) > h) & (abs(y - 3.0) > h),
    "two rooms": lambda x, y, h: ((abs(x + 1.2) < 0.06) & (abs(y - 1.0) > h)) | ((abs(x - 1.2) < 0.06) & (abs(y + 1.0) > h)),
    "corridor": lambda x, y, h: (abs(x) < 1.5) & (abs(y) > h),
    "bend": lambda x, y, h: (abs(x) < 1.6) & ~(
        ((abs(y + 1.0) < h) & (x < h)) | ((abs(y - 1.0) < h) & (x > -h)) | ((abs(x) < h) & (abs(y) < 1.0 + h))),
    "cup": lambda x, y, h: ((abs(x - 1.5) < 0.06) & (abs(y) < 4.9 - 2.0 * h)) | (
        (abs(abs(y) - 4.9 + 2.0 * h) < 0.06) & (abs(x - 0.25) < 1.3)),
    "dead end": lambda x, y, h: (abs(x) < 1.5) & ~(((abs(y) < h) & (x < 1.2)) | (abs(y - 2.0) < h)),
}  # fmt: skip
"""Where walls are (H, W) at ``x`` and ``y`` (m), by the kind of world, between which a way is twice ``h`` (m) wide."""


class CrowdCase(NamedTuple):
    """A ``kind`` of world with ways so ``wide`` (m), and who goes through: ``opposed``, half of the robots come the other way."""

    kind: str
    wide: float
    model: str
    robots: int
    radius: float
    speed: float
    acceleration: float
    opposed: bool
    sees: float
    apart: float
    delay: float
    loss: float
    noise: float


def draw_case(seed: Seed) -> CrowdCase:
    """The case of this ``seed``."""
    rng = np.random.default_rng([seed, 41])
    kind, model = list(WALLS)[rng.integers(len(WALLS))], MODELS[rng.integers(len(MODELS))]
    radius = float(rng.uniform(0.08, 0.3))
    wide = 2.0 * PIXEL * float(np.ceil(radius * rng.uniform(*WIDTHS) / PIXEL))
    most = min(24, int(9.0 / (2.0 * radius + 0.1) ** 2))
    robots, opposed, late = int(rng.integers(2, most + 1)), rng.uniform() < 0.3, rng.uniform() < 0.5
    speed, acceleration, sees, apart = rng.uniform(0.3, 1.0), rng.uniform(0.6, 3.0), rng.uniform(2.0, 3.0), rng.uniform(0.2, 0.6)
    delay, loss, noise = late * rng.uniform(0.05, 0.3), late * rng.uniform(0.0, 0.4), late * rng.uniform(0.0, 0.02)
    return CrowdCase(kind, wide, model, robots, radius, speed, acceleration, bool(opposed), sees, apart, delay, loss, noise)


def walls(case: CrowdCase) -> BoolArray:
    """Walls (H, W) of the world, row 0 on top."""
    middles = (np.arange(round(SIZE / PIXEL)) + 0.5) * PIXEL - SIZE / 2
    x, y = np.meshgrid(middles, middles[::-1])
    return np.asarray((np.maximum(abs(x), abs(y)) > SIZE / 2 - FRAME) | WALLS[case.kind](x, y, 0.5 * case.wide))


def scenario(seed: Seed, folder: Path) -> Path:
    """The scenario file of the crowd of this ``seed``."""
    case = draw_case(seed)

    def group(count: int, side: float, **more: Any) -> dict[str, Any]:
        start = {"pattern": "scatter", "center": [side * FAR, 0.0], "spacing": 2.0 * case.radius + 0.05, "heading_spread": 360}
        return {
            "count": count, "model": case.model, "radius": case.radius, "wheel_base": 1.6 * case.radius, "max_speed": case.speed,
            "max_acceleration": case.acceleration, "start": start, **more,
        }  # fmt: skip

    def goals(side: float) -> list[dict[str, Any]]:
        return [{"position": [side * FAR, 0.0], "fraction": 1.0}]

    control = {
        "perception": {"radius": case.sees, "count": 6}, "cohesion": {"weight": 0.25}, "arrival": {"weight": 0.1},
        "separation": {"weight": 0.2, "distance": case.apart, "area_share": 0.5}, "steer_to_avoid": {"weight": 0.85, "look_ahead": 0.8},
        "guidance": {"weight": 0.4}, "leaders": {"count": 3, "per": 10}, "separation_filter": {"enabled": True},
        "accumulation": {
            "method": "prioritised", "gain": 5.0, "priority": ["steer_to_avoid", "separation", "guidance", "alignment", "cohesion"],
        },
    }  # fmt: skip
    half = max(case.robots // 2, 1)
    who: dict[str, Any] = {"robots": [group(case.robots, -1.0)], "goals": goals(1.0)}
    if case.opposed:
        who = {
            "robots": [group(half, -1.0, group="red"), group(half, 1.0, group="blue")],
            "groups": {"red": {"goals": goals(1.0)}, "blue": {"goals": goals(-1.0)}},
        }  # fmt: skip
    simulator = {"delay": case.delay, "loss": case.loss, "noise_position": case.noise}
    return write_scenario(walls(case), folder, f"crowd_{seed}", duration=LONGEST, control=control, simulator=simulator, **who)


def _row(what: str, found: Sequence[Found]) -> tuple[str, ...]:
    whole, jammed = sum(one.arrived == 1.0 for one in found), np.mean([one.measured[1] for one in found])
    contacts = sum(one.collisions for one in found)
    share = 100.0 * np.mean([one.arrived for one in found])
    return what, f"{whole} of {len(found)}", f"{share:.0f} %", mean_sd([one.time for one in found], 0), f"{jammed:.0f}", str(contacts)


@experiment("crowds", "crowds of any robots through doors, corridors and bends, also towards each other", PAGE, chosen_on=SEEN,
            reported_on=range(1000, 1060))  # fmt: skip
def crowds(lab: Lab) -> Finding:
    """Send a crowd through each world; world, model, number, size, speed and odometry are another for each seed."""
    seeds = lab.seeds(quick=2)
    cases = [draw_case(seed) for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        trials = [Trial(str(scenario(seed, Path(folder))), (), seed, until_arrival=True) for seed in seeds]
        runs = lab.measure(trials, jams)
        flights = lab.fly(trials[:6])
    by = {
        **{kind: [case.kind == kind for case in cases] for kind in WALLS},
        **{model: [case.model == model for case in cases] for model in MODELS},
        "odometry fresh": [case.delay == 0.0 for case in cases], "late, lost, noisy": [case.delay > 0.0 for case in cases],
        "one way": [not case.opposed for case in cases], "both ways": [case.opposed for case in cases],
    }  # fmt: skip
    parts = {what: [one for one, chosen in zip(runs, those) if chosen] for what, those in by.items()}
    claims = {"no robot touches anything": not any(one.collisions for one in runs)}
    claims |= {f"{model}: all arrive in every run": all(one.arrived == 1.0 for one in parts[model]) for model in MODELS if parts[model]}
    missing = [seed for seed, one in zip(seeds, runs) if one.arrived < 1.0]
    named = f" Not whole: seeds {', '.join(map(str, missing))}." if missing else ""
    return Finding(
        "Crowds before doors", "Not in the papers.",
        ("robots", "runs whole", "robots there", "arrival (s)", "jam time (s)", "collisions"),
        tuple(_row(what, found) for what, found in {"all": runs, **parts}.items() if found), claims,
        tuple(Paths(f"seed {seed}: {case.kind}", flight) for seed, case, flight in zip(seeds, cases, flights)),
        {"whole": float(np.mean([one.arrived == 1.0 for one in runs]))},
        f"{len(seeds)} draws: 2 to 24 robots of 16 to 60 cm at up to 0.3 to 1 m/s through ways of {WIDTHS[0]:g} to {WIDTHS[1]:g} of their "
        f"widths, by guidance, Reynolds' rules and the separation filter, at most {LONGEST:g} s; half with odometry up to 0.3 s late, "
        f"40 % lost and 2 cm of noise; in three of ten as many come the other way. Jam time is the mean of a run.{named}",
    )  # fmt: skip
