"""A formation of robots with short radios passes a gap one behind the other: who hears whom changes on the way."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import TickRecord, simulate
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

from . import PAGE
from .radio import connectivity

RANGES = (0.8, 1.2, 0.0)
"""Radio ranges, m; 0: everybody is heard, and nobody says anything, as it was before there was consensus."""
DURATION = 90.0
"""Time (s) that a run has."""


@dataclass(frozen=True)
class GapRun:
    """A run: its ``seed``, the ``reach`` (m) of the radios and the share of messages ``lost``."""

    seed: Seed
    reach: float
    lost: float


@dataclass(frozen=True)
class GapOutcome:
    """What came of it: whether all arrived, when (s), how long robots' plans differed (s), the greatest and the least λ₂ on the way, how
    far apart (m) robots had the same point, the median over time, contacts.
    """

    arrived: bool
    time: float
    differed: float
    most: float
    least: float
    apart: float
    contacts: int


def run(draw: GapRun) -> GapOutcome:
    """Make the run, until all have arrived or its time is over."""
    radio = f"radio_range: {draw.reach}, agree: {draw.reach > 0.0}"
    network = f"noise_position: 0.002, noise_heading: 1, delay: 0.1, loss: {draw.lost}, {radio}"
    loaded = load("formation_gap", (f"simulator={{onboard: true, {network}}}", f"seed={draw.seed}", f"duration={DURATION}"))
    plans, graph, apart = [], [], []

    def look(frame: TickRecord, metrics: Any) -> None:
        ways = [one.parts[0].planner.way for one in frame.formation.controllers if one.parts]
        plans.append(len({None if way is None else way.schedule.place.tobytes() for way in ways}))
        graph.append(connectivity(frame.truth.position, draw.reach or np.inf))
        apart.append(frame.formation.spread())

    summary = simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=look).summary
    return GapOutcome(
        summary["arrived_fraction"] == 1.0, summary["arrival_time"] or np.nan, loaded.scenario.control.period * sum(n > 1 for n in plans),
        max(graph), min(graph), float(np.nanmedian(apart)), int(summary["collisions"]),
    )  # fmt: skip


@experiment("formation_radio_gap", "robots with short radios pass a gap by consensus", PAGE, chosen_on=range(1004),
            reported_on=range(1004, 1007))  # fmt: skip
def formation_radio_gap(lab: Lab) -> Finding:
    """For each seed: every range, with and without lost messages."""
    seeds = lab.seeds(quick=1)
    cases = [(reach, lost) for reach in (RANGES[:1] if lab.quick else RANGES) for lost in (0.0, 0.3)]
    found = iter(lab.map(run, [GapRun(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    short = [one for (reach, _), ones in runs.items() for one in ones if reach]
    everything = [one for ones in runs.values() for one in ones]
    return Finding(
        "Short radios through a gap",
        "Not in the paper, where everybody hears everybody.",
        ("range (m)", "lost", "λ₂", "arrived", "time (s)", "plans differed (s)", "structures apart (mm)", "contacts"),
        tuple((f"{reach:g}" if reach else "all, no consensus", f"{lost:.0%}", *_row(ones)) for (reach, lost), ones in runs.items()),
        {
            "robots that agree arrive": all(one.arrived for one in short),
            "robots that agree have the same plan but for 2 s in all": all(one.differed <= 2.0 for one in short),
            "nobody touches anybody": not any(one.contacts for one in everything),
        },
        (Bars("plans differed", "s", tuple(f"{reach:g} m" if reach else "all" for reach, lost in cases if not lost), {
            f"{lost:.0%} lost": np.array([np.mean([one.differed for one in ones]) for (_, of), ones in runs.items() if of == lost])
            for lost in (0.0, 0.3)}),),
        {f"arrived_{reach:g}_{lost:g}": float(np.mean([one.arrived for one in ones])) for (reach, lost), ones in runs.items()},
        f"{len(everything)} runs of `formation_gap`, at most {DURATION:g} s each; odometry with 2 mm and 1° of noise, 0.1 s late. Seven "
        "robots go from a scatter to a column and to a wedge. λ₂, of the Metropolis weights' Laplacian, from its greatest to its least. "
        "Apart: the most that two robots differ about where a point is, the median over time.",
    )  # fmt: skip


def _row(ones: list[GapOutcome]) -> tuple[str, ...]:
    times = [one.time for one in ones if one.arrived]
    return (
        f"{max(one.most for one in ones):.2f} … {min(one.least for one in ones):.3f}", f"{sum(one.arrived for one in ones)} of {len(ones)}",
        f"{np.mean(times):.0f}" if times else "–", f"{np.mean([one.differed for one in ones]):.1f}",
        f"{1e3 * np.mean([one.apart for one in ones]):.0f}", str(sum(one.contacts for one in ones)),
    )  # fmt: skip
