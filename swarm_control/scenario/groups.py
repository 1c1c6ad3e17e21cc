"""Groups of robots with goals and parameters of their own: who they are, and which ``control`` tree holds for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from swarm_control.core.geometry import IntArray
from swarm_control.core.parameters import Spec, plain
from swarm_control.core.state import Society
from swarm_control.errors import InputError
from swarm_control.scenario.schema import Control, Goal, Group, Scenario
from swarm_control.scenario.tree import change, dotted, flatten

PREFIX = "groups."
FORMATION = "formation."
TOGETHER = (FORMATION, "leaders.")
"""Beginnings of the names of what a flock has as a whole: not for a group that goes with others."""

COMMON = ("period", "away", "safety.odometry_timeout", "safety.command_timeout")
"""Parameters that are the same for all robots."""


@dataclass(frozen=True)
class Squad:
    """The ``robots`` (indices) that one ``control`` tree holds for; ``name`` of their group, empty for robots in none that has its own."""

    name: str
    robots: IntArray


@dataclass(frozen=True)
class Controls:
    """The ``control`` trees of a swarm: the ``common`` one, and what groups have of their ``own`` (group → dotted name → value) over it.

    ``apart``: groups that go their own way, to goals or in a formation; the robots of the others are part of the common flock.
    """

    common: Control
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()

    def of(self, group: str) -> Control:
        """The tree of a group; of robots in none: the common one."""
        return self._made.get(group, self.common)

    @cached_property
    def _made(self) -> dict[str, Control]:
        return {group: change(self.common, own, f"{PREFIX}{group}") for group, own in self.own.items()}

    def change(self, changes: Mapping[str, Any], where: str) -> "Controls":
        """A copy with dotted parameters changed; ``groups.<group>.…`` are a group's. All of them or ``InputError`` at ``where``."""
        if not changes:
            return self
        common = {name: value for name, value in changes.items() if not name.startswith(PREFIX)}
        own = {group: dict(values) for group, values in self.own.items()}
        for name, value in changes.items():
            if name.startswith(PREFIX):
                group, _, rest = name.removeprefix(PREFIX).partition(".")
                if group not in own:
                    known = ", ".join(own) or "none, as the scenario has no groups"
                    raise InputError(f"{where}: {name}", f"group {group!r} found, expected one of {known}")
                _check_own(rest, f"{where}: {name}", group, group in self.apart)
                own[group][rest] = plain(value)
        made = Controls(change(self.common, common, where), own, self.apart)
        for group, values in own.items():
            change(made.common, values, where, f"{PREFIX}{group}.")
        return made

    def differences(self, old: "Controls") -> dict[str, Any]:
        """What to change in ``old`` for the same to hold as here: dotted name → value; nothing of groups that ``old`` does not have.

        What a group no longer has of its own is changed to what it follows now.
        """
        before = _values(old.common)
        found = {name: value for name, value in _values(self.common).items() if value != before[name]}
        for group in self.own.keys() & old.own.keys():
            former, now = old.own[group], _values(self.of(group))
            known = _values(old.of(group))
            for name in {**former, **self.own[group]}:
                if name not in former or now[name] != known[name]:
                    found[f"{PREFIX}{group}.{name}"] = now[name]
        return found

    def followers(self, name: str) -> list[str]:
        """The full names of groups' parameters that follow the common one called ``name``."""
        if name in COMMON or name.startswith(PREFIX):
            return []
        groups = [group for group, own in self.own.items() if name not in own]
        return [f"{PREFIX}{group}.{name}" for group in groups if group in self.apart or not name.startswith(TOGETHER)]

    def needed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of ``values`` (dotted name → value) that have to be set for all to hold: not what groups follow or have already."""
        common = {name: value for name, value in values.items() if not name.startswith(PREFIX)}
        made = {name: value for name, _, value in self.change(common, "values").flatten()}
        return {name: value for name, value in values.items() if name in common or made.get(name) != value}

    def flatten(self) -> Iterator[tuple[str, Spec, Any]]:
        """(dotted name, declaration, value) of every parameter: the common ones, then those of each group, its own or not."""
        yield from flatten(self.common)
        for group in self.own:
            for name, spec, value in flatten(self.of(group)):
                if name not in COMMON and (group in self.apart or not name.startswith(TOGETHER)):
                    yield f"{PREFIX}{group}.{name}", spec, value


def bare(name: str) -> str:
    """The name in the ``control`` tree of a parameter that may be a group's."""
    return name.split(".", 2)[2] if name.startswith(PREFIX) else name


