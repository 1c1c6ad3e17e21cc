"""Formations that merge and split on their way, and that follow a leader: how well they keep their shape meanwhile."""

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array

from . import MODELS, PAGE, SEEN
from .forming import plain

SHAPES = ("circle", "wedge", "line", "grid")
AT_REST, UNDER_WAY, LED = "at rest", "under way", "at rest, led by one"
"""When formations merge and split: both parts are formed and at their goals; while they form and go; a leader then leads what merged."""

WHEN = (AT_REST, UNDER_WAY, LED)

STANDING, GOING = 10.0, 2.5
"""What may be the error (mm) of a formation that stands, and the mean of one that goes; the tracker's noise is 2 mm."""

REST = 2.0
"""What the error was before a change: the mean over so long (s)."""


@dataclass(frozen=True)
class Regrouping:
    """A random one: its ``seed``, the robots' ``model``, whether odometry is ``late``, and ``when`` formations change."""

    seed: Seed
    model: str
    late: bool
    when: str


@dataclass(frozen=True)
class Regrouped:
    """What came of it: whether the last goals were reached, contacts, and the error: robots' mean distance from the structures fitted to
    them, m.

    ``time`` (T,) s and ``error`` (T,). Of formations that change at rest ``stood`` (3,): before the merger, before the split, in the end;
    ``leg`` the mean, and ``most``, of the whole on its way from one goal to another; ``took`` (2,) s until a goal after merger and split
    was reached. NaN: it was not, or not at rest.
    """

    arrived: bool
    contacts: int
    time: Array
    error: Array
    stood: Array
    leg: float
    most: float
    took: Array


def scenario(draw: Regrouping) -> dict[str, Any]:
    """Two groups come from one scatter, form at two places, become one on the way to a third, and are two again that go apart."""
    rng = np.random.default_rng([draw.seed, 53])
    first, second = (int(n) for n in rng.integers(2, 7, 2))
    count, radius, top = first + second, float(rng.uniform(0.05, 0.2)), float(rng.uniform(0.3, 1.0))
    spacing = radius * float(rng.uniform(4.0, 8.0))
    formation: dict[str, Any] = {"enabled": True, "shape": str(rng.choice(SHAPES)), "spacing": spacing, "split": [first, second]}
    if rng.random() < 0.5:
        formation["morph_time"] = float(rng.uniform(3.0, 8.0))
    apart, ahead = count * spacing / 2 + 1.0, float(rng.uniform(2.0, 4.0))
    body = {"radius": radius, "wheel_base": 1.6 * radius, "max_speed": top, "max_acceleration": float(rng.uniform(0.8, 3.0))}
    late = {"delay": 0.1, "loss": 0.2, "noise_position": 0.002, "noise_heading": 1} if draw.late else {}
    sides = [{"position": [x, side * apart], "part": part} for x in (0.0, 3.0 * ahead) for part, side in ((1, 1.0), (2, -1.0))]
    return {
        "duration": 120.0 + 30.0 * (2.0 * apart + 3.0 * ahead) / top, "seed": int(draw.seed), "simulator": late,
        "robots": [{
            "count": count, "model": draw.model, **body, "max_turn_rate": float(rng.uniform(2.0, 6.0)),
            "start": {"pattern": "scatter", "spacing": radius * 4.0, "heading_spread": 360.0},
        }],
        "control": {"period": 0.05, "formation": formation, "separation_filter": {"enabled": True, "margin": min(0.02, 0.2 * radius)}},
        "goals": [
            *sides[:2], *({"position": [x, 0.0], "heading": float(rng.uniform(-60.0, 60.0))} for x in (ahead, 2.0 * ahead)), *sides[2:],
        ],
    }  # fmt: skip


