"""What a scenario is, in a few lines: who moves, where, whereto, by which behaviours, and what of the world is not as it should be."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.behaviours import BEHAVIOURS, active
from swarm_control.core.grid import Grid
from swarm_control.robots import ROBOTS
from swarm_control.scenario.groups import Controls, bare, controls_of
from swarm_control.scenario.schema import Arena, Control, Goal, Landmarks, RobotGroup, Scenario, Simulator
from swarm_control.scenario.setup import Setup
from swarm_control.scenario.tree import to_data

Line = tuple[str, str]
"""A heading and what there is to say under it; an empty heading goes on under the last."""


def summarise(scenario: Scenario, setup: Setup, source: Path) -> list[Line]:
    """What there is to know of a scenario that is ready to run."""
    controls = controls_of(scenario, str(source))
    return [
        ("file", str(source)), *_robots(scenario, setup), ("world", _world(scenario, setup.grid)), *_goals(scenario),
        *_control(scenario, controls), *_later(scenario), *_disturbed(scenario.simulator),
        ("duration", f"{scenario.duration:g} s, a tick every {scenario.control.period:g} s, seed {scenario.seed}"),
    ]  # fmt: skip


def _headed(heading: str, lines: Sequence[str]) -> Iterator[Line]:
    for k, line in enumerate(lines):
        yield ("" if k else heading), line


def _robots(scenario: Scenario, setup: Setup) -> Iterator[Line]:
    groups = scenario.robots or ()
    lines = [_robot_group(group) for group in groups]
    if not lines:
        lines = [f"{len(setup.fleet)}, as the world file says"]
    if len(lines) > 1:
        lines.append(f"{len(setup.fleet)} in all")
    if setup.fleet.dynamic:
        lines.append("MuJoCo moves them")
    lines += [f"landmarks of {marks.group or 'no group'}: {_landmarks(marks)}" for marks in scenario.landmarks]
    return _headed("robots", lines)


def _landmarks(marks: Landmarks) -> str:
    if marks.shape == "circle":
        return f"{marks.count} on a circle of radius {marks.radius:g} m at ({marks.center[0]:g}, {marks.center[1]:g})"
    return f"{len(marks.points) // 2} points" if marks.shape == "points" else f"a {marks.shape} through {len(marks.points) // 2} points"


def _robot_group(group: RobotGroup) -> str:
    start, model = group.start, ROBOTS[group.model]
    where = f"{start.pattern} at ({start.center[0]:g}, {start.center[1]:g})" if start.pattern not in ("poses", "world") else start.pattern
    turn = f", {group.max_turn_rate:g} rad/s" if model.rolls else ""
    limits = f"up to {group.max_speed:g} m/s and {group.max_acceleration:g} m/s²{turn}"
    named = f" in {group.group}" if group.group else ""
    leading = ", leading" if group.role == "leading" else ""
    return f"{group.count} {group.model}{named}{leading}: radius {group.radius:g} m, {limits}; start: {where}"


def _world(scenario: Scenario, grid: Grid | None) -> str:
    if grid is None:
        return "open space"
    x0, x1, y0, y1 = grid.extent
    free = float(np.mean(~grid.occupied))
    named = "made to measure" if isinstance(scenario.world, Arena) else str(scenario.world)
    return f"{named}: {x1 - x0:.4g} × {y1 - y0:.4g} m from ({x0:.4g}, {y0:.4g}), {100 * free:.0f} % free, cells of {grid.resolution:g} m"


def _goals(scenario: Scenario) -> Iterator[Line]:
    lines = [_goal(goal) for goal in scenario.goals]
    for name, group in scenario.groups.items():
        lines += [f"{name}: {_goal(goal)}" for goal in group.goals]
    return _headed("goals", lines or ["none"])


def _goal(goal: Goal) -> str:
    if goal.each:
        return f"a place for each of {len(goal.each) // 2} robots"
    within = f", within {goal.arrival_radius:g} m" if goal.arrival_radius else ""
    return f"({goal.position[0]:g}, {goal.position[1]:g}), reached when {100 * goal.fraction:g} % have arrived{within}"


def _control(scenario: Scenario, controls: Controls) -> Iterator[Line]:
    yield from _headed("control", list(_tree(controls.common)))
    for name in scenario.groups:
        if own := controls.own[name]:
            yield f"  {name}", ", ".join(f"{bare(path)} {_short(value)}" for path, value in own.items())


def _tree(control: Control) -> Iterator[str]:
    formation, accumulation = control.formation, control.accumulation
    if formation.enabled:
        yield f"formation {formation.shape}, neighbours {formation.spacing:g} m apart"
    named = active(control)
    if named and not formation.enabled:
        first = [name for name in accumulation.priority if name in named] if accumulation.method == "prioritised" else []
        order = [*first, *(name for name in named if name not in first)]
        yield f"{accumulation.method}: " + ", ".join(f"{name} {getattr(control, name).weight:g}" for name in order)
    elif not formation.enabled:
        yield "no behaviour has a weight"
    filtered, safety = control.separation_filter, control.safety
    yield (f"separation filter with a margin of {filtered.margin:g} m" if filtered.enabled else "no separation filter") + (
        f"; robots whose odometry is older than {safety.odometry_timeout:g} s stop"
    )
    yield _heeded(control, named)


def _heeded(control: Control, named: Sequence[str]) -> str:
    seen = control.perception
    if named and all(BEHAVIOURS[name].hears_all(control) for name in named):
        return "robots heed all others, however far"
    heeded = f"the {seen.count} nearest" if seen.count else "all"
    return f"robots heed {heeded} within {seen.radius:g} m" + (", but for those hidden by others" if seen.occlusion else "")


def _later(scenario: Scenario) -> Iterator[Line]:
    for k, phase in enumerate(sorted(scenario.phases, key=lambda phase: phase.start)):
        changed = ", ".join(f"{name} {_short(value)}" for name, value in phase.set.items())
        yield ("" if k else "phases"), f"{phase.name or f'phase {k + 1}'} from {phase.start:g} s" + (f": {changed}" if changed else "")
    for k, event in enumerate(scenario.events):
        yield ("" if k else "events"), f"{event.of or 'landmarks'} near {event.by or 'robots'} come to be {event.becomes}"


def _short(value: Any) -> str:
    """A value, of a list its length."""
    return f"({len(value)} of them)" if isinstance(value, (list, tuple)) else str(value)


def _disturbed(simulator: Simulator) -> Iterator[Line]:
    """What of the simulator is not as it is by default."""
    usual = to_data(Simulator())
    changed = {name: value for name, value in to_data(simulator).items() if value != usual[name] and name not in ("dt", "failures")}
    lines = [", ".join(f"{name} {value}" for name, value in changed.items())] if changed else []
    lines += [f"{failure.robot} stands from {failure.start:g} to {failure.end:g} s" for failure in simulator.failures]
    return _headed("disturbed", lines)
