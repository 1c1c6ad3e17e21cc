"""What no single value of a scenario can tell: refused before a run, with the place in the file."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from swarm_control.core.parameters import short
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.formation.design import designs, some_names
from swarm_control.scenario.groups import PREFIX, Controls, Squad, controls_of, flocks, squads, stages
from swarm_control.scenario.safeguards import check_caps_now, check_fences_now
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.society import check_forces, group_names
from swarm_control.scenario.topic_names import real_topics

if TYPE_CHECKING:
    from swarm_control.scenario.setup import Setup


ADDRESSABLE = re.compile("[A-Za-z0-9_-]+")
"""Names of groups that have settings: these are parts of parameters' names."""


def check_controls(scenario: Scenario, where: str) -> None:
    """Refuse groups, leaders, laws and phases that do not fit each other or the robots; ``where``: the file."""
    check_odometry(scenario, where)
    members = [group_names(group.group, where) for group in scenario.robots]
    _check_groups(scenario, members, where)
    controls = controls_of(scenario, where)
    for name in ("", *scenario.groups):
        place = f"{where}: groups.{name}.control" if name else f"{where}: control"
        robots = sum(group.count for group, own in zip(scenario.robots, members) if (name in own if name else not own & controls.apart))
        leaders = controls.of(name).leaders.number(robots)
        if robots and leaders > robots and (not name or name in controls.apart):
            raise InputError(f"{place}.leaders.count", f"{leaders} leaders found, expected at most {robots}")
        check_forces(scenario, controls.of(name), f"{place}.")
    for k, phase in enumerate(scenario.phases):
        place = f"{where}: phases[{k}].set"
        changed = controls.change(phase.set, place)
        for name in ("", *scenario.groups):
            check_forces(scenario, changed.of(name), f"{place}: {f'groups.{name}.' if name else ''}")
        if changed.common.period != scenario.control.period:
            raise InputError(f"{place}.period", "the period lasts for a whole run, expected other parameters")


def check_odometry(scenario: Scenario, where: str) -> None:
    """Refuse robots' own frames that begin where chance or a pattern puts the robots, and covariances that are used however large."""
    odometry = scenario.hardware.odometry
    if odometry.use_covariance and odometry.max_deviation == 0.0:
        reason = "true found without hardware.odometry.max_deviation; expected one, beyond which a robot stands"
        raise InputError(f"{where}: hardware.odometry.use_covariance", reason)
    for k, group in enumerate(scenario.robots):
        if odometry.frame == "start" and group.start.pattern != "poses":
            raise InputError(
                f"{where}: hardware.odometry.frame",
                f"start found, but robots[{k}].start.pattern is {group.start.pattern}; expected poses, which robots are put at",
            )


def _check_groups(scenario: Scenario, members: Sequence[frozenset[str]], where: str) -> None:
    """``InputError`` for groups without robots, and for robots in two of them; ``members``: groups of each of ``robots``."""
    for k, own in enumerate(members):
        both = sorted(own & scenario.groups.keys())
        if len(both) > 1:
            raise InputError(f"{where}: robots[{k}].group", f"{' and '.join(both)} found, expected one group at most that has settings")
    known = frozenset().union(*members) - {""}
    for name in scenario.groups:
        if not ADDRESSABLE.fullmatch(name):
            raise InputError(f"{where}: groups", f"the name {short(name)} found, expected letters from A to z, digits, _ and -")
        if name not in known:
            expected = f"one of {', '.join(sorted(known))}" if known else "the name of a group of robots, robots[].group"
            raise InputError(f"{where}: groups.{name}", f"a group without robots found, expected {expected}")


def check_live(scenario: Scenario, fleet: Fleet, squads: Sequence[Squad], controls: Controls, where: str) -> None:
    """``InputError`` at ``where`` for parameters that a run of the ``scenario`` with these robots cannot be given on its way."""
    if controls.common.period != scenario.control.period:
        expected = f"expected {scenario.control.period:g} s, as the period lasts for a whole run"
        raise InputError(f"{where}: period", f"{controls.common.period:g} s found, {expected}")
    _check_absent(controls, fleet.names, f"{where}: away")
    for squad in squads:
        group = f"{PREFIX}{squad.name}." if squad.name else ""
        check_forces(scenario, controls.of(squad.name), f"{where}: {group}")
    check_fences_now(controls, fleet, squads, where)
    check_caps_now(controls, fleet, squads, scenario.bodies, where)


