"""Cases of the studies of motion: scenarios, robot models, numbers of robots, each flown with every seed."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab

MODELS = ("omni", "differential", "car")


class Crowd(NamedTuple):
    """``robots`` of one ``model`` in a ``scenario``."""

    scenario: str
    model: str
    robots: int


class Found(NamedTuple):
    """What a run came to: the share that arrived, when (s), collisions, and what else was ``measured``."""

    arrived: float
    time: float | None
    collisions: int
    measured: tuple[float, ...]


def trial_of(case: Crowd, seed: Seed, *more: str) -> Trial:
    """The run of a case, with ``more`` settings, until everybody has arrived."""
    return Trial(case.scenario, (f"robots={case.robots}", f"robots.0.model={case.model}", *more), seed, until_arrival=True)


def fly(
    lab: Lab, cases: Sequence[Crowd], seeds: Sequence[Seed], measure: Callable[[Flight], Found], *more: str
) -> dict[Crowd, list[Found]]:  # fmt: skip
    """Run every case with every seed; what was found, by case."""
    found = lab.measure([trial_of(case, seed, *more) for case in cases for seed in seeds], measure)
    return {case: found[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}


def found_in(flight: Flight, *measured: float) -> Found:
    """What the summary of a flight says, and what was ``measured``."""
    summary = flight.summary
    return Found(float(summary["arrived_fraction"]), summary["arrival_time"], int(summary["collisions"]), measured)


def all_arrive(found: dict[Crowd, list[Found]], scenario: str, model: str) -> bool:
    """Whether all robots of the ``model`` arrived in every run of the ``scenario``."""
    return all(one.arrived == 1.0 for case, ns in found.items() if case[:2] == (scenario, model) for one in ns)
