"""What can be aimed at: measures of the summary of which less or more is better, and functions of the summary that somebody registers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from swarm_control.analysis.metric import Measure, Metric
from swarm_control.analysis.metrics import METRICS
from swarm_control.core.registry import Registry
from swarm_control.errors import InputError

Summary = Mapping[str, Any]
Function = TypeVar("Function", bound=Callable[[Summary], float])


@dataclass(frozen=True)
class ObjectiveFunction:
    """An objective. ``value``: of a run, from its summary; ``sense``: 1 where less is better, -1 where more is."""

    name: str
    help: str
    value: Callable[[Summary], float]
    sense: float = 1.0

    def __post_init__(self) -> None:
        if not self.help:
            raise ValueError(f"objective {self.name}: no docstring found, expected one that says in its first line what it is")


OBJECTIVES: Registry[ObjectiveFunction] = Registry("objective", "swarm_control.objectives")
"""All objectives by name: those of the metrics in the summary's order, then those that are registered themselves."""


def register_objective(function: Function) -> Function:
    """Register the decorated function of a run's summary, which is to be minimised, as the objective of its name."""
    text = (function.__doc__ or "").strip().split("\n")[0]
    OBJECTIVES.add(ObjectiveFunction(function.__name__, text, function))
    return function


def measured(summary: Summary, key: str) -> float:
    """A measure of a run. A swarm that does not arrive is held to arrive after the run, the later the fewer have arrived."""
    value = summary.get(key)
    if value is None and key == "arrival_time" and summary["arrived_fraction"] is not None:
        return float(summary["duration"] * (2.0 - summary["arrived_fraction"]))
    if value is None:
        raise InputError(f"--objective {key}", f"the scenario {summary['scenario']} does not have this measure")
    return float(value)


def _aim_at(metric: Metric) -> None:
    """Make objectives of a metric's measures."""
    for measure in metric.measures:
        if measure.better:
            OBJECTIVES.add(ObjectiveFunction(measure.key, _help(measure), partial(measured, key=measure.key), SENSE[measure.better]))


def _help(measure: Measure) -> str:
    unit = f" ({measure.unit})" if measure.unit else ""
    return f"{measure.help}{unit}; {measure.better} is better"


SENSE = {"less": 1.0, "more": -1.0}

for _metric in METRICS.values():
    _aim_at(_metric)
METRICS.listen(_aim_at)
OBJECTIVES.load()
