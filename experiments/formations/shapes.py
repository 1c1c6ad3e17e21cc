"""Every shape and every robot model in the shipped scenarios with walls."""

import warnings
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.formation.shapes import SHAPES

from . import MODELS, PAGE, SEEN
from .forming import median
from .worlds import Passed, refusal

SCENARIOS = ("formation_obstacles", "formation_gap", "formation_maze")
LATE = {"simulator.delay": 0.3, "simulator.loss": 0.3, "simulator.noise_position": 0.01, "simulator.noise_heading": 1.0}
LONGEST = 240.0
"""Time (s) that each run has."""


@dataclass(frozen=True)
class Shaped:
    """A run: its ``seed``, the ``scenario``, the robots' ``model``, the formation's ``shape``, and whether odometry is ``late``."""

    seed: Seed
    scenario: str
    model: str
    shape: str
    late: bool


def run(draw: Shaped) -> Passed:
    """Make the run from a scatter, until all are there, are refused, or its time is over."""
    changes = {
        "robots.0.model": draw.model, "robots.0.wheel_base": 0.16, "formation.shape": draw.shape, "duration": LONGEST,
        "robots.0.start.pattern": "scatter", "robots.0.start.spacing": 0.3, "robots.0.start.heading_spread": 360.0,
    } | (LATE if draw.late else {})  # fmt: skip
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulation = Simulation(draw.scenario, seed=int(draw.seed), set=changes).run(until=lambda run: run.done or bool(refusal(told)))
    summary = simulation.metrics()
    return Passed(summary["arrived_fraction"] == 1.0, summary["arrival_time"], int(summary["collisions"]), refusal(told))


@experiment("formation_shapes", "every shape and robot model in the scenarios with walls", PAGE, chosen_on=SEEN,
            reported_on=range(1000, 1003))  # fmt: skip
def formation_shapes(lab: Lab) -> Finding:
    """For each seed: each scenario with every shape, robot model, with fresh odometry and with late one."""
    seeds = lab.seeds(quick=1)
    scenarios = SCENARIOS[:1] if lab.quick else SCENARIOS
    cases = [(name, model, shape, late) for name in scenarios for model in MODELS for shape in SHAPES for late in (False, True)]
    found = iter(lab.map(run, [Shaped(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    groups = {
        (name, model, late): [one for shape in SHAPES for one in runs[name, model, shape, late]]
        for name in scenarios for model in MODELS for late in (False, True)
    }  # fmt: skip
    times = {case: [one.time for one in ns if one.time is not None] for case, ns in groups.items()}
    everything = [one for ns in groups.values() for one in ns]
    led = [one for one in everything if not one.refused]
    reasons = sorted({one.refused for one in everything if one.refused})
    return Finding(
        "Every shape and robot in the scenarios with walls",
        "Not in the paper, whose robots keep one triangle on open floor.",
        ("scenario", "robots", "odometry", "arrived", "refused", "contacts", "median time (s)", "longest (s)"),
        tuple(
            (name, model, "late" if late else "fresh", f"{sum(one.arrived for one in ns)} of {len(ns)}",
             str(sum(bool(one.refused) for one in ns)), str(sum(one.contacts for one in ns)), f"{median(times[name, model, late]):.0f}",
             f"{max(times[name, model, late], default=np.nan):.0f}")
            for (name, model, late), ns in groups.items()
        ),
        {
            "nobody touches anything": not any(one.contacts for one in everything),
            "all arrive that are not refused": all(one.arrived for one in led),
            "at most one in fifty is refused": 50 * (len(everything) - len(led)) <= len(everything),
        },
        (Bars("median time to the goal", "s", scenarios, {
            model + ", late" * late: np.array([median(times[name, model, late]) for name in scenarios])
            for model in MODELS for late in (False, True)}),),
        {f"{name}_{model}{'_late' * late}": float(np.mean([one.arrived for one in ns])) for (name, model, late), ns in groups.items()},
        f"{len(everything)} runs, from a scatter, at most {LONGEST:g} s each: {', '.join(SHAPES)}. Late: 0.3 s late, 30 % lost, 1 cm and "
        "1° of noise." + "".join(f" Refused: {why}." for why in reasons[:5]),
    )  # fmt: skip