def _check_absent(controls: Controls, names: tuple[str, ...], where: str) -> None:
    """``InputError`` at ``where`` for robots that are away and not there at all."""
    for name in controls.common.away:
        if name not in names:
            raise InputError(where, f"{name!r} found, expected the name of a robot: {some_names(names)}")


def check_setup(scenario: Scenario, setup: "Setup", source: str) -> None:
    """Refuse formations that cannot be made, goals that do not fit the robots, radios of nobody, and failures of robots not there."""
    _check_parts(scenario, _parts(scenario, setup, source), source)
    _check_places(scenario, setup, source)
    real_topics(scenario.hardware.topics, setup.fleet.names, f"{source}: hardware.topics")
    if scenario.simulator.radio_range > 0.0 and not scenario.simulator.onboard:
        place = f"{source}: simulator.radio_range"
        raise InputError(place, f"{scenario.simulator.radio_range:g} m found, expected 0, or simulator.onboard: true beside it")
    if scenario.simulator.radio_range > 0.0 and not scenario.simulator.agree:
        raise InputError(f"{source}: simulator.agree", "false found, expected true beside simulator.radio_range: each would go its own way")
    for k, failure in enumerate(scenario.simulator.failures):
        if failure.robot not in setup.fleet.names:
            place = f"{source}: simulator.failures[{k}].robot"
            raise InputError(place, f"{failure.robot!r} found, expected the name of a robot: {some_names(setup.fleet.names)}")


def _parts(scenario: Scenario, setup: "Setup", source: str) -> dict[str, int]:
    """Into how many parts, at most, the formation of each flock splits; ``InputError`` for one that cannot be made."""
    parts = dict.fromkeys(("", *scenario.groups), 0)
    teams = flocks(scenario, squads(scenario.groups, setup.society))
    for controls, phase in stages(scenario, source):
        _check_absent(controls, setup.fleet.names, f"{source}: {'control.' if phase is None else f'phases[{phase}].set: '}away")
        for flock in teams:
            formation = controls.of(flock.name).formation
            if not formation.enabled:
                continue
            group = f"groups.{flock.name}." if flock.name else ""
            where = f"{source}: {group or 'control.'}formation" if phase is None else f"{source}: phases[{phase}].set: {group}formation"
            made = designs(formation, setup.fleet.names, where, _names(setup.fleet, flock.robots.tolist()))
            parts[flock.name] = max(parts[flock.name], len(made) if formation.split else 0)
    return parts


def _names(fleet: Fleet, robots: list[int]) -> tuple[str, ...]:
    return tuple(fleet.names[robot] for robot in robots)


def _check_parts(scenario: Scenario, parts: dict[str, int], source: str) -> None:
    for name, goals in (("", scenario.goals), *((name, group.goals) for name, group in scenario.groups.items())):
        for k, goal in enumerate(goals):
            if goal.part > parts[name]:
                known = f"at most {parts[name]}, as many parts as formation.split makes"
                expected = known if parts[name] else "0, as formation.split is never set"
                place = f"groups.{name}.goals" if name else "goals"
                raise InputError(f"{source}: {place}[{k}].part", f"{goal.part} found, expected {expected}")


def _check_places(scenario: Scenario, setup: "Setup", source: str) -> None:
    """Goals with places for each robot must have as many as the flock has robots."""
    for flock in flocks(scenario, squads(scenario.groups, setup.society)):
        own = bool(flock.name and scenario.groups[flock.name].goals)
        for k, goal in enumerate(flock.goals):
            if goal.each and len(goal.each) != 2 * len(flock.robots):
                place = f"groups.{flock.name}.goals" if own else "goals"
                what = f"{len(goal.each) / 2:g} points found for {len(flock.robots)} robots, expected as many of each"
                raise InputError(f"{source}: {place}[{k}].each", what)
