"""Random formings: scattered robots take their places in a shape, and nobody touches anybody."""

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
from swarm_control.core.geometry import Array, norm
from swarm_control.formation.shapes import SHAPES

from . import MODELS, PAGE, SEEN
from .worlds import refusal

NAMES = (*SHAPES, "rings", "random")
"""The shapes that are formed; the last two are lists of points."""

BOUNDS = ((2, 10), (11, 30), (31, 100), (101, 300))
"""Numbers of robots, in classes; the draws take them in turn."""


@dataclass(frozen=True)
class Forming:
    """A random forming: its ``seed``, the robots' ``model`` and whether odometry is ``late``; bounds of the ``robots``' number."""

    seed: Seed
    model: str
    late: bool
    robots: tuple[int, int]


@dataclass(frozen=True)
class Formed:
    """What came of it: how many robots, whether they formed and when (s), and how often they touched.

    ``bound`` (s): no way to form is quicker, whoever takes which place. ``refused``: why it does not form, or nothing.
    """

    robots: int
    arrived: bool
    time: float | None
    contacts: int
    bound: float
    refused: str = ""


def scenario(draw: Forming) -> dict[str, Any]:
    """Robots of one size and speed, scattered, that form a shape with 2.5 to 6 radii between neighbours."""
    rng = np.random.default_rng([draw.seed, 41])
    low, high = draw.robots
    count = int(np.exp(rng.uniform(np.log(low), np.log(high + 1))))
    radius, top = float(rng.uniform(0.05, 0.2)), float(rng.uniform(0.3, 1.0))
    spacing, name = radius * float(rng.uniform(2.5, 6.0)), NAMES[rng.integers(len(NAMES))]
    corner = np.sqrt(2.0) if name == "diamond" else 1.0  # its spacing is along the outline, neighbours at corners are nearer to each other
    formation: dict[str, Any] = {"enabled": True, "shape": name, "spacing": corner * spacing}
    if name in ("rings", "random"):
        formation |= {"shape": "points", "points": _points(name, count, spacing, rng).ravel().tolist()}
    body = {"radius": radius, "wheel_base": 1.6 * radius, "max_speed": top, "max_acceleration": float(rng.uniform(0.8, 3.0))}
    start = {"pattern": "scatter", "spacing": radius * float(rng.uniform(2.1, 6.0)), "heading_spread": 360.0}
    late = {"delay": 0.1, "loss": 0.2} if draw.late else {}
    return {
        "duration": 120.0 + 60.0 * np.sqrt(count) * spacing / top, "seed": int(draw.seed), "simulator": late,
        "robots": [{"count": count, "model": draw.model, **body, "max_turn_rate": float(rng.uniform(2.0, 6.0)), "start": start}],
        "control": {
            "period": 0.05, "formation": formation, "separation_filter": {"enabled": True, "margin": min(0.02, 0.2 * radius)},
        },
        "goals": [{"position": [0.0, 0.0]}],
    }  # fmt: skip


def _points(name: str, count: int, spacing: float, rng: np.random.Generator) -> np.ndarray:
    """Two rings, one in the other, or points where chance puts them, ``spacing`` (m) apart or more."""
    if name == "rings":
        inner = count // 3
        parts = [SHAPES["circle"](n, spacing) for n in (inner, count - inner) if n]
        radii = [float(np.linalg.norm(part, axis=1).max()) for part in parts]
        return np.concatenate((parts[0], parts[1] * max((radii[0] + spacing) / radii[1], 1.0))) if len(parts) == 2 else parts[0]
    found, side = np.zeros((1, 2)), spacing * np.sqrt(2.5 * count)
    while len(found) < count:
        point = rng.uniform(-side / 2, side / 2, 2)
        if np.linalg.norm(found - point, axis=1).min() >= spacing:
            found = np.vstack((found, point))
    return found


