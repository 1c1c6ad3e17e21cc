"""The result files of a run: summary, trajectory, resolved scenario, picture, and what the trajectory cannot tell over time."""

import json
from pathlib import Path
from typing import Any

from swarm_control.analysis.recording import Trajectory, TrajectoryRecorder
from swarm_control.analysis.report.trajectories import draw, save
from swarm_control.analysis.run_metrics import plain
from swarm_control.analysis.series import FILE, Series
from swarm_control.files import output_directory, replace_together
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.scenario.tree import to_data
from swarm_control.scenario.yaml_text import dump_yaml

PICTURE = "trajectories.png"


def write_data(out: Path, scenario: str, recorder: TrajectoryRecorder, summary: dict[str, Any], series: Series) -> list[Path]:
    """Write ``summary.json``, ``trajectory.npz``, ``scenario.yaml`` and ``series.npz`` into the folder ``out``; return their paths.

    ``scenario`` is YAML. None takes the place of an older one before all are written. ``InputError`` when one cannot be.
    """
    text = json.dumps(plain(summary), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    return replace_together(
        output_directory(Path(out)),
        {
            "summary.json": lambda path: path.write_text(text, encoding="utf-8"), "trajectory.npz": recorder.trajectory().write,
            "scenario.yaml": lambda path: path.write_text(scenario, encoding="utf-8"), FILE: series.write,
        },
    )  # fmt: skip


def write_results(
    out: Path, loaded: Loaded, setup: Setup, recorder: TrajectoryRecorder, summary: dict[str, Any], series: Series
) -> list[Path]:
    """Write what :func:`write_data` does, and ``trajectories.png``; return all paths."""
    written = write_data(out, dump_yaml(to_data(loaded.scenario)), recorder, summary, series)
    path = out / PICTURE
    save(picture(loaded.scenario, setup, recorder.trajectory()), path)
    return [*written, path]


def picture(scenario: Scenario, setup: Setup, trajectory: Trajectory) -> Any:
    """The trajectories among the scenario's walls, goals and landmarks, as a figure of matplotlib."""
    every = (*scenario.goals, *(goal for group in scenario.groups.values() for goal in group.goals))
    goals = [(goal.position[0], goal.position[1], goal.radius) for goal in every if not goal.each]
    return draw(trajectory, setup.grid, goals, setup.fleet.radius, scenario.name, setup.society.landmark, scenario.objects)
