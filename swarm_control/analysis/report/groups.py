"""Runs that differ by their seed alone belong together; groups are told apart by what differs in their settings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.intervals import interval
from swarm_control.analysis.report.runs import Run
from swarm_control.core.geometry import Array


@dataclass(frozen=True)
class RunGroup:
    """Runs with the same settings; ``label`` says which."""

    label: str
    runs: tuple[Run, ...]

    def values(self, metric: str) -> Array:
        """A measure of the summaries, of those runs that have it."""
        return np.array([run.summary[metric] for run in self.runs if run.summary.get(metric) is not None], float)

    def unknown(self, metric: str) -> int:
        """How many runs were measured without this measure being known, which of all measures can befall collisions alone."""
        return sum(metric == "collisions" and run.summary.get(metric, 0) is None for run in self.runs)


def grouped(runs: Sequence[Run]) -> list[RunGroup]:
    """Put runs together, in the order in which they come."""
    settings = [dict(_flat(run.settings)) for run in runs]
    for values in settings:
        values.pop("seed", None)
    keys = [(run.name, tuple(sorted((path, repr(value)) for path, value in values.items()))) for run, values in zip(runs, settings)]
    order = list(dict.fromkeys(keys))
    found = []
    for key in order:
        mine = [k for k, other in enumerate(keys) if other == key]
        rivals = [settings[keys.index(other)] for other in order if other != key and other[0] == key[0]]
        found.append(RunGroup(_label(runs[mine[0]].name, settings[mine[0]], rivals), tuple(runs[k] for k in mine)))
    return found


def mean_and_interval(values: Array) -> tuple[float, float]:
    """Mean, and half-width of its 95 % confidence interval by Student's t; 0 for a single value."""
    return float(np.mean(values)), interval(values)


def _label(name: str, own: dict[str, Any], rivals: Sequence[dict[str, Any]]) -> str:
    """The name with up to three settings that others of this name do not share."""
    different = [path for path in own if any(other.get(path) != own[path] for other in rivals)]
    shown = ", ".join(f"{path.removeprefix('control.')}={own[path]}" for path in different[:3])
    return name + (f" ({shown}{', …' if len(different) > 3 else ''})" if shown else "")


def _flat(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every leaf."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list) and tree and isinstance(tree[0], (dict, list)):
        for k, value in enumerate(tree):
            yield from _flat(value, f"{path}.{k}")
    else:
        yield path, tree
