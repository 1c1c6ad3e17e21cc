"""What a run is judged by, as a whole and group by group: every registered metric, put together into ``summary.json``."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from swarm_control.analysis.metric import RunFacts
from swarm_control.analysis.metrics import METRICS
from swarm_control.core.geometry import IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


class Metrics:
    """Accumulates the measures of a run of ``fleet`` on ``grid``; None: open space."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._robots = len(fleet)
        made = [(metric, metric.make(fleet, grid)) for metric in METRICS.values()]
        self._made = [(metric, accumulator) for metric, accumulator in made if accumulator is not None]

    def add(self, state: SwarmState, formation_error: float | None = None) -> None:
        """Take note of a tick: true ``state``, and how far (m) robots are from their places when they keep a formation."""
        for _, accumulator in self._made:
            accumulator.add(state, formation_error)

    def summary(self, run: RunFacts, *, scenario: str, seed: int, wall_time: float) -> dict[str, Any]:
        """The contents of ``summary.json``: SI units, plain JSON values, null where a measure does not apply."""
        duration = run.duration
        result: dict[str, Any] = {
            "scenario": scenario, "seed": seed, "robots": self._robots, "duration": duration, "wall_time": wall_time,
            "real_time_factor": duration / wall_time if wall_time > 0.0 else None,
        }  # fmt: skip
        for metric, accumulator in self._made:
            values = accumulator.values(run)
            result |= {measure.key: values[measure.key] for measure in metric.measures}
        return {key: plain(value) for key, value in result.items()}


class RunMetrics:
    """The measures of a run as a whole and of each of its ``groups`` (name → indices of robots), which count what is within them.

    A contact of robots of two groups counts for the group of the robot with the lower number.
    """

    def __init__(self, fleet: Fleet, grid: Grid | None, groups: Mapping[str, IntArray]) -> None:
        self.groups = dict(groups)
        self.whole = Metrics(fleet, grid)
        self._of = {name: Metrics(fleet.take(robots), grid) for name, robots in self.groups.items()}

    def add(self, state: SwarmState, error: float | None = None, errors: Mapping[str, float | None] | None = None) -> None:
        """Take note of a tick; formation ``errors`` (m) by group."""
        self.whole.add(state, error)
        for name, metrics in self._of.items():
            metrics.add(state.take(self.groups[name]), (errors or {}).get(name))

    def summary(
        self, *, duration: float, collisions: IntArray | None, energy: float | None, results: Mapping[str, Any],
        results_of: Mapping[str, Mapping[str, Any] | None], touches: int | None = None, **about: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """The contents of ``summary.json``; ``about``: scenario, seed, wall_time. ``groups`` is null where there are none.

        ``collisions`` (N,): contact episodes by robot, ``touches``: of bodies, None where they are not known. What plugins measure comes
        last.
        """
        made = self.whole.summary(RunFacts(duration, _sum(collisions), energy, **results, touches=touches), **about)
        nothing: Mapping[str, Any] = {"arrived_fraction": None, "arrival_time": None, "phases": []}
        groups = {}
        for name, metrics in self._of.items():
            within = _sum(None if collisions is None else collisions[self.groups[name]])
            groups[name] = metrics.summary(RunFacts(duration, within, None, **(results_of.get(name) or nothing)), **about)
        further = {measure.key for metric in METRICS.values() if metric.order == math.inf for measure in metric.measures}
        own = {key: value for key, value in made.items() if key not in further}
        return {**own, "groups": groups or None, **{key: value for key, value in made.items() if key in further}}


def _sum(collisions: IntArray | None) -> int | None:
    return None if collisions is None else int(np.sum(collisions))


def plain(value: Any) -> Any:
    """``value`` in JSON's own types; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
