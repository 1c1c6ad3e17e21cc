"""Robots of a formation fail, for a time or for good, wherever they are: the rest wait for them, or drop them and pass."""

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

from . import MODELS, PAGE
from .kinds import KINDS
from .worlds import Passage, scenario

OPEN = "open floor"
PLACES = (OPEN, *KINDS)
WAITED, DROPPED, STUCK = "for a time, waited for", "for good, dropped", "for good, waited for"
POLICIES = {WAITED: 0.0, DROPPED: 3.0, STUCK: 0.0}
"""How robots fail, and what the rest do: ``health.drop_after`` (s). The last one is the control: nobody goes on."""

FORMING, LONGEST, UNDER_WAY = 6.0, 15.0, {OPEN: 18.0}
"""A third of the robots that fail do so within the first so many seconds, for a time at most so long; the others before the last: 35 s
among walls.
"""

SEEN_HERE = range(1014)
"""From 1000 on these seeds were reported once, and showed that robots held a rigid structure up for ever, and what a refusal forgot."""

GIVEN_UP = 20.0
"""A formation that has been without a way for so long (s) has been refused."""


@dataclass(frozen=True)
class Fault:
    """A random fault: ``seed``, the ``place``, the robots' ``model`` and one of ``POLICIES``."""

    seed: Seed
    place: str
    model: str
    policy: str


@dataclass(frozen=True)
class Borne:
    """What came of it: how many robots failed, whether the rest ``arrived`` and when (s), contacts, and why they did not go on."""

    failed: int
    arrived: bool
    time: float | None
    contacts: int
    refused: str


def faulty(draw: Fault, folder: Path) -> dict[str, Any]:
    """A formation of three to twenty robots, up to a fifth of which fail, in a random world or on open floor."""
    rng = np.random.default_rng([draw.seed, PLACES.index(draw.place), 47])
    made = scenario(Passage(draw.seed, next(iter(KINDS)) if draw.place == OPEN else draw.place, draw.model), folder)
    if draw.place == OPEN:
        del made["world"]
    count = made["robots"][0]["count"]
    failures = []
    for robot in rng.choice(count, int(rng.integers(1, 1 + max(1, count // 5))), replace=False):
        start = float(rng.uniform(0.0, FORMING) if rng.random() < 1.0 / 3.0 else rng.uniform(FORMING, UNDER_WAY.get(draw.place, 35.0)))
        lasting = float(rng.uniform(3.0, LONGEST))
        failures.append({"robot": f"robot_{robot}", "start": start} | ({"end": start + lasting} if draw.policy == WAITED else {}))
    made["simulator"] = {"failures": failures}
    made["control"]["formation"]["health"] = {"drop_after": POLICIES[draw.policy]}
    return made | {"duration": 600}


def run(draw: Fault) -> Borne:
    """Make the run, until all that are left are there, or have no way."""
    with tempfile.TemporaryDirectory() as folder:
        file, since = Path(folder) / "fault.yaml", [0.0]
        made = faulty(draw, Path(folder))
        file.write_text(yaml.safe_dump(made), encoding="utf-8")

        def over(run: Simulation) -> bool:
            since[0] = since[0] if run.controller.formation(0).controllers[0].problem else run.time
            return run.done or run.time - since[0] > GIVEN_UP

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            simulation = Simulation(file).run(until=over)
    summary, problem = simulation.metrics(), simulation.controller.formation(0).controllers[0].problem
    count = len(made["simulator"]["failures"])
    return Borne(count, summary["arrived_fraction"] == 1.0, summary["arrival_time"], int(summary["collisions"]), problem)


@experiment("formation_faults", "robots of a formation that fail", PAGE, chosen_on=SEEN_HERE, reported_on=range(1014, 1017))
def formation_faults(lab: Lab) -> Finding:
    """For each seed: faults at every place, for every robot model, for a time, for good, and for good without the policy to drop."""
    seeds = lab.seeds(quick=1)
    cases = [(policy, place, model) for policy in POLICIES for place in PLACES for model in MODELS]
    cases = [case for case in cases if case[0] != STUCK or case[1:] == (OPEN, "differential")]
    found = iter(lab.map(run, [Fault(seed, place, model, policy) for policy, place, model in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    rows, share = [], {policy: np.full(len(PLACES), np.nan) for policy in (WAITED, DROPPED)}
    for policy in POLICIES:
        for k, place in enumerate(PLACES):
            ns = [one for case, all in runs.items() if case[:2] == (policy, place) for one in all]
            if not ns:
                continue
            if policy in share:
                share[policy][k] = 100.0 * np.mean([one.arrived for one in ns])
            times = [one.time for one in ns if one.arrived and one.time is not None]
            rows.append((
                policy, place, str(sum(one.failed for one in ns)), f"{sum(one.arrived for one in ns)} of {len(ns)}",
                str(sum(bool(one.refused) for one in ns)), str(sum(one.contacts for one in ns)), f"{np.mean(times):.0f}" if times else "–",
            ))  # fmt: skip
    return Finding(
        "Robots that fail",
        "The paper's robots wait for one that fails for a time, on open floor. Here they fail anywhere, also while they form and in gaps.",
        ("robots fail", "where", "failures", "the rest arrive", "refused", "contacts", "mean time (s)"), tuple(rows), _claims(runs),
        (Bars("formations that arrive", "% of the runs", PLACES, share),), {}, _why(runs),
    )  # fmt: skip


Runs = dict[tuple[str, str, str], list[Borne]]


def _of(runs: Runs, policy: str) -> list[Borne]:
    return [one for case, all in runs.items() if case[0] == policy for one in all]


def _claims(runs: Runs) -> dict[str, bool]:
    waited, dropped, stuck = (_of(runs, policy) for policy in POLICIES)
    led = [one for one in dropped if not one.refused]
    return {
        "nobody touches anybody, nor a robot that has failed": not any(one.contacts for all in runs.values() for one in all),
        "whoever fails for a time is waited for, and at least 98 % arrive": sum(one.arrived for one in waited) >= 0.98 * len(waited),
        "without those that fail for good at least 98 % arrive of those that are not refused":
            sum(one.arrived for one in led) >= 0.98 * len(led),
        "at most one in ten is refused": 10 * (len(dropped) - len(led)) <= len(dropped),
        "who is waited for and never works again holds the rest up": not any(one.arrived for one in stuck),
    }  # fmt: skip


def _why(runs: Runs) -> str:
    reasons = sorted({one.refused for one in _of(runs, DROPPED) if one.refused})
    return "One robot in five fails at most, three seconds later it is dropped." + "".join(f" Refused: {why}." for why in reasons[:4])
