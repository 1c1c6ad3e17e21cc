"""Two swarms in one graph, each below a namespace: what each does beside the other, and what a stop of one does to the other."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.recording import Trajectory
from swarm_control.core.geometry import norm

from . import PAGE
from .command_runs import CommandRun, wait_for

DOMAIN = 89
SCENARIOS = ("migrate_boxes", "migrate_mixed", "formation_gap")
"""Three to ten robots arrive in each, and are on the way for longer than the first swarm is held."""
SPACES = ("red", "hall/blue")

STARTING, LONGEST = 120.0, 240.0
"""Longest time (s) until both swarms drive, and until they have arrived."""

HOLD = 3.0
"""How long (s) the first swarm is held."""

STILL = 1e-3
"""A robot that is slower (m/s) stands."""

SLACK = 1.25
"""So many times as long as alone, by ``simulate``, a swarm may take beside another; times in which all stand left out."""

GLOBAL = {"rosout", "parameter_events", "diagnostics"}
"""Topics that ROS has outside of every namespace."""


@dataclass(frozen=True)
class SwarmTrip:
    """A swarm's trip to its goals. Times in s: ``took`` is how long it drove until it had arrived, infinite: it has not, and ``stood``
    how long all its robots stood before, though they had been under way; formations do so by themselves, too. ``contacts``.
    """

    took: float
    stood: float
    contacts: int


@dataclass(frozen=True)
class Beside:
    """A swarm of a pair: its trip ``alone``, by ``simulate``, and ``beside`` the other."""

    name: str
    alone: SwarmTrip
    beside: SwarmTrip

    @property
    def held(self) -> float:
        """How much longer (s) it stood beside the other."""
        return self.beside.stood - self.alone.stood


@dataclass(frozen=True)
class Pair:
    """Two swarms, of which the first was held: ``confirmed``: the stop and the release; ``outside``: topics in no namespace of theirs."""

    first: Beside
    second: Beside
    confirmed: bool
    outside: tuple[str, ...]


@experiment("ros_namespaces", "two swarms in one graph, of which one is stopped", PAGE, reported_on=range(400, 406))
def ros_namespaces(lab: Lab) -> Finding:
    """Two swarms at random start together by ``swarm run --namespace``; while both drive, the first is stopped and let go."""
    seeds = lab.seeds(quick=1)
    found: dict[Seed, Pair] = {}
    for done, seed in enumerate(seeds, start=1):
        with tempfile.TemporaryDirectory() as folder:
            found[seed] = _pair(Path(folder), seed)
        lab.progress(done, len(seeds))
    pairs = list(found.values())
    every = [one for pair in pairs for one in (pair.first, pair.second)]
    return Finding(
        "Two swarms in one graph",
        "Not in the papers.",
        ("seed", "swarm", "drives, alone (s)", "drives, beside (s)", "stands, alone (s)", "stands, beside (s)", "contacts"),
        tuple((str(seed), *_row(one)) for seed, pair in found.items() for one in (pair.first, pair.second)),
        {
            f"each drives at most {SLACK:g} times as long as alone": all(
                one.beside.took <= SLACK * one.alone.took < np.inf for one in every
            ),
            "nobody touches anybody": not any(one.beside.contacts for one in every),
            "every stop and release is confirmed": all(pair.confirmed for pair in pairs),
            "a stop holds the swarm that it is for": all(pair.first.held >= HOLD - 0.5 for pair in pairs),
            "the other one drives on": not any(pair.second.held > 0.5 for pair in pairs),
            "no topic is outside of the two namespaces": not any(pair.outside for pair in pairs),
        },
        (Bars("time under way", "s", tuple(f"{seed}: {one.name}" for seed, pair in found.items() for one in (pair.first, pair.second)), {
            "alone, simulated": np.array([one.alone.took if one.alone.took < np.inf else np.nan for one in every]),
            "beside the other": np.array([one.beside.took if one.beside.took < np.inf else np.nan for one in every]),
        }),),
        {"slowest_ratio": max(one.beside.took / one.alone.took for one in every), "pairs": float(len(pairs))},
        f"Scenario, number of robots (3 to 10) and, in flocks, model are drawn. The first of each pair, below `{SPACES[0]}`, is held by "
        f"`swarm stop` for {HOLD:g} s and let go; the second is below `{SPACES[1]}`. A swarm stands while none of its robots is faster "
        f"than {1e3 * STILL:g} mm/s, between when it first drives and when it has arrived. Processes are real, and so is the time: numbers "
        "differ from run to run. Formations stand now and then by themselves, alone too: a swarm is held for as long as it stands beyond "
        "that.",
    )  # fmt: skip


def _pair(folder: Path, seed: Seed) -> Pair:
    from swarm_control.ros.support.stop_client import StopClient
    from swarm_control.ros.support.topic_client import TopicClient

    random = np.random.default_rng(int(seed))
    drawn = [_drawn(random, int(seed)) for _ in SPACES]
    alone = [_alone(scenario, changes) for _, scenario, changes in drawn]
    words = [
        [scenario, *(word for change in changes for word in ("--set", change)), "--until-arrival", "--namespace", space]
        for (_, scenario, changes), space in zip(drawn, SPACES)
    ]  # fmt: skip
    with CommandRun(folder / "0", DOMAIN, *words[0]) as first, CommandRun(folder / "1", DOMAIN, *words[1]) as second:
        runs = (first, second)
        wait_for(lambda: all(run.heard > 1.0 for run in runs), STARTING, runs)
        with StopClient(f"/{SPACES[0]}") as client:
            stopped, _ = client.stop(20.0)
        time.sleep(HOLD)
        with StopClient(f"/{SPACES[0]}") as client:
            released, _ = client.release(20.0)
        with TopicClient() as looking:
            names = [name for name, _ in looking.topics()]
        wait_for(lambda: all(run.over for run in runs), LONGEST)
    outside = tuple(name for name in names if not name.startswith(tuple(f"/{space}/" for space in SPACES)) and name[1:] not in GLOBAL)
    beside = [_trip(run.summary(), Trajectory.load(run.results / "trajectory.npz")) for run in runs]
    found = [Beside(name, *trips) for (name, _, _), *trips in zip(drawn, alone, beside)]
    return Pair(found[0], found[1], stopped and released, outside)


def _drawn(random: np.random.Generator, seed: int) -> tuple[str, str, tuple[str, ...]]:
    """A swarm at random: what to call it, its scenario and its changes."""
    scenario, robots = str(random.choice(SCENARIOS)), int(random.integers(3, 11))
    changes, model = [f"robots={robots}", f"seed={seed}", f"duration={LONGEST:g}"], ""
    if not scenario.startswith("formation"):
        model = str(random.choice(["omni", "differential"]))
        changes.append(f"robots.0.model={model}")
    return f"{scenario}, {robots} {model}".strip(), scenario, tuple(changes)


def _alone(scenario: str, changes: tuple[str, ...]) -> SwarmTrip:
    from swarm_control.analysis.simulation import simulate
    from swarm_control.scenario.loader import load_prepared

    done = simulate(*load_prepared(scenario, changes), until_arrival=True)
    return _trip(done.summary, done.recorder.trajectory())


def _trip(summary: dict[str, Any], track: Trajectory) -> SwarmTrip:
    arrival = np.inf if summary["arrival_time"] is None else float(summary["arrival_time"])
    drives = (norm(track.velocity[..., :2]) > STILL).any(axis=1)
    under_way = (np.cumsum(drives) > 0) & (track.time < arrival)
    stood = float(np.diff(track.time, prepend=track.time[0])[under_way & ~drives].sum())
    return SwarmTrip(arrival - stood, stood, summary["collisions"])


def _row(one: Beside) -> tuple[str, ...]:
    times = one.alone.took, one.beside.took, one.alone.stood, one.beside.stood
    return (one.name, *(f"{time:.1f}" if np.isfinite(time) else "–" for time in times), str(one.beside.contacts))
