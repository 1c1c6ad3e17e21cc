"""The result files of a run: summary, trajectory, resolved scenario, picture, and what the trajectory cannot tell over time."""

from pathlib import Path
from typing import Any

from swarm_control.analysis.recording import Trajectory, TrajectoryRecorder
from swarm_control.analysis.report.trajectories import draw, save
from swarm_control.analysis.series import Series
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.scenario.tree import to_data

PICTURE = "trajectories.png"


def write_results(
    out: Path, loaded: Loaded, setup: Setup, recorder: TrajectoryRecorder, summary: dict[str, Any], series: Series
) -> list[Path]:
    """Write ``summary.json``, ``trajectory.npz``, ``scenario.yaml``, ``series.npz`` and ``trajectories.png``; return their paths."""
    written = [*recorder.save(out, to_data(loaded.scenario), summary), series.save(out)]
    path = out / PICTURE
    save(picture(loaded.scenario, setup, recorder.trajectory()), path)
    return [*written, path]


def picture(scenario: Scenario, setup: Setup, trajectory: Trajectory) -> Any:
    """The trajectories among the scenario's walls, goals and landmarks, as a figure of matplotlib."""
    every = (*scenario.goals, *(goal for group in scenario.groups.values() for goal in group.goals))
    goals = [(goal.position[0], goal.position[1], goal.radius) for goal in every if not goal.each]
    return draw(trajectory, setup.grid, goals, setup.fleet.radius, scenario.name, setup.society.landmark)
