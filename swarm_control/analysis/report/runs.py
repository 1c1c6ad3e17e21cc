"""Runs to be reported on, from the folders that ``swarm run`` and ``swarm simulate`` write, or from bags."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.bags.folder import is_bag
from swarm_control.analysis.bags.runs import read_bag
from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.series import FILE, load_series
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.parameters import short
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe
from swarm_control.scenario.objects import PassiveObject
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.tree import build
from swarm_control.scenario.yaml_text import read_yaml

NUMBERS = (
    "robots", "duration", "collisions", "min_separation", "min_clearance", "polarization", "arrived_fraction", "arrival_time",
    "formation_error_mean",
)  # fmt: skip
"""What a report tells of a summary, as numbers."""

LARGEST = 1e12
"""A larger number is none that a run can give."""

Circle = tuple[float, float, float]


@dataclass(frozen=True)
class Run:
    """A run: where it came from, what was asked for (``settings``, plain data), what came of it; ``radius`` (N,) m of the footprints.

    ``summary`` and ``series`` are empty where they are not known; ``goals``: x, y, radius (m) of each; ``notices``: for the user.
    """

    source: Path
    trajectory: Trajectory
    settings: dict[str, Any]
    summary: dict[str, Any]
    series: dict[str, Array]
    grid: Grid | None
    goals: tuple[Circle, ...]
    radius: Array
    notices: tuple[str, ...] = field(default=())
    objects: tuple[PassiveObject, ...] = ()

    @property
    def name(self) -> str:
        """Name of the scenario, or of the file where there is none."""
        return str(self.summary.get("scenario") or self.settings.get("name") or self.source.stem)


def read_runs(paths: list[Path]) -> list[Run]:
    """Read results folders, folders of such, MCAP files and rosbag2 folders; ``InputError`` for anything else."""
    found = [run for path in paths for run in _read(path)]
    if not found:
        raise InputError(str(paths[0]) if paths else "report", "no results found, expected folders with trajectory.npz, or bags")
    return found


def _read(path: Path) -> list[Run]:
    if (path / "trajectory.npz").is_file():
        return [_folder(path)]
    inside = [inner for inner in sorted(path.iterdir()) if (inner / "trajectory.npz").is_file()] if path.is_dir() else []
    if inside:
        return [run for inner in inside for run in _read(inner)]
    if path.is_file() or is_bag(path):
        return [_bag(path)]
    if path.is_dir():
        return []
    refuse_pipe(path)
    raise InputError(str(path), "not found, expected a folder with results, or a bag")


def _folder(path: Path) -> Run:
    trajectory = Trajectory.load(path / "trajectory.npz")
    if len(trajectory.time) == 0:
        raise InputError(str(path / "trajectory.npz"), "holds no instant, expected a recorded trajectory")
    settings = read_yaml(path / "scenario.yaml") if (path / "scenario.yaml").exists() else {}
    grid, goals, radius, notices = _surroundings(settings, path / "scenario.yaml", len(trajectory.names))
    summary, series = _summary(path / "summary.json"), load_series(path / FILE)
    objects = build(Scenario, settings, str(path / "scenario.yaml")).objects if trajectory.object_pose.size and not notices else ()
    return Run(path, trajectory, settings, summary, series, grid, goals, radius, notices, objects)


def _bag(path: Path) -> Run:
    bag = read_bag(path)
    grid, goals, radius, notices = _surroundings(bag.settings, path, len(bag.trajectory.names))
    notices = (*bag.notices, *notices)
    results = {} if bag.mission is None else bag.mission.swarm.results()
    return Run(path, bag.trajectory, bag.settings, results, bag.series, bag.grid or grid, goals, radius, notices)


def _summary(path: Path) -> dict[str, Any]:
    refuse_pipe(path)
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        assert isinstance(data, dict)
    except (OSError, ValueError, AssertionError, RecursionError):
        raise InputError(str(path), "is damaged, expected the summary of a run") from None
    for name, value in data.items():
        if name in NUMBERS and not (value is None or (isinstance(value, (int, float)) and abs(value) <= LARGEST)):
            raise InputError(f"{path}: {name}", f"{short(value)} found, expected a number or null")
    phases = data.get("phases") or []
    if not isinstance(phases, list) or not all(_is_phase(phase) for phase in phases):
        raise InputError(f"{path}: phases", f"{short(phases)} found, expected a list of phases, each with name and start")
    return data


def _is_phase(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("name"), str) or "start" not in data:
        return False
    start = data.get("start")
    return start is None or (isinstance(start, (int, float)) and 0.0 <= start <= LARGEST)


def _surroundings(settings: dict[str, Any], source: Path, robots: int) -> tuple[Grid | None, tuple[Circle, ...], Array, tuple[str, ...]]:
    """Map, goals and footprints as the scenario has them; without them, a notice, when it cannot be had any more."""
    nothing = None, (), np.zeros(robots), ()
    if not settings:
        return nothing
    try:
        scenario = build(Scenario, settings, str(source))
        setup = prepare(scenario, source)
    except InputError as error:
        return *nothing[:3], (f"{source}: drawn without its map ({error})",)
    goals = tuple((goal.position[0], goal.position[1], goal.radius) for goal in scenario.goals)
    radius = setup.fleet.radius if len(setup.fleet) == robots else nothing[2]
    return setup.grid, goals, radius, ()
