"""The space that a tuning searches: parameters of a scenario, each within a range."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.scenario.groups import Controls, bare, controls_of
from swarm_control.scenario.loader import load
from swarm_control.scenario.overrides import Override, keys_of
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.tree import to_data

EXPECTED = "expected PATH=LOW:HIGH with LOW below HIGH, or PATH=LOW:HIGH:log with LOW above 0, as in separation.weight=0:1"


@dataclass(frozen=True)
class Dimension:
    """One parameter, from ``low`` to ``high`` in its own unit; ``start``: its value in the scenario; ``whole``: if it is an integer."""

    path: str
    low: float
    high: float
    log: bool
    whole: bool
    start: float

    def value(self, place: float) -> float | int:
        """The value at ``place``, 0 to 1 from end to end."""
        low, high = self._ends()
        found = low + min(max(place, 0.0), 1.0) * (high - low)
        found = math.exp(found) if self.log else found
        found = min(max(float(f"{found:.6g}"), self.low), self.high)  # so that files show what was evaluated
        return round(found) if self.whole else found

    def place(self, value: float) -> float:
        """Where ``value`` is, from 0 to 1; beyond an end it is at the end."""
        low, high = self._ends()
        inside = min(max(value, self.low), self.high)
        return ((math.log(inside) if self.log else inside) - low) / (high - low)

    def _ends(self) -> tuple[float, float]:
        return (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)


@dataclass(frozen=True)
class Space:
    """All parameters of a tuning."""

    dimensions: tuple[Dimension, ...]

    def values(self, places: Array) -> dict[str, float | int]:
        """Parameter values at ``places`` (D,) in the unit cube."""
        return {dimension.path: dimension.value(float(place)) for dimension, place in zip(self.dimensions, places)}

    @property
    def start(self) -> dict[str, float | int]:
        """The scenario's own values, out of the ranges or not."""
        return {d.path: round(d.start) if d.whole else d.start for d in self.dimensions}

    @property
    def middle(self) -> Array:
        """Where the search begins (D,): at the scenario's own values, or the ends nearest to them."""
        return np.array([dimension.place(dimension.start) for dimension in self.dimensions])


def space_of(scenario: str, overrides: Sequence[str], texts: Sequence[str]) -> Space:
    """Read ``PATH=LOW:HIGH[:log]`` for each parameter; both ends must be values that the scenario accepts."""
    found: list[Dimension] = []
    for text in texts:
        dimension = dimension_of(scenario, overrides, text)
        if any(dimension.path == other.path for other in found):
            raise InputError(f"--param {text}", "found twice, expected each parameter once")
        found.append(dimension)
    if not found:
        raise InputError("--param", f"none found, {EXPECTED}")
    return Space(tuple(found))


def changes(values: Mapping[str, float | int]) -> list[str]:
    """The values as ``PATH=VALUE``."""
    return [f"{path}={value!r}" for path, value in values.items()]


def dimension_of(scenario: str, overrides: Sequence[str], text: str) -> Dimension:
    """Read one ``PATH=LOW:HIGH[:log]``."""
    where = f"--param {text}"
    path, _, ends = text.partition("=")
    low, high, log = _ends(ends, where)
    for end in (low, high):
        load(scenario, [*overrides, Override(f"{path}={int(end) if end == int(end) else end}", where)])
    value = _value(load(scenario, overrides).scenario, keys_of(path), where)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(where, f"{path} is no number; {EXPECTED}")
    return Dimension(path, low, high, log, isinstance(value, int), float(value))


def _value(scenario: Scenario, keys: Sequence[str], where: str) -> Any:
    """What a key of the scenario's file is now. A group's parameter, or a phase's, that is not set there is what it follows."""
    match keys:
        case ["robots"]:
            return sum(robots.count for robots in scenario.robots)
        case ["groups", group, "control" | "formation" as part, *rest]:
            return _parameter(controls_of(scenario, where), ".".join(["groups", group, *(rest if part == "control" else keys[2:])]))
        case ["phases", number, "set", name]:
            controls = controls_of(scenario, where)
            for phase in sorted(scenario.phases, key=lambda phase: phase.start):
                controls = controls.change(phase.set, where)
                if phase is scenario.phases[int(number)]:
                    break
            return _parameter(controls, name)
    value: Any = to_data(scenario)
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _parameter(controls: Controls, name: str) -> Any:
    values = {known: value for known, _, value in controls.flatten()}
    return values.get(name, values.get(bare(name)))


def _ends(text: str, where: str) -> tuple[float, float, bool]:
    parts = text.split(":")
    log = len(parts) == 3 and parts[2] == "log"
    try:
        low, high = (float(part) for part in (parts[:2] if log else parts))
    except ValueError:
        raise InputError(where, EXPECTED) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high and (low > 0.0 or not log)):
        raise InputError(where, EXPECTED)
    return low, high, log
