"""One run of a scenario, with what experiments measure."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NewType

import numpy as np

from swarm_control.analysis.simulation import TickRecord, simulate
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Society
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Goal
from swarm_control.scenario.setup import prepare

Seed = NewType("Seed", int)
"""A seed that a lab has handed out. Nobody else makes one, so that every experiment runs on the seeds that were asked for."""

UNSEEDED = Seed(0)
"""Stands for a seed in runs that draw nothing: without noise, from poses that are given."""


@dataclass(frozen=True)
class Trial:
    """A run to be made: a scenario, changes to it as for ``--set``, its seed, and whether to end it on arrival."""

    scenario: str
    changes: tuple[str, ...]
    seed: Seed
    until_arrival: bool = False


@dataclass(frozen=True)
class Flight:
    """A run that was made. T instants, N robots; the state at the end of every tick, the first one at the start.

    ``time`` (T,) s; ``position`` (T, N, 2) m and ``velocity`` (T, N, 2) m/s, world frame; ``leads`` (T, N): who feels the goal;
    ``effort`` (T, N) m/s²: acceleration that the behaviours were granted; ``intervened`` (T, N): where the filter acted; ``radius`` (N,)
    m of the footprints; ``limit`` (N,) m/s²: the robots' maximum acceleration; ``summary``: the contract's measures; ``society``: who is
    in which groups at the start.
    """

    trial: Trial
    time: Array
    position: Array
    velocity: Array
    leads: BoolArray
    effort: Array
    intervened: BoolArray
    radius: Array
    limit: Array
    grid: Grid | None
    goals: tuple[Goal, ...]
    summary: dict[str, Any]
    society: Society

    def members(self, group: str) -> IntArray:
        """Numbers of the robots in a group."""
        return np.flatnonzero([group in self.society.kinds[k] for k in self.society.robot])

    def landmarks(self, group: str) -> Array:
        """Landmarks (k, 2) m that are in a group at the start."""
        found: Array = self.society.landmark[[group in self.society.kinds[k] for k in self.society.landmark_kind]]
        return found

    def at(self, seconds: float) -> int:
        """The instant at this time, or the last one."""
        return min(int(np.searchsorted(self.time, seconds - 1e-9)), len(self.time) - 1)

    @property
    def robots(self) -> int:
        """Number of robots."""
        return int(self.position.shape[1])

    @cached_property
    def speed(self) -> Array:
        """(T, N) m/s."""
        return norm(self.velocity)

    @cached_property
    def path_length(self) -> Array:
        """Length of each robot's path (N,), m."""
        length: Array = norm(np.diff(self.position, axis=0)).sum(axis=0)
        return length

    @property
    def interventions_per_minute(self) -> float:
        """Ticks in which the filter acted, per robot and minute."""
        return float(self.intervened[1:].sum() / self.robots / max(self.time[-1], 1e-9) * 60.0)

    @property
    def saturated(self) -> float:
        """Share of robots and ticks in which all of a robot's acceleration was granted."""
        return float((self.effort[1:] >= self.limit * (1.0 - 1e-9)).mean())

    def after(self, seconds: float) -> slice:
        """The instants of the last ``seconds`` of the flight."""
        return slice(int(np.searchsorted(self.time, self.time[-1] - seconds - 1e-9)), None)


def fly(trial: Trial) -> Flight:
    """Make one run."""
    loaded = load(trial.scenario, (*trial.changes, f"seed={trial.seed}"))
    setup = prepare(loaded.scenario, loaded.source)
    n = len(setup.fleet)
    leads: list[BoolArray] = [np.zeros(n, bool)]
    effort: list[Array] = [np.zeros(n)]
    intervened: list[BoolArray] = [np.zeros(n, bool)]

    def watch(frame: TickRecord, metrics: Any) -> None:
        leads.append(np.asarray(np.isfinite(frame.orders.goal).all(axis=1)))
        effort.append(norm(frame.tick.accumulated.total))
        intervened.append(frame.tick.intervened)

    outcome = simulate(loaded, setup, until_arrival=trial.until_arrival, watch=watch)
    run = outcome.recorder.trajectory()
    leads[0] = leads[min(1, len(leads) - 1)]
    return Flight(
        trial, run.time.copy(), run.pose[:, :, :2].copy(), run.velocity[:, :, :2].copy(), np.array(leads), np.array(effort),
        np.array(intervened), setup.fleet.radius, setup.fleet.max_acceleration, setup.grid, loaded.scenario.goals, outcome.summary,
        setup.society,
    )  # fmt: skip
