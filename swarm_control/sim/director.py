"""Progress of a scenario: whose turn each goal is, who leads, which parameters hold. The same for ``simulate`` and the node."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.leaders import assign_goals
from swarm_control.core.social.moves import Move
from swarm_control.core.state import Society, SwarmState
from swarm_control.scenario.schema import Control, Goal, Phase, Scenario
from swarm_control.scenario.tree import change
from swarm_control.sim.events import Events


@dataclass(frozen=True)
class Orders:
    """What the director wants now: ``goal`` (N, 2) m per robot, NaN for those that feel no urge, around ``target`` (2,) m, NaN when
    there is no goal; world frame. ``arrived`` (N,): who is at the present goal. ``done``: the last goal has been reached.
    """

    goal: Array
    target: Array
    goal_index: int
    arrived: BoolArray
    done: bool


@dataclass
class Stage:
    """One entry of the result's ``phases``."""

    name: str
    start: float
    end: float | None = None
    arrived_fraction: float | None = None


class Director:
    """Takes the flock from goal to goal: the next one's turn comes when the present one's ``fraction`` has arrived."""

    def __init__(self, scenario: Scenario, society: Society | None = None) -> None:
        self.goals: list[Goal] = list(scenario.goals)
        self.phases: tuple[Phase, ...] = tuple(sorted(scenario.phases, key=lambda phase: phase.start))
        self.index = 0
        self.done_at: float | None = None
        self.fraction: float | None = None
        self._begun = self._visited = self._missed = 0
        self.history: list[Stage] = []
        self._phase: Stage | None = None
        self._events = Events(scenario.events, society) if scenario.events and society is not None else None

    def control(self, control: Control, time: float) -> Control:
        """Return ``control`` with the settings of the phases that begin up to ``time`` (s) and have not been applied yet, and with what
        events have brought about.
        """
        while self._begun < len(self.phases) and self.phases[self._begun].start <= time + 1e-9:
            phase = self.phases[self._begun]
            control = change(control, phase.set, f"phases[{self._begun}].set")
            if self._phase is not None:
                self._phase.end = phase.start
            self._phase = Stage(phase.name or f"phase {self._begun + 1}", phase.start)
            self.history.append(self._phase)
            self._begun += 1
        if self._events is not None and self._events.moves != control.social.moves:
            control = change(control, {"social.moves": self._events.moves}, "events")
        return control

    def update(self, state: SwarmState, control: Control) -> Orders:
        """Look at the swarm and give orders."""
        for move in self._events.update(state) if self._events is not None else ():
            self.history.append(Stage(f"landmark {move.landmark}: {move.group}", state.time))
        n = len(state)
        if not self.goals:
            return Orders(np.full((n, 2), np.nan), np.full(2, np.nan), 0, np.zeros(n, bool), False)
        if not self._goal_stages():
            self.history.append(Stage("goal 1", state.time))
        arrived = self._arrived(state, control)
        while arrived.mean() >= self.goals[self.index].fraction and self.done_at is None:
            self._reached(state.time, float(arrived.mean()))
            if self.done_at is None:
                arrived = self._arrived(state, control)
        self.fraction = float(arrived.mean())
        goal = self.goals[self.index]
        target = np.array(goal.position)
        return Orders(assign_goals(state, target, goal.radius, control.leaders), target, self.index, arrived, self.done_at is not None)

    def resume(self, moves: tuple[Move, ...], time: float) -> None:
        """Take over at ``time`` (s) from a director whose events had brought about these ``moves``."""
        if self._events is not None and moves:
            self._events.resume(moves)
            self.history += [Stage(f"landmark {move.landmark}: {move.group}", time) for move in moves]

    def follow(self, state: SwarmState, visits: int, total: int, missed: int = 0) -> Orders:
        """Take note of a formation that has ``visits`` of ``total`` goals behind it, ``missed`` of them given up, not reached."""
        n = len(state)
        nowhere = np.full((n, 2), np.nan)
        if not self.goals:
            return Orders(nowhere, np.full(2, np.nan), 0, np.zeros(n, bool), False)
        if not self._goal_stages():
            self.history.append(Stage("goal 1", state.time))
        while self._visited < min(visits, total):
            self._visited += 1
            stage = self._goal_stages()[-1]
            stage.end, stage.arrived_fraction = state.time, 1.0 if self._missed >= missed else 0.0
            self._missed = min(self._missed + 1, missed)
            if self._visited < total:
                self.history.append(Stage(f"goal {self._visited + 1}", state.time))
        done = visits >= total
        reached = done and missed == 0
        self.done_at = (self.done_at if self.done_at is not None else state.time) if reached else None
        self.fraction = 1.0 - missed / total if done else 0.0
        self.index = min(visits, total - 1) % len(self.goals)
        return Orders(nowhere, np.array(self.goals[self.index].position), self.index, np.full(n, done), done)

    def move_goal(self, x: float, y: float) -> None:
        """Put the present goal at (x, y) m, world frame; a flock that had arrived sets out again."""
        moved = replace(self.goals[self.index], position=(x, y)) if self.goals else Goal(position=(x, y))
        if self.goals:
            self.goals[self.index] = moved
        else:
            self.goals = [moved]
        self.done_at = None

    def results(self) -> dict[str, Any]:
        """Return ``arrived_fraction``, ``arrival_time`` and ``phases`` for the summary."""
        return {
            "arrived_fraction": self.fraction,
            "arrival_time": self.done_at,
            "phases": [vars(stage) for stage in sorted(self.history, key=lambda stage: stage.start)],
        }

    def _goal_stages(self) -> list[Stage]:
        return [stage for stage in self.history if stage.name.startswith("goal ")]

    def _arrived(self, state: SwarmState, control: Control) -> BoolArray:
        goal = self.goals[self.index]
        within = norm(state.position - np.array(goal.position)) <= arrival_radius(goal, control, len(state))
        return np.asarray(within & state.valid)

    def _reached(self, time: float, fraction: float) -> None:
        stage = self._goal_stages()[-1]
        stage.end, stage.arrived_fraction = time, fraction
        if self.index + 1 < len(self.goals):
            self.index += 1
            self.history.append(Stage(f"goal {self.index + 1}", time))
        else:
            self.done_at = time


def arrival_radius(goal: Goal, control: Control, robots: int) -> float:
    """Radius (m) within which robots have arrived at ``goal``: its own, or room for the whole flock.

    A disc of n robots packed hexagonally at distance D has the radius ``D·√(n·√3/(2π))``; half as much again makes it roomy.
    """
    if goal.arrival_radius > 0.0:
        return goal.arrival_radius
    packed = control.separation.distance * np.sqrt(robots * np.sqrt(3.0) / (2.0 * np.pi))
    return float(max(goal.radius, 1.5 * packed))
