"""Trajectories that scenarios name: where their files are, and the goal that stands for one."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from swarm_control import paths
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.formation.design import designs, impose
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.structure import members
from swarm_control.formation.trajectory_files import read_trajectory
from swarm_control.scenario.groups import Controls, Flock
from swarm_control.scenario.schema import Goal, Scenario


def with_trajectories(scenario: Scenario, source: Path) -> Scenario:
    """The scenario with the paths of trajectory files made absolute; the end of the trajectory is the formation's goal.

    ``InputError`` for files that are not there or damaged, and for goals of the formation beside them.
    """
    control = scenario.control
    if name := control.formation.trajectory:
        goals, found = _goals(name, scenario.goals, source, "control.formation.trajectory")
        formation = replace(control.formation, trajectory=found)
        scenario = replace(scenario, goals=goals, control=replace(control, formation=formation))
    groups = dict(scenario.groups)
    for group, own in scenario.groups.items():
        if given := own.formation.get("trajectory"):
            goals, found = _goals(str(given), own.goals, source, f"groups.{group}.formation.trajectory")
            groups[group] = replace(own, goals=goals, formation={**own.formation, "trajectory": found})
    return replace(scenario, groups=groups) if groups != scenario.groups else scenario


def trajectory_of(path: str) -> Itinerary | None:
    """What is in the file of a loaded scenario's trajectory; None where no file is named, or none that can be read any more."""
    try:
        return _read(path) if path else None
    except InputError:
        return None


def slowed(controls: Controls, fleet: Fleet, position: Array, flocks: Sequence[Flock], source: str) -> tuple[str, ...]:
    """A line for each flock whose trajectory its robots, at ``position`` (N, 2) m, cannot follow as fast as its file says."""
    lines = []
    for flock in flocks:
        params = controls.of(flock.name).formation
        trajectory = trajectory_of(params.trajectory)
        if trajectory is None or not params.enabled:
            continue
        everybody = tuple(fleet.names[k] for k in flock.robots)
        for asked in designs(params, fleet.names, source, everybody)[:1]:
            robots = members(asked.names, fleet.names)
            points = impose(asked, position[robots]).about(np.array(params.pivot)).points
            slower = trajectory.path(points, fleet.take(robots), params.drive)[1]
            if slower > 1.0:
                lines.append(told(slower, Path(params.trajectory).name))
    return tuple(lines)


def told(slower: float, what: str) -> str:
    """That a trajectory is slowed, in a line."""
    return f"{what} is slowed {slower:.3g} times: the formation's robots cannot follow it as fast as it says"


def _goals(name: str, goals: tuple[Goal, ...], source: Path, key: str) -> tuple[tuple[Goal, ...], str]:
    path = _find(name, source, key)
    end = _read(str(path)).end
    goal = Goal(position=(float(end[0]), float(end[1])), heading=float(np.rad2deg(end[2])))
    if goals not in ((), (goal,)):
        raise InputError(f"{source}: {key}", "found beside goals, expected one of them")
    return (goal,), str(path)


def _find(name: str, source: Path, key: str) -> Path:
    """Beside the scenario's file, as given, or among the shipped ones."""
    for folder in (source.parent, Path(), paths.share() / "config" / "trajectories"):
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise InputError(f"{source}: {key}", f"{name} not found, expected a .csv or .svg file")


@lru_cache(maxsize=16)
def _read(path: str) -> Itinerary:
    return read_trajectory(Path(path))
