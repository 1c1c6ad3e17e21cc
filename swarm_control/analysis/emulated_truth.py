"""What emulated robots truly did, judged and recorded as a run is: nobody who drives them can know it."""

from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.recording import TrajectoryRecorder
from swarm_control.analysis.run_metrics import RunMetrics
from swarm_control.analysis.series import Series
from swarm_control.core.geometry import Array, IntArray, wrap
from swarm_control.core.state import SwarmState
from swarm_control.runtime.mission import Mission
from swarm_control.scenario.groups import controls_of, forms, squads
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup

UNKNOWN: dict[str, Any] = {"arrived_fraction": None, "arrival_time": None, "phases": []}
"""What is known of the arrival of robots in formation, whose structure is in the nodes that drive them."""


class EmulatedTruth:
    """Looks at the robots of a scenario, all of them, from the moment when the first wheel turns, which is time 0.

    Arrival is at the scenario's goals, whatever goals they are given while they drive.
    """

    def __init__(self, loaded: Loaded, setup: Setup) -> None:
        self._loaded, self._setup = loaded, setup
        scenario, fleet = loaded.scenario, setup.fleet
        self._period, self._began = scenario.control.period, -np.inf
        groups = squads(scenario.groups, setup.society)
        self._controls = controls_of(scenario, str(loaded.source))
        self._metrics = RunMetrics(fleet, setup.grid, {squad.name: squad.robots for squad in groups if squad.name})
        self._recorder = TrajectoryRecorder(fleet.names, round(scenario.duration / self._period) + 1, self._period)
        self._series, self._last = Series(), setup.start
        self._mission: Mission | None = None
        if not forms(scenario):
            Mission(scenario, setup.society, groups, setup.grid).update(setup.start, self._controls)  # compiles what is compiled
            self._mission = Mission(scenario, setup.society, groups, setup.grid)

    def look(self, now: float, pose: Array, driven: bool) -> None:
        """Take note of where the robots are, ``pose`` (N, 3) in the world frame, at ``now`` (s); ``driven``: whether any wheel turns."""
        if driven and self._began == -np.inf:
            self._began = now
            self._add(SwarmState.of(0.0, pose, np.zeros_like(pose)))
        elapsed = now - self._began
        if self._began > -np.inf and elapsed - self._last.time >= self._period:
            change = pose - self._last.pose
            change[:, 2] = wrap(change[:, 2])
            velocity = change / (elapsed - self._last.time)
            self._add(SwarmState.of(elapsed, np.column_stack((pose[:, :2], wrap(pose[:, 2]))), velocity))

    def _add(self, state: SwarmState) -> None:
        fraction = None
        if self._mission is not None:
            self._controls = self._mission.controls(self._controls, state.time)
            self._mission.update(state, self._controls)
            fraction = self._mission.fraction
        self._recorder.add(state)
        self._metrics.add(state)
        self._series.add(state.time, {"arrived": fraction})
        self._last = state

    def summary(self, collisions: IntArray) -> dict[str, Any]:
        """The contents of ``summary.json``; ``collisions`` (N,): contact episodes so far."""
        scenario, mission = self._loaded.scenario, self._mission
        return self._metrics.summary(
            scenario=scenario.name, seed=scenario.seed, duration=self._last.time, wall_time=self._last.time,
            collisions=collisions, energy=None, results=UNKNOWN if mission is None else mission.results(),
            results_of={name: None if mission is None else mission.results_of(name) for name in self._metrics.groups},
        )  # fmt: skip

    def write(self, out: Path, collisions: IntArray) -> list[Path]:
        """Write the same files as a run does into the folder ``out``; return their paths."""
        from swarm_control.analysis.report.results import write_results

        if self._began == -np.inf:
            self._add(self._setup.start)
        return write_results(out, self._loaded, self._setup, self._recorder, self.summary(collisions), self._series)
