"""From a scenario to what a run starts with: robots, poses, map."""

import itertools
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control import paths
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, Society, SwarmState
from swarm_control.errors import InputError, meant_by
from swarm_control.robots import ROBOTS
from swarm_control.scenario.arena import make_arena
from swarm_control.scenario.assumptions import unproven
from swarm_control.scenario.checks import check_setup
from swarm_control.scenario.close_formations import close_formations
from swarm_control.scenario.groups import controls_of, flocks, squads
from swarm_control.scenario.models import unidentified
from swarm_control.scenario.placement import check_free, place
from swarm_control.scenario.reach import always_late, crowded, may_stand, out_of_reach
from swarm_control.scenario.safeguards import check_fences, lacking
from swarm_control.scenario.schema import Arena, RobotGroup, Scenario, Start
from swarm_control.scenario.shared_goals import shared_goals
from swarm_control.scenario.society import make_society
from swarm_control.scenario.traffic import scene_grid
from swarm_control.scenario.trajectories import slowed
from swarm_control.scenario.without_effect import unheeded, unused
from swarm_control.world import World, WorldRobot, read_world

Named = tuple[RobotGroup, tuple[str, ...]]
"""A group of robots and the names that it, or the world file, gives them; those without one are numbered."""


@dataclass(frozen=True)
class Setup:
    """What a run starts with. ``start`` is the robots' state at time 0; ``notices`` are lines for the user; ``society``: their groups."""

    fleet: Fleet
    start: SwarmState
    grid: Grid | None
    notices: tuple[str, ...]
    society: Society


def prepare(scenario: Scenario, source: Path) -> Setup:
    """Read the world, choose the robots and place them; ``source`` is the scenario's file, for relative paths and messages."""
    rng = np.random.default_rng([scenario.seed, 0])
    world, grid, notices = _world(scenario, source)
    groups = _groups(scenario, world)
    _check_names(groups, str(source))
    if not groups:
        raise InputError(f"{source}: robots", "no robots found, expected at least one here or in the world file")
    fleet = _fleet(groups)
    pose, speed, told = _poses(groups, grid, rng, str(source))
    notices += told
    check_free(pose, fleet.radius, fleet.names, grid, f"{source}: robots")
    velocity = np.column_stack((speed * np.cos(pose[:, 2]), speed * np.sin(pose[:, 2]), np.zeros(len(pose))))
    society = make_society([group for group, _ in groups], pose[:, :2], scenario.landmarks, str(source))
    controls, parts = controls_of(scenario, str(source)), squads(scenario.groups, society)
    notices += lacking(controls, pose, fleet, parts) + may_stand(controls, parts, grid, fleet)
    start = SwarmState.of(0.0, pose, velocity)
    notices += unused(scenario) + unidentified(scenario.models)
    notices += unproven(scenario, controls, fleet, parts, start)
    together = flocks(scenario, parts)
    notices += unheeded(scenario, together, str(source))
    notices += out_of_reach(scenario, controls, together, grid, fleet, pose[:, :2]) + always_late(scenario)
    notices += crowded(scenario, controls, parts, fleet, pose[:, :2])
    notices += close_formations(scenario, together, fleet, str(source))
    notices += shared_goals(scenario, together, fleet, str(source))
    notices += slowed(controls, fleet, pose[:, :2], together, f"{source}: formation")
    setup = Setup(fleet, start, grid, notices, society)
    check_fences(scenario, fleet, society, str(source))
    check_setup(scenario, setup, str(source))
    return setup


def world_file(name: str, source: Path) -> Path:
    """Find a world file named in the scenario ``source``: beside it, as given, or among the shipped worlds."""
    for folder in (source.parent, Path(), paths.share() / "worlds"):
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise InputError(f"{source}: world", f"{name} not found, expected a Stage .world file{_like(name, source)}")


def _like(name: str, source: Path) -> str:
    """Which world beside the scenario, or of those shipped, is probably meant by a ``name``."""
    known = [file.name for folder in (source.parent, paths.share() / "worlds") for file in folder.glob("*.world")]
    meant = meant_by(name, known)
    return f"; did you mean {meant}?" if meant else ""


def world_overrides(path: Path, counted: bool) -> list[str]:
    """Changes to a scenario that put a Stage world in place of its own; robots that the file places take the place of the scenario's.

    ``counted``: the number of robots is given elsewhere.
    """
    changes = [f"world={json.dumps(str(path.resolve()))}"]
    placed = read_world(path).robots
    if placed:
        group: dict[str, Any] = {"start": {"pattern": "world"}} if counted else {"count": len(placed), "start": {"pattern": "world"}}
        changes.append(f"robots={json.dumps([group])}")
    return changes


