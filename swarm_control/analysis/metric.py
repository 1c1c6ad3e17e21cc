"""What a metric is: something that a run is judged by, taken tick by tick. One file in ``metrics/``, or in a plugin, registers one."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from swarm_control.core.grid import Grid
from swarm_control.core.registry import Registry
from swarm_control.core.state import Fleet, SwarmState

BETTER = ("", "less", "more")
FRAME = ("scenario", "seed", "robots", "duration", "wall_time", "real_time_factor", "groups")
"""Keys of ``summary.json`` that are no metric's: what was run, and the same measures for each group."""


@dataclass(frozen=True)
class Measure:
    """A key of ``summary.json``: its ``unit`` (SI), one line of ``help``, and what is ``better``: less or more; empty: neither."""

    key: str
    unit: str
    help: str
    better: str = ""

    def __post_init__(self) -> None:
        if not self.key.isidentifier():
            raise ValueError(f"measure {self.key!r} found, expected a key of letters, digits and _")
        if self.better not in BETTER:
            raise ValueError(f"measure {self.key}: better {self.better!r} found, expected less or more, or nothing")


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run besides its states, of all robots or of a group.

    ``duration`` (s) so far; ``collisions``: contact episodes of footprints, ``energy`` (J) of the motors, ``touches``: contact episodes of
    bodies: each None where it is not known; ``arrived_fraction``, ``arrival_time`` (s), ``phases``, ``jam_time`` (s) and ``jams`` as in
    ``summary.json``.
    """

    duration: float
    collisions: int | None
    energy: float | None
    arrived_fraction: float | None
    arrival_time: float | None
    phases: list[dict[str, Any]]
    jam_time: float | None = None
    jams: int | None = None
    touches: int | None = None


class Accumulator(Protocol):
    """Takes note of a run of some robots."""

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Take note of a tick: the true ``state`` of the robots, and how far (m) they are from their places in a formation, if in one."""

    def values(self, run: RunFacts) -> Mapping[str, Any]:
        """The value of every measure so far, by key; None or a number that is not finite where there is none."""


@dataclass(frozen=True)
class Metric:
    """A metric.

    ``measures``: what it brings into ``summary.json``. ``make``: (fleet, grid) → :class:`Accumulator` for these robots on this map (None:
    open space), once for the run and once for each group; None for robots that it does not apply to, whose summary lacks the keys.
    ``order``: place in the summary; those of plugins come last.
    """

    name: str
    help: str
    measures: tuple[Measure, ...]
    make: Callable[[Fleet, Grid | None], Accumulator | None]
    order: float = math.inf

    def __post_init__(self) -> None:
        if not self.measures:
            raise ValueError(f"metric {self.name}: no measure found, expected at least one")
        if not self.help:
            raise ValueError(f"metric {self.name}: no docstring found, expected one that says in its first line what it measures")


METRICS: Registry[Metric] = Registry("metric", "swarm_control.metrics", order=lambda one: (one.order, one.name))
"""All metrics by name, in the order of the summary. Complete once :mod:`swarm_control.analysis.metrics` has been imported."""

Make = TypeVar("Make", bound=Callable[[Fleet, Grid | None], Any])


def register_metric(name: str, *measures: Measure, order: float = math.inf) -> Callable[[Make], Make]:
    """Register the decorated class (or function), which makes accumulators, as the metric ``name``; see :class:`Metric`."""

    def register(make: Make) -> Make:
        text = (make.__doc__ or "").strip().split("\n")[0]
        METRICS.add(Metric(name, text, measures, make, order))
        return make

    return register


def _refuse_twice(metric: Metric) -> None:
    """``ValueError`` for a metric with a key that the summary has already."""
    taken = {*FRAME, *(measure.key for other in METRICS.values() for measure in other.measures)}
    for measure in metric.measures:
        if measure.key in taken:
            raise ValueError(f"metric {metric.name}: measure {measure.key} found, which the summary has already, expected another key")
        taken.add(measure.key)


METRICS.listen(_refuse_twice)
