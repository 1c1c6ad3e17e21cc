"""The result files of a run: summary, trajectory, resolved scenario, picture, and what the trajectory cannot tell over time."""

from pathlib import Path
from typing import Any

from swarm_control.report.trajectories import draw
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.tree import to_data
from swarm_control.sim.recording import Recorder
from swarm_control.sim.series import Series
from swarm_control.sim.setup import Setup


def write_results(out: Path, loaded: Loaded, setup: Setup, recorder: Recorder, summary: dict[str, Any], series: Series) -> list[Path]:
    """Write ``summary.json``, ``trajectory.npz``, ``scenario.yaml``, ``series.npz`` and ``trajectories.png``; return their paths."""
    written = recorder.save(out, to_data(loaded.scenario), summary)
    goals = [(goal.position[0], goal.position[1], goal.radius) for goal in loaded.scenario.goals]
    picture = out / "trajectories.png"
    draw(recorder.trajectory(), setup.grid, goals, setup.fleet.radius, picture, loaded.scenario.name, setup.society.landmark)
    return [*written, series.save(out), picture]
