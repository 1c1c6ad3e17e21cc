"""Progress of a scenario: whose turn each goal is, who leads, which parameters hold. The same for ``simulate`` and the node."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.ground import FreeGround
from swarm_control.core.leaders import assign_goals
from swarm_control.core.state import HELD, Society, SwarmState
from swarm_control.runtime.events import Events
from swarm_control.runtime.gathering import Gathering, places_of
from swarm_control.runtime.history import History
from swarm_control.runtime.jams import Jams
from swarm_control.runtime.mission_state import Progress
from swarm_control.runtime.orders import Orders
from swarm_control.runtime.stragglers import Stragglers
from swarm_control.scenario.groups import Controls
from swarm_control.scenario.schema import Control, Goal, Phase, RobotGroup, Scenario


class Director:
    """Takes the flock from goal to goal: the next one's turn comes when the present one's ``fraction`` has arrived."""

    def __init__(self, scenario: Scenario, society: Society | None = None, ground: FreeGround | None = None) -> None:
        self.goals: list[Goal] = list(scenario.goals)
        self.phases: tuple[Phase, ...] = tuple(sorted(scenario.phases, key=lambda phase: phase.start))
        self.index = 0
        self.done = False
        self.done_at: float | None = None
        self.fraction: float | None = None
        self.history = History()
        self._begun = self._visited = self._missed = self._alone = 0
        self._sent: tuple[int, int] | None = None
        self._held = False
        ground, body = ground or FreeGround(None), max((group.radius for group in scenario.robots), default=RobotGroup().radius)
        self.jams, self._gathering = Jams(2.0 * body), Gathering(ground, body)
        self.stragglers = Stragglers(ground, 2.0 * body, scenario.control.separation_filter.margin)
        self._events = Events(scenario.events, society) if scenario.events and society is not None else None

    def control(self, control: Controls, time: float) -> Controls:
        """Return ``control`` with the settings of the phases that begin up to ``time`` (s) and have not been applied yet, and with what
        events have brought about.
        """
        while self._begun < len(self.phases) and self.phases[self._begun].start <= time + 1e-9:
            phase = self.phases[self._begun]
            control = control.change(phase.set, f"phases[{self._begun}].set")
            if len(self.history.of("phase")) == self._begun:
                self.history.end("phase", phase.start)
                self.history.begin("phase", phase.name or f"phase {self._begun + 1}", phase.start)
            self._begun += 1
        if self._events is not None and self._events.moves != control.common.social.moves:
            control = control.change({"social.moves": self._events.moves}, "events")
        return control

    def watch(self, state: SwarmState) -> None:
        """Look at the whole swarm for events."""
        for move in self._events.update(state) if self._events is not None else ():
            self.history.begin("event", f"landmark {move.landmark}: {move.group}", state.time)

    def update(self, state: SwarmState, control: Control, away: BoolArray | None = None) -> Orders:
        """Look at the flock and give orders; robots ``away`` (N,) count as arrived."""
        n, lag = len(state), np.zeros(len(state), np.int64)
        if not self.goals:
            return self._nowhere(n)
        if not self.history.of("goal"):
            self.history.begin("goal", "goal 1", state.time)
        if self._held:
            own, self.fraction = np.where(state.valid[:, None], places_of(self.goals[self.index], n), np.nan), 0.0
            return Orders(own, self.target, self.index, np.zeros(n, bool), False, np.full(n, HELD))
        at = partial(self._gathering.arrived, state=state, control=control, away=away)
        while (arrived := at(self.goals[self.index])).mean() >= self.goals[self.index].fraction and self.done_at is None:
            self._reached(state.time, float(arrived.mean()))
        self.done, share = self.done_at is not None, float(arrived.mean())
        self.fraction = max(share, self.fraction or 0.0) if self.done else share
        self.jams.update(state.time, state.position, ~arrived & (not self.done), state.valid)
        self._alone, goal, target = self.index + self.done, self.goals[self.index], self.target
        if goal.each:
            own = np.where(state.valid[:, None], places_of(goal, n), np.nan)
            if not self.done:
                lag = self.stragglers.lead_each(state, places_of(goal, n), arrived, own)
            return Orders(own, target, self.index, arrived, self.done, lag)
        points, sees = self._gathering.subgoals(goal, control, n), control.perception.radius
        own = assign_goals(state, target, points, control.leaders, sees)
        if control.leaders.everywhere and not self.done:
            self._gathering.urge_back(goal, arrived, own)
            radius, inside = self._gathering.radius(goal, control, n), partial(self._gathering.inside, goal, robots=n)
            lag = self.stragglers.lead(state, target, arrived, points, own, radius, sees, inside)
        return Orders(own, target, self.index, arrived, self.done, lag)

    def follow(self, state: SwarmState, visits: int, total: int, missed: int = 0) -> Orders:
        """Take note of a formation that has ``visits`` of ``total`` goals behind it, ``missed`` of them given up, not reached.

        Goals that the flock has reached without a formation, before, are behind it, too.
        """
        if not self.goals:
            return self._nowhere(len(state))
        if not self.history.of("goal"):
            self.history.begin("goal", f"goal {self.index + 1}", state.time)
        if self._sent is not None:
            if visits < total:
                self.done_at = None
            elif self.done_at is None:
                self._reached(state.time, 1.0)
            self.done, self.fraction = self.done_at is not None, float(self.done_at is not None)
            return self._nowhere(len(state))
        visits = max(visits, self._alone)
        while self._visited < min(visits, total):
            self._visited += 1
            self.history.end("goal", state.time, 1.0 if self._missed >= missed else 0.0)
            self._missed = min(self._missed + 1, missed)
            if self._visited < total:
                self.history.begin("goal", f"goal {self._visited + 1}", state.time)
        self.done = done = visits >= total
        reached = done and missed == 0
        self.done_at = (self.done_at if self.done_at is not None else state.time) if reached else None
        self.fraction = 1.0 - missed / total if done else 0.0
        self.index = min(visits, total - 1) % len(self.goals)
        return self._nowhere(len(state))

    def _nowhere(self, robots: int) -> Orders:
        """Orders for ``robots`` that are not led from here."""
        done = np.full(robots, self.done)
        return Orders(np.full((robots, 2), np.nan), self.target, self.index, done, self.done, np.zeros(robots, np.int64))

    def go_to(self, goals: Sequence[Goal], number: int, time: float, held: bool = False) -> None:
        """From ``time`` (s) on go to these ``goals``, in place of those left, or stand if ``held``; the first is called ``number``."""
        self._held = held
        begin = self.index + 1 if self.done and self.goals else self.index
        self.goals = [*self.goals[:begin], *goals]
        self.index, self.done, self.done_at, self._alone, self._sent = begin, False, None, min(self._alone, begin), (number, begin)
        if all(entry.end is not None for entry in self.history.of("goal")):
            self.history.begin("goal", f"goal {begin + 1}", time)

    @property
    def sent(self) -> tuple[int, Goal] | None:
        """The number of the goal that the flock was last sent to by :meth:`go_to`, and the goal; None if it never was."""
        return None if self._sent is None else (self._sent[0] + self.index - self._sent[1], self.goals[self.index])

    def move_goal(self, x: float, y: float) -> None:
        """Put the present goal at (x, y) m, world frame; a flock that had arrived sets out again."""
        moved = replace(self.goals[self.index], position=(x, y), each=()) if self.goals else Goal(position=(x, y))
        self.goals[self.index:self.index + 1] = [moved]
        self.done, self.done_at, self._alone, self._held = False, None, min(self._alone, self.index), False

    @property
    def target(self) -> Array:
        """Where the present goal is (2,) m, world frame; NaN without goals, and where each robot has a place of its own to go to."""
        place = self.goals and (self._held or not self.goals[self.index].each)
        return np.array(self.goals[self.index].position) if place else np.full(2, np.nan)

    def results(self) -> dict[str, Any]:
        """Return ``arrived_fraction``, ``arrival_time`` and ``phases`` for the summary."""
        return self.state().results()

    def state(self) -> Progress:
        """How far the flock has come."""
        goals = tuple((float(goal.position[0]), float(goal.position[1])) for goal in self.goals)
        moves = () if self._events is None else self._events.moves
        time, count = (float(round(self.jams.time)), self.jams.count) if self.goals else (None, None)
        return Progress(self.index, goals, self.done, self.fraction, self.done_at, time, count, tuple(self.history.entries), moves)

    def resume(self, progress: Progress, sent: tuple[int, Sequence[Goal], bool] | None = None, applied: bool = False) -> None:
        """Go on from the ``progress`` of another director of this scenario, before the first look at the swarm. ``sent``: the goals to
        which that one was sent last, the first one's number, and whether robots are held there; a goal that was moved since is for all.

        Phases that had begun are applied again, without a new entry in the history, unless what they set is ``applied`` already; robots
        that wait at a landmark begin their wait anew. ``ValueError`` when there are not as many goals in the scenario, unless it has none
        and one was set.
        """
        if sent is not None and len(sent[1]) <= len(progress.goals):
            begin = len(progress.goals) - len(sent[1])
            self.goals = [*(Goal(position=place) for place in progress.goals[:begin]), *sent[1]]
            self._sent, self._held = (sent[0], begin), sent[2] and sent[1][-1].position == progress.goals[-1]
        if len(progress.goals) != len(self.goals) and (self.goals or len(progress.goals) > 1):
            raise ValueError(f"a mission with {len(progress.goals)} goals found, expected {len(self.goals)} as in the scenario")
        before = self.goals or [Goal(position=place) for place in progress.goals]
        self.goals = [replace(goal, position=at, each=goal.each if at == goal.position else ()) for goal, at in zip(before, progress.goals)]
        self.index, self.done = progress.goal_index, progress.done
        self.fraction, self.done_at = progress.arrived_fraction, progress.arrival_time
        self.history = History(progress.phases)
        self._begun = len(self.history.of("phase")) if applied else 0
        self.jams.time, self.jams.count = progress.jam_time or 0.0, progress.jams or 0
        ended = [entry for entry in self.history.of("goal") if entry.end is not None]
        self._visited, self._missed = len(ended), sum(entry.arrived_fraction == 0.0 for entry in ended)
        if self._events is not None:
            self._events.resume(progress.moves)

    def _reached(self, time: float, fraction: float) -> None:
        self.history.end("goal", time, fraction)
        self._visited += 1
        if self.index + 1 < len(self.goals):
            self.index += 1
            self.history.begin("goal", f"goal {self.index + 1}", time)
        else:
            self.done_at = time