def controls_of(scenario: Scenario, where: str) -> Controls:
    """The scenario's trees; ``InputError`` at ``where`` (the file) for settings of groups that cannot be."""
    own: dict[str, dict[str, Any]] = {}
    apart = frozenset(name for name in scenario.groups if _apart(scenario, name))
    for name, group in scenario.groups.items():
        control, formation = dotted(group.control, ""), dotted(group.formation, FORMATION)
        if formation and "formation" in group.control:
            raise InputError(f"{where}: {PREFIX}{name}.control.formation", f"found beside {PREFIX}{name}.formation, expected one of them")
        for path in control:
            _check_own(path, f"{where}: {PREFIX}{name}.control.{path}", name, name in apart)
        change(scenario.control, control, where, f"{PREFIX}{name}.control.")
        change(scenario.control, formation, where, f"{PREFIX}{name}.")
        own[name] = {**control, **formation}
    return Controls(scenario.control, own, apart)


def squads(groups: Mapping[str, Group], society: Society) -> tuple[Squad, ...]:
    """Who the groups are, the robots in none of them first where there are any. Without groups: all robots."""
    kinds, robot = society.kinds, society.robot
    found = [Squad(name, np.flatnonzero(np.array([name in kind for kind in kinds])[robot])) for name in groups]
    rest = np.flatnonzero(np.array([not kind & groups.keys() for kind in kinds])[robot])
    return (Squad("", rest), *found) if len(rest) or not found else tuple(found)


@dataclass(frozen=True)
class Flock:
    """Robots that go to the same goals: ``squads`` (indices of those of the swarm) with their ``robots`` (indices), and their ``goals``.

    ``name`` of their group; empty for those without goals of their own.
    """

    name: str
    squads: tuple[int, ...]
    robots: IntArray
    goals: tuple[Goal, ...]


def flocks(scenario: Scenario, squads: Sequence[Squad]) -> tuple[Flock, ...]:
    """The squads by their goals: those of a group that has goals or a formation of its own are a flock of their own."""
    own = [bool(squad.name) and _apart(scenario, squad.name) for squad in squads]
    rest = tuple(k for k, alone in enumerate(own) if not alone)
    together = np.sort(np.concatenate([np.empty(0, np.int64), *(squads[k].robots for k in rest)]))
    found = [Flock("", rest, together, scenario.goals)] if len(together) else []
    for k, squad in enumerate(squads):
        if own[k]:
            found.append(Flock(squad.name, (k,), squad.robots, scenario.groups[squad.name].goals or scenario.goals))
    return tuple(found)


def in_formation(flocks: Sequence[Flock], controls: Controls) -> list[int]:
    """Which flocks (numbers) keep a formation."""
    return [number for number, flock in enumerate(flocks) if controls.of(flock.name).formation.enabled]


def stages(scenario: Scenario, where: str) -> Iterator[tuple[Controls, int | None]]:
    """The parameters at the start, and as each phase (its number in the file) leaves them, in the order of time; ``where``: the file."""
    controls = controls_of(scenario, where)
    yield controls, None
    for k in sorted(range(len(scenario.phases)), key=lambda k: scenario.phases[k].start):
        controls = controls.change(scenario.phases[k].set, f"{where}: phases[{k}].set")
        yield controls, k


def forms(scenario: Scenario) -> bool:
    """Whether robots keep a formation at any time."""
    trees = (controls.of(group) for controls, _ in stages(scenario, scenario.name) for group in ("", *scenario.groups))
    return any(tree.formation.enabled for tree in trees)


def _apart(scenario: Scenario, name: str) -> bool:
    """Whether a group goes its own way: it has goals or a formation of its own, from the start or from a phase on."""
    group, path = scenario.groups[name], f"{PREFIX}{name}.{FORMATION}"
    later = any(key.startswith(path) for phase in scenario.phases for key in phase.set)
    return bool(group.goals or group.formation or "formation" in group.control or later)


def _values(control: Control) -> dict[str, Any]:
    return {name: value for name, _, value in flatten(control)}


def _check_own(path: str, where: str, group: str, apart: bool) -> None:
    if path in COMMON:
        raise InputError(where, f"common to all robots, expected in control: {path}")
    if path.startswith(TOGETHER) and not apart:
        kind, expected = path.partition(".")[0], f"expected groups.{group}.formation or groups.{group}.goals in the scenario"
        raise InputError(where, f"{group} has no {kind} of its own, {expected}")
