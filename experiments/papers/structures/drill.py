"""One run of a scenario with a formation, with what experiments measure of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.flight import Trial
from swarm_control.analysis.simulation import TickRecord, simulate
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare


@dataclass(frozen=True)
class Drill:
    """A run that was made: T instants, the end of each tick; everything is the truth, not what controllers believe.

    ``time`` (T,) s; ``error`` (T,) m: mean distance of the robots from the structure fitted to them; ``pose`` (T, 3) of that structure,
    ``lag`` (T,) m of it behind its timed path; ``spread`` (T,) m by which the controllers' structures differ; ``failed`` (T,): whether a
    robot was held to have failed; ``position`` (T, N, 2) m; NaN where there is none. ``summary``: the contract's measures.
    """

    trial: Trial
    time: Array
    error: Array
    pose: Array
    lag: Array
    spread: Array
    failed: BoolArray
    position: Array
    summary: dict[str, Any]

    @property
    def arrival(self) -> float | None:
        """When the last goal was reached, s."""
        time: float | None = self.summary["arrival_time"]
        return time

    def after(self, start: float, end: float = np.inf) -> BoolArray:
        """The instants from ``start`` to ``end`` (s)."""
        return (self.time >= start - 1e-9) & (self.time <= end + 1e-9)


def drill(trial: Trial) -> Drill:
    """Make one run."""
    loaded = load(trial.scenario, (*trial.changes, f"seed={trial.seed}"))
    rows: list[tuple[float, ...]] = []
    position: list[Array] = []

    def watch(frame: TickRecord, metrics: Any) -> None:
        found, controller = frame.formation.fitted(frame.truth), frame.formation.controllers[0]
        pose, error = (np.full(3, np.nan), np.nan) if found is None else (found.pose, found.error)
        lag = np.nan if controller.due is None else float(np.hypot(*(pose - controller.due)[:2]))
        failed = controller.last is not None and bool(controller.last.failed.any())
        rows.append((frame.truth.time, error, *pose, lag, frame.formation.spread(), failed))
        position.append(frame.truth.position.copy())

    outcome = simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=trial.until_arrival, watch=watch)
    table = np.array(rows, float)
    return Drill(
        trial, table[:, 0], table[:, 1], table[:, 2:5], table[:, 5], table[:, 6], table[:, 7] > 0.0, np.array(position), outcome.summary
    )