def _world(scenario: Scenario, source: Path) -> tuple[World | None, Grid | None, tuple[str, ...]]:
    if scenario.world is None:
        return None, None, ()
    if isinstance(scenario.world, Arena):
        if scenario.world.scene:
            return None, scene_grid(scenario, scenario.world) if scenario.robots else None, ()
        count = sum(group.count for group in scenario.robots)
        return None, make_arena(scenario.world, count, np.random.default_rng([scenario.seed, 1])), ()
    world = read_world(world_file(scenario.world, source))
    return world, world.occupancy() if world.walls else None, world.notices


def _groups(scenario: Scenario, world: World | None) -> list[Named]:
    """The scenario's groups with their names; those that start where the world file says are filled in from it."""
    placed = () if world is None else world.robots
    groups: list[Named] = []
    if not scenario.robots:
        return _from_world(RobotGroup(count=len(placed)), placed) if placed else []
    for group in scenario.robots:
        if group.start.pattern == "world":
            groups += _from_world(group, placed)
        else:
            groups.append((group, group.names[: group.count]))
    return groups


def _from_world(group: RobotGroup, placed: tuple[WorldRobot, ...]) -> list[Named]:
    """One group per robot of the world file, up to the group's count; the rest of the count is scattered around its centre."""
    found: list[Named] = []
    for robot in placed[: group.count]:
        x, y, yaw = robot.pose
        found.append((
            replace(
                group, count=1, model=_model_of(robot.drive),
                radius=0.5 * max(robot.size), wheel_base=robot.size[1],
                max_speed=max(map(abs, robot.velocity_bounds[0])) or group.max_speed,
                max_turn_rate=max(map(abs, robot.velocity_bounds[2])) or group.max_turn_rate,
                start=Start(pattern="poses", poses=((x, y, float(np.rad2deg(yaw))),)),
            ),
            (robot.name,),
        ))  # fmt: skip
    left = group.count - len(found)
    if left > 0:
        found.append((replace(group, count=left, start=replace(group.start, pattern="scatter")), group.names[:left]))
    return found


def _model_of(drive: str) -> str:
    """The motion model that a drive of Stage stands for."""
    return next(model.name for model in ROBOTS.values() if model.stage is not None and model.stage.reads == drive)


def _check_names(groups: list[Named], source: str) -> None:
    """``InputError`` for a name of ``robots[].names`` that is empty, or another robot's, too."""
    given = Counter(name for _, names in groups for name in names)
    for name in (name for group, _ in groups for name in group.names):
        if not name or given[name] > 1:
            raise InputError(f"{source}: robots", f"the name {name!r} found{' twice' if name else ''}, expected a name for each robot")


def _names(groups: list[Named]) -> tuple[str, ...]:
    """The names given, and ``robot_<k>`` for the others, k counting up past names that are taken."""
    given = {name for _, names in groups for name in names}
    free = (name for name in (f"robot_{k}" for k in itertools.count()) if name not in given)
    return tuple(name for group, names in groups for name in (*names, *itertools.islice(free, group.count - len(names))))


def _fleet(groups: list[Named]) -> Fleet:
    counts = [group.count for group, _ in groups]

    def column(name: str) -> Array:
        return np.repeat([float(getattr(group, name)) for group, _ in groups], counts)

    model = tuple(group.model for group, _ in groups for _ in range(group.count))
    names = _names(groups)
    columns = map(column, ("radius", "max_speed", "max_acceleration", "max_turn_rate", "wheel_base"))
    return Fleet(names, model, *columns)


def _poses(groups: list[Named], grid: Grid | None, rng: np.random.Generator, source: str) -> tuple[Array, Array, tuple[str, ...]]:
    poses, speeds, notices, taken = [], [], [], np.empty((0, 3))
    for k, (group, _) in enumerate(groups):
        pose, told = place(group, taken, grid, rng, f"{source}: robots[{k}]")
        taken = np.vstack((taken, np.column_stack((pose[:, :2], np.full(len(pose), group.radius)))))
        poses.append(pose)
        notices += [told] if told else []
        speeds.append(np.full(len(pose), group.start.speed))
    return np.vstack(poses), np.concatenate(speeds), tuple(notices)
