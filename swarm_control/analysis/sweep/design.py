"""Which values of the parameters are flown: all combinations, or a sample of the space between bounds."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.tuning.space import Dimension, dimension_of
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.scenario.overrides import Override, keys_of
from swarm_control.scenario.yaml_text import parse_yaml

DESIGNS = {
    "grid": "every combination of the values",
    "random": "samples drawn at random",
    "latin": "a Latin hypercube: samples spread evenly along each parameter",
}
MOST = 1_000_000
"""Combinations that a design may have."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class ValueList:
    """A parameter, and the values that it takes."""

    path: str
    values: tuple[Any, ...]

    def value(self, place: float) -> Any:
        """The value at ``place``, from 0 to 1 along the list."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]


Axis = ValueList | Dimension


def axis_of(scenario: str, overrides: Sequence[str], text: str) -> Axis:
    """Read ``PATH=V1,V2,…`` or ``PATH=LOW:HIGH[:log]``. ``InputError`` for values that the scenario does not take by themselves."""
    where = f"--param {text}"
    path, sign, given = text.partition("=")
    path = path.strip()
    if not sign or not path or not given.strip():
        raise InputError(where, "expected PATH=V1,V2,… or PATH=LOW:HIGH[:log], as in separation.weight=0.1,0.2 or cohesion.weight=0:1")
    if ":" in given and not any(mark in given for mark in ",[{\"'"):
        return dimension_of(scenario, overrides, text)
    values = parse_yaml(f"[{given}]", where, line=False)
    if len({json.dumps(value) for value in values}) < len(values):
        raise InputError(where, "a value found twice, expected each once")
    if path != "robots":
        keys_of(path, where)
    for value in values:
        load(scenario, [*overrides, Override(change(path, value), where)])
    return ValueList(path, tuple(values))


def change(path: str, value: Any) -> str:
    """A value as ``PATH=VALUE``."""
    return f"{path}={json.dumps(value)}"


def combinations(axes: Sequence[Axis], design: str = "grid", samples: int = 0, seed: int = 0) -> list[dict[str, Any]]:
    """The values of each combination, by path. ``samples`` and ``seed`` are those of a design that draws."""
    for k, axis in enumerate(axes):
        if axis.path == "seed":
            raise InputError("--param seed", "expected another parameter; --seeds and --first-seed say which seeds are flown")
        if isinstance(axis, ValueList) and not axis.values:
            raise InputError(f"--param {axis.path}", "no values found, expected at least one")
        if any(axis.path == other.path for other in axes[:k]):
            raise InputError(f"--param {axis.path}", "found twice, expected each parameter once")
    if design != "grid":
        if samples < 1:
            raise InputError("--samples", f"{samples} found, expected how many combinations to draw, as design {design} does")
        places = _places(design, samples, len(axes), seed)
        return [{axis.path: axis.value(float(place)) for axis, place in zip(axes, row)} for row in places]
    for axis in axes:
        if isinstance(axis, Dimension):
            raise InputError(f"--param {axis.path}", "a range found, expected values (V1,V2,…) for a grid, or --design latin --samples N")
    listed = [axis for axis in axes if isinstance(axis, ValueList)]
    count = int(np.prod([len(axis.values) for axis in listed]))
    if count > MOST:
        raise InputError("--param", f"{count} combinations found, expected at most {MOST}")
    return [dict(zip((axis.path for axis in listed), row)) for row in itertools.product(*(axis.values for axis in listed))]


def _places(design: str, samples: int, dimensions: int, seed: int) -> Any:
    """Points in the unit cube (samples, dimensions). Latin hypercube: McKay, Beckman & Conover 1979."""
    rng = np.random.default_rng(seed)
    if design == "random":
        return rng.uniform(size=(samples, dimensions))
    order = np.column_stack([rng.permutation(samples) for _ in range(dimensions)])
    return (order + rng.uniform(size=order.shape)) / samples