class RegroupingWatch:
    """Asks for the merger and the split at its moments, and keeps the formation's error."""

    def __init__(self, draw: Regrouping, made: dict[str, Any]) -> None:
        rng = np.random.default_rng([draw.seed, 59])
        split, leader = made["control"]["formation"]["split"], "robot_0" if draw.when == LED else ""
        self._changes = [{"formation.split": [], "formation.leader": leader}, {"formation.split": split, "formation.leader": ""}]
        self._under_way, self._wait = draw.when == UNDER_WAY, rng.uniform(1.0, 6.0, 2)
        self._done = 0
        self.asked: list[float] = []
        self.seen: list[tuple[float, float, int]] = []

    def __call__(self, run: Simulation) -> bool:
        """After each step; whether the run is over."""
        found, goal = run.controller.formation(0).error(run.state), run.last.orders.of[0].goal_index if run.last else 0
        self.seen.append((run.time, np.nan if found is None else found, goal))
        if self._changes and run.time >= self._due(goal):
            run.set(self._changes.pop(0))
            self.asked.append(run.time)
        self._done += run.done
        return self._done * run.scenario.control.period > REST

    def _due(self, goal: int) -> float:
        """When the next change is due: so long after the last one, or after goals in the present form have all been reached."""
        last = len(self.asked)
        if self._under_way:
            return sum(self.asked[-1:]) + float(self._wait[last])
        reached = [time for time, _, then in self.seen if then >= 2 * (last + 1)]
        return reached[0] + REST if reached else np.inf

    def changed(self, simulation: Simulation) -> Regrouped:
        """What came of it."""
        time, error, goal = np.array(self.seen).T
        summary, leg = simulation.metrics(), error[goal == 3]
        stood, took = np.full(3, np.nan), np.full(2, np.nan)
        if simulation.done and not self._under_way:
            stood = np.array([error[(time >= end - REST) & (time <= end)].mean() for end in (*self.asked, time[-1])])
            took = np.array([time[goal >= after][0] - asked for after, asked in zip((3, 5), self.asked)])
        mean, most = (float(leg.mean()), float(leg.max())) if len(leg) else (np.nan, np.nan)
        return Regrouped(simulation.done, int(summary["collisions"]), time, error, stood, mean, most, took)


def run(draw: Regrouping) -> Regrouped:
    """Make the run, until the last goals are reached or its time is over."""
    made = plain(scenario(draw))
    watch = RegroupingWatch(draw, made)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder) / "change.yaml"
        file.write_text(yaml.safe_dump(made), encoding="utf-8")
        simulation = Simulation(file).run(until=watch)
    return watch.changed(simulation)


@experiment("formation_changes", "formations that merge, split and follow a leader", PAGE, chosen_on=SEEN, reported_on=range(1000, 1010))
def formation_changes(lab: Lab) -> Finding:
    """For each seed: every robot model, with fresh odometry and with late one; changes at rest, under way, and with a leader."""
    seeds = lab.seeds(quick=1)
    cases = [(model, late, when) for model in MODELS for late in (False, True) for when in WHEN]
    found = iter(lab.map(run, [Regrouping(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    everything = [one for ns in runs.values() for one in ns]
    return Finding(
        "Formations that merge, split and follow a leader",
        "Structures may be added to, merged and split under way; to follow a leader is a special case. The paper shows a docking.",
        ("robots", "odometry", "changes", "arrived", "contacts", "parts (mm)", "merged (mm)", "parts again (mm)", "merged, under way (mm)",
         "most (mm)", "to merge (s)", "to split (s)"),
        tuple(_row(case, ns) for case, ns in runs.items()),
        {
            "nobody touches anybody": not any(one.contacts for one in everything),
            "all reach their last goals": all(one.arrived for one in everything),
            f"at rest parts, what merged and parts again stand within {STANDING:g} mm": all(
                bool((1e3 * one.stood <= STANDING).all()) for case, ns in runs.items() if case[2] != UNDER_WAY for one in ns),
            f"what merged goes within {GOING:g} mm in the mean, with a leader, too (omni and differential robots)": all(
                1e3 * one.leg <= GOING for case, ns in runs.items() if case[0] != "car" and case[2] != UNDER_WAY for one in ns),
        },
        (Curves(f"changes at rest, seed {seeds[0]}", "time (s)", "formation error (mm)", {
            model: (one.time, 1e3 * one.error, None) for model in MODELS for one in runs[model, False, AT_REST][:1]}),),
        {f"{model}_leg": float(np.nanmean([one.leg for one in runs[model, True, LED]])) for model in MODELS},
        f"{len(everything)} runs on open floor: two groups of 2 to 6 robots in a line, wedge, circle or grid form from one scatter, become "
        "one formation that goes from one goal to another, and go apart again; half of them with morph_time. Changes under way are asked "
        f"for 1 to 6 s after the last. Late: 0.1 s late, 20 % lost, 2 mm and 1° of noise. Errors are means over runs, over {REST:g} s "
        "before a change or on the way between the whole's goals; \"most\" is the greatest of all runs. Cars cannot follow a formation "
        "that turns on its place: each goes by itself.",
    )  # fmt: skip


def _row(case: tuple[str, bool, str], ns: list[Regrouped]) -> tuple[str, ...]:
    model, late, when = case
    stood, took = np.mean([one.stood for one in ns], axis=0), np.mean([one.took for one in ns], axis=0)
    numbers = [*(1e3 * stood), 1e3 * float(np.mean([one.leg for one in ns])), 1e3 * max(one.most for one in ns), *took]
    return (
        model, "late" if late else "fresh", when, f"{sum(one.arrived for one in ns)} of {len(ns)}", str(sum(one.contacts for one in ns)),
        *("–" if np.isnan(number) or when == UNDER_WAY else f"{number:.1f}" for number in numbers),
    )  # fmt: skip
