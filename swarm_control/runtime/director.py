"""Progress of a scenario: whose turn each goal is, who leads, which parameters hold. The same for ``simulate`` and the node."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.core.ground import FreeGround
from swarm_control.core.leaders import assign_goals
from swarm_control.core.state import Society, SwarmState
from swarm_control.runtime.events import Events
from swarm_control.runtime.gathering import Gathering
from swarm_control.runtime.jams import Jams
from swarm_control.runtime.mission_state import Entry, Progress
from swarm_control.runtime.stragglers import Stragglers
from swarm_control.scenario.groups import Controls
from swarm_control.scenario.schema import Control, Goal, Phase, RobotGroup, Scenario


@dataclass(frozen=True)
class Orders:
    """What the director wants now: ``goal`` (N, 2) m per robot, NaN for those that feel no urge, around ``target`` (2,) m, NaN when
    there is no goal; world frame. ``arrived`` (N,): who is at the present goal. ``done``: the last goal has been reached. ``lag`` (N,):
    how far stragglers do, as in ``Surroundings``.
    """

    goal: Array
    target: Array
    goal_index: int
    arrived: BoolArray
    done: bool
    lag: IntArray


class Director:
    """Takes the flock from goal to goal: the next one's turn comes when the present one's ``fraction`` has arrived."""

    def __init__(self, scenario: Scenario, society: Society | None = None, ground: FreeGround | None = None) -> None:
        self.goals: list[Goal] = list(scenario.goals)
        self.phases: tuple[Phase, ...] = tuple(sorted(scenario.phases, key=lambda phase: phase.start))
        self.index = 0
        self.done = False
        self.done_at: float | None = None
        self.fraction: float | None = None
        self.history: list[Entry] = []
        self._begun = self._visited = self._missed = self._alone = 0
        body = max((group.radius for group in scenario.robots), default=RobotGroup().radius)
        ground = ground or FreeGround(None)
        self.jams, self._gathering = Jams(2.0 * body), Gathering(ground, body)
        self._stragglers = Stragglers(ground, 2.0 * body, scenario.control.separation_filter.margin)
        self._events = Events(scenario.events, society) if scenario.events and society is not None else None

    def control(self, control: Controls, time: float) -> Controls:
        """Return ``control`` with the settings of the phases that begin up to ``time`` (s) and have not been applied yet, and with what
        events have brought about.
        """
        while self._begun < len(self.phases) and self.phases[self._begun].start <= time + 1e-9:
            phase = self.phases[self._begun]
            control = control.change(phase.set, f"phases[{self._begun}].set")
            if len(self._entries("phase")) == self._begun:
                self._end("phase", phase.start)
                self.history.append(Entry("phase", phase.name or f"phase {self._begun + 1}", phase.start))
            self._begun += 1
        if self._events is not None and self._events.moves != control.common.social.moves:
            control = control.change({"social.moves": self._events.moves}, "events")
        return control

    def watch(self, state: SwarmState) -> None:
        """Look at the whole swarm for events."""
        for move in self._events.update(state) if self._events is not None else ():
            self.history.append(Entry("event", f"landmark {move.landmark}: {move.group}", state.time))

    def update(self, state: SwarmState, control: Control) -> Orders:
        """Look at the flock and give orders."""
        n, lag = len(state), np.zeros(len(state), np.int64)
        if not self.goals:
            return Orders(np.full((n, 2), np.nan), np.full(2, np.nan), 0, lag > 0, False, lag)
        if not self._entries("goal"):
            self.history.append(Entry("goal", "goal 1", state.time))
        arrived = self._arrived(state, control)
        while arrived.mean() >= self.goals[self.index].fraction and self.done_at is None:
            self._reached(state.time, float(arrived.mean()))
            if self.done_at is None:
                arrived = self._arrived(state, control)
        self.done = self.done_at is not None
        self.fraction = max(float(arrived.mean()), self.fraction or 0.0) if self.done else float(arrived.mean())
        self.jams.update(state.time, state.position, state.valid & ~arrived & (not self.done))
        self._alone = self.index + self.done
        goal, target = self.goals[self.index], self.target
        if goal.each:
            own = np.where(state.valid[:, None], _places(goal, n), np.nan)
            if not self.done:
                lag = self._stragglers.lead_each(state, _places(goal, n), arrived, own)
            return Orders(own, target, self.index, arrived, self.done, lag)
        points = self._gathering.subgoals(goal, control, n)
        sees = control.perception.radius
        own = assign_goals(state, target, points, control.leaders, sees)
        if control.leaders.everywhere and not self.done:
            lag = self._stragglers.lead(state, target, arrived, points, own, sees + self._gathering.radius(goal, control, n))
        return Orders(own, target, self.index, arrived, self.done, lag)

    def follow(self, state: SwarmState, visits: int, total: int, missed: int = 0) -> Orders:
        """Take note of a formation that has ``visits`` of ``total`` goals behind it, ``missed`` of them given up, not reached.

        Goals that the flock has reached without a formation, before, are behind it, too.
        """
        nowhere, lag, visits = np.full((len(state), 2), np.nan), np.zeros(len(state), np.int64), max(visits, self._alone)
        if not self.goals:
            return Orders(nowhere, np.full(2, np.nan), 0, lag > 0, False, lag)
        if not self._entries("goal"):
            self.history.append(Entry("goal", "goal 1", state.time))
        while self._visited < min(visits, total):
            self._visited += 1
            self._end("goal", state.time, 1.0 if self._missed >= missed else 0.0)
            self._missed = min(self._missed + 1, missed)
            if self._visited < total:
                self.history.append(Entry("goal", f"goal {self._visited + 1}", state.time))
        self.done = done = visits >= total
        reached = done and missed == 0
        self.done_at = (self.done_at if self.done_at is not None else state.time) if reached else None
        self.fraction = 1.0 - missed / total if done else 0.0
        self.index = min(visits, total - 1) % len(self.goals)
        return Orders(nowhere, self.target, self.index, np.full(len(state), done), done, lag)

    def move_goal(self, x: float, y: float) -> None:
        """Put the present goal at (x, y) m, world frame; a flock that had arrived sets out again."""
        moved = replace(self.goals[self.index], position=(x, y), each=()) if self.goals else Goal(position=(x, y))
        if self.goals:
            self.goals[self.index] = moved
        else:
            self.goals = [moved]
        self.done, self.done_at, self._alone = False, None, min(self._alone, self.index)

    @property
    def target(self) -> Array:
        """Where the present goal is (2,) m, world frame; NaN without goals, and where each robot has a place of its own."""
        place = self.goals and not self.goals[self.index].each
        return np.array(self.goals[self.index].position) if place else np.full(2, np.nan)

    def results(self) -> dict[str, Any]:
        """Return ``arrived_fraction``, ``arrival_time`` and ``phases`` for the summary."""
        return self.state().results()

    def state(self) -> Progress:
        """How far the flock has come."""
        goals = tuple((float(goal.position[0]), float(goal.position[1])) for goal in self.goals)
        moves = () if self._events is None else self._events.moves
        time, count = (float(round(self.jams.time)), self.jams.count) if self.goals else (None, None)
        return Progress(self.index, goals, self.done, self.fraction, self.done_at, time, count, tuple(self.history), moves)

    def resume(self, progress: Progress) -> None:
        """Go on from the ``progress`` of another director of this scenario, before the first look at the swarm.

        Phases that had begun are applied again, without a new entry in the history; robots that wait at a landmark begin their wait
        anew. ``ValueError`` when there are not as many goals in the scenario, unless it has none and one was set.
        """
        if len(progress.goals) != len(self.goals) and (self.goals or len(progress.goals) > 1):
            raise ValueError(f"a mission with {len(progress.goals)} goals found, expected {len(self.goals)} as in the scenario")
        before = self.goals or [Goal(position=place) for place in progress.goals]
        self.goals = [replace(goal, position=place) for goal, place in zip(before, progress.goals)]
        self.index, self.done = progress.goal_index, progress.done
        self.fraction, self.done_at = progress.arrived_fraction, progress.arrival_time
        self.history = list(progress.phases)
        self.jams.time, self.jams.count = progress.jam_time or 0.0, progress.jams or 0
        ended = [entry for entry in self._entries("goal") if entry.end is not None]
        self._visited, self._missed = len(ended), sum(entry.arrived_fraction == 0.0 for entry in ended)
        if self._events is not None:
            self._events.resume(progress.moves)

    def _entries(self, kind: str) -> list[Entry]:
        return [entry for entry in self.history if entry.kind == kind]

    def _end(self, kind: str, time: float, fraction: float | None = None) -> None:
        """End the last entry of a ``kind``, if there is one."""
        for k in reversed(range(len(self.history))):
            if self.history[k].kind == kind:
                self.history[k] = replace(self.history[k], end=time, arrived_fraction=fraction)
                return

    def _arrived(self, state: SwarmState, control: Control) -> BoolArray:
        goal = self.goals[self.index]
        place = _places(goal, len(state)) if goal.each else np.array(goal.position)
        within = norm(state.position - place) <= self._gathering.radius(goal, control, len(state))
        return np.asarray(within & state.valid)

    def _reached(self, time: float, fraction: float) -> None:
        self._end("goal", time, fraction)
        self._visited += 1
        if self.index + 1 < len(self.goals):
            self.index += 1
            self.history.append(Entry("goal", f"goal {self.index + 1}", time))
        else:
            self.done_at = time


def _places(goal: Goal, robots: int) -> Array:
    """The place of each robot (n, 2) m, world frame."""
    return np.array(goal.each).reshape(-1, 2)[:robots]

