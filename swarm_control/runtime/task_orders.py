"""From a task to goals and parameters: for whom it is, where robots go by it, and what makes no sense."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.behaviour import goal_weights, heeds_goals
from swarm_control.core.geometry import Array
from swarm_control.core.ground import FreeGround
from swarm_control.core.parameters import short
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.task import Place, Task
from swarm_control.scenario.groups import Controls, forms
from swarm_control.scenario.schema import Control, Goal, Scenario

FARTHEST = 1e6
"""Bound of places (m) and headings (degrees), as in scenarios."""


@dataclass(frozen=True)
class FormationNews:
    """How the formation of a flock stands: its ``pose`` (3,), of the first of its ``parts``, whether it is at ``rest`` with all robots in
    their places, its ``problem`` in words, if it has any, and its ``error``: how far (m) robots are from their places, on average.
    """

    pose: Array
    parts: int
    rest: bool
    problem: str = ""
    error: float = 0.0


@dataclass(frozen=True)
class SwarmNews:
    """How the swarm stands: its ``state``, its parameters, and the formations of the flocks (by number) that keep one."""

    state: SwarmState
    controls: Controls
    formations: Mapping[int, FormationNews | None]


class TaskOrders:
    """What the tasks of a ``mission`` of the ``scenario`` mean for robots on the ``ground``."""

    def __init__(self, scenario: Scenario, mission: Mission, ground: FreeGround) -> None:
        self._scenario, self._mission, self._ground = scenario, mission, ground

    def flock(self, task: Task) -> int:
        """The number of the flock that a task is for."""
        names = [flock.name for flock in self._mission.flocks]
        if task.group in names:
            return names.index(task.group)
        if not task.group and (len(names) == 1 or task.kind in ("phase", "leave", "join")):
            return 0
        expected = ", ".join(repr(name) for name in names if name) or "no group, as all robots have the same goals"
        raise InputError("task.group", f"{task.group!r} found, expected {expected}")

    def check_standing(self, flock: int) -> None:
        """``InputError`` where a flock (its number) has robots that cannot stand still."""
        models = [group.model for group in self._scenario.robots for _ in range(group.count)]
        never = sorted({models[robot] for robot in self._mission.flocks[flock].robots if not ROBOTS[models[robot]].stops})
        if never:
            raise InputError("task.kind", f"hold for {', '.join(never)} found, expected robots that can stand still")

    def check_going(self, control: Control) -> None:
        """``InputError`` for a flock without a formation, with these parameters, that goes nowhere."""
        if not heeds_goals(control):
            raise InputError("task.kind", f"robots without a behaviour that goes to goals found, expected {goal_weights()} above 0")

    def check(self, task: Task, news: SwarmNews) -> None:
        """``InputError`` for goals to which no robot of the flock can go."""
        if not task.goals:
            raise InputError("task.goals", "nothing found, expected at least one place: x, y")
        for place in task.goals:
            if not max(map(abs, place)) <= FARTHEST:
                raise InputError("task.goals", f"({place[0]:g}, {place[1]:g}) found, expected numbers within {FARTHEST:g}")
        own = [group.radius for group in self._scenario.robots if group.group == task.group]
        body = min(own or [group.radius for group in self._scenario.robots])
        places = np.array([goal[:2] for goal in task.goals])
        for goal, clear in zip(task.goals, self._ground.free(places, body)):
            if not clear:
                found = f"({goal[0]:g}, {goal[1]:g}) found"
                raise InputError("task.goals", f"{found}, expected a place on the map with {body:g} m to its walls")
        robots = self._mission.flocks[self.flock(task)].robots
        known = news.state.position[robots][news.state.valid[robots]]
        for goal, place in zip(task.goals, places):
            if len(known) and not self._ground.joined(place, known, body).any():
                raise InputError("task.goals", f"({goal[0]:g}, {goal[1]:g}) found, expected a place to which a free way leads")

    def check_settings(self, settings: Mapping[str, Any]) -> None:
        """``InputError`` for parameters of a formation that a task cannot set."""
        if not settings:
            raise InputError("task.settings", "nothing found, expected parameters of control.formation, such as shape")
        if settings.get("enabled", True) is not True:
            raise InputError("task.settings", "enabled false found, expected a formation: swarm param set switches one off")
        if "trajectory" in settings:
            raise InputError("task.settings", "trajectory found, expected it in the scenario, or a path on structure/path")

    def check_forming(self) -> None:
        """``InputError`` in a scenario whose robots never keep a formation: its runs have nobody who could."""
        if not forms(self._scenario):
            raise InputError("task.kind", "form in a scenario without formations found, expected formation.enabled in it or in a phase")

    def here(self, flock: int, news: SwarmNews) -> tuple[Place, ...]:
        """Where a flock is: the pose of its formation, or the place of each robot."""
        formation = news.formations.get(flock)
        if formation is not None:
            x, y, yaw = formation.pose
            return ((float(x), float(y), float(np.rad2deg(yaw))),)
        robots = self._mission.flocks[flock].robots
        own, known = news.state.position[robots], news.state.valid[robots]
        if not known.any():
            raise InputError("task.kind", "robots that nobody hears found, expected to know where one of them is")
        places = np.where(known[:, None], own, own[known].mean(axis=0))
        return tuple((float(x), float(y), 0.0) for x, y in places)

    def goals(self, task: Task) -> list[Goal]:
        """The goals of a task that sends robots somewhere, otherwise as the scenario has them."""
        flock = self.flock(task)
        former = self._mission.directors[flock].goals
        as_before = replace(former[0], time=0.0, part=0, each=()) if former else Goal()
        if task.kind == "hold" and len(task.goals) > 1:
            flat = tuple(value for x, y, _ in task.goals for value in (x, y))
            return [replace(as_before, position=task.goals[0][:2], each=flat)]
        return [replace(as_before, position=(x, y), heading=heading) for x, y, heading in task.goals]

    def away(self, task: Task, news: SwarmNews) -> tuple[str, ...]:
        """Who is away when a task has had robots leave, or join; that they are the swarm's is checked with the parameter."""
        given, before = task.settings.get("robots"), news.controls.common.away
        named = isinstance(given, list | tuple) and all(isinstance(one, str) for one in given)
        if not given or not named or len(task.settings) > 1:
            raise InputError("task.settings", f"{short(dict(task.settings))} found, expected robots: a list of names")
        if task.kind == "leave":
            return tuple(dict.fromkeys((*before, *given)))
        if strangers := ", ".join(one for one in given if one not in before):
            raise InputError("task.settings", f"{strangers} found, expected robots that are away: {', '.join(before) or 'none is'}")
        return tuple(one for one in before if one not in given)

    def phase(self, name: str) -> dict[str, Any]:
        """What a phase of the scenario sets."""
        names = [phase.name or f"phase {k + 1}" for k, phase in enumerate(self._scenario.phases)]
        if name not in names:
            raise InputError("task.phase", f"{name!r} found, expected {', '.join(names) or 'a scenario with phases'}")
        return dict(self._scenario.phases[names.index(name)].set)