def least_time(start: Array, end: Array, top: float) -> float:
    """What the robot that goes farthest needs at ``top`` (m/s), from ``start`` to ``end`` (N, 2) m, with the places dealt so that this is
    least: the bottleneck assignment.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    far = norm(start[:, None] - end)
    ways = np.unique(far)
    low, high = 0, len(ways) - 1
    while low < high:
        middle = (low + high) // 2
        whole = (maximum_bipartite_matching(csr_array(far <= ways[middle]), perm_type="column") >= 0).all()
        low, high = (low, middle) if whole else (middle + 1, high)
    return float(ways[low]) / top


def run(draw: Forming) -> Formed:
    """Make the run, until all have taken their places or its time is over."""
    return formed(scenario(draw))


def formed(data: dict[str, Any]) -> Formed:
    """Run a scenario of robots that form."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "forming.yaml"
        file.write_text(yaml.safe_dump(plain(data)), encoding="utf-8")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            simulation = Simulation(file).run(until="arrival")
    summary, place = simulation.metrics(), simulation.trajectory.pose[..., :2]
    bound = least_time(place[0], place[-1], data["robots"][0]["max_speed"])
    arrived = summary["arrived_fraction"] == 1.0
    return Formed(
        data["robots"][0]["count"], arrived, summary["arrival_time"], int(summary["collisions"]), bound, "" if arrived else refusal(told)
    )


def plain(data: Any) -> Any:
    """The same without numpy's numbers, which YAML does not know."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [plain(value) for value in data]
    return data.item() if isinstance(data, np.generic) else data


@experiment("random_formings", "scattered robots form random shapes", PAGE, chosen_on=SEEN, reported_on=range(1126, 1136))
def random_formings(lab: Lab) -> Finding:
    """For each seed: every class of numbers, model, with fresh odometry and with late one."""
    seeds = lab.seeds(quick=1)
    classes = BOUNDS[:2] if lab.quick else BOUNDS
    cases = [(model, late, bounds) for model in MODELS for late in (False, True) for bounds in classes]
    found = iter(lab.map(run, [Forming(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    middle = {case: median([one.time for one in ns if one.time is not None]) for case, ns in runs.items()}
    rows = tuple(
        (model, "late" if late else "fresh", f"{bounds[0]} to {bounds[1]}", f"{sum(one.arrived for one in ns)} of {len(ns)}",
         str(sum(bool(one.refused) for one in ns)), str(sum(one.contacts for one in ns)), f"{middle[model, late, bounds]:.1f}",
         f"{median([one.time / one.bound for one in ns if one.time is not None]):.1f}")
        for (model, late, bounds), ns in runs.items()
    )  # fmt: skip
    everything = [one for ns in runs.values() for one in ns]
    claims = {"nobody touches anybody": not any(one.contacts for one in everything)}
    of_model = {model: [one for case, ns in runs.items() if case[0] == model for one in ns] for model in MODELS}
    claims |= {f"{model}: all that are not refused take their places": all(one.arrived or one.refused for one in ns)
               for model, ns in of_model.items()}  # fmt: skip
    claims["at most one in fifty is refused"] = 50 * sum(bool(one.refused) for one in everything) <= len(everything)
    times = {
        f"{model}, {'late' if late else 'fresh'}": np.array([middle[model, late, bounds] for bounds in classes])
        for model in MODELS for late in (False, True)
    }  # fmt: skip
    return Finding(
        "Random formings",
        "Not in the paper, whose robots start in formation: they are scattered, and their shapes are as narrow as 2.5 radii.",
        ("robots", "odometry", "number", "formed", "refused", "contacts", "median time (s)", "over the bound"), rows, claims,
        (Bars("median time until formed", "s", tuple(f"{low} to {high}" for low, high in classes), times),),
        {f"{model}_formed": float(np.mean([one.arrived for one in ns])) for model, ns in of_model.items()},
        f"{len(everything)} runs: radius 5 to 20 cm, 0.3 to 1 m/s, eight shapes. Late: 0.1 s late, 20 % lost. The bound is "
        "the time that the farthest robot needs at top speed on straight ways, with the places dealt so that this is least."
        + "".join(f" Refused: {why}." for why in sorted({one.refused for one in everything if one.refused})[:5]),
    )  # fmt: skip


def median(times: list[float]) -> float:
    """The median; NaN of nothing."""
    return float(np.median(times)) if times else float("nan")
