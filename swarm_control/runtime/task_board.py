"""The tasks that operators ask of a running swarm: taken or refused, watched until they are done, called off."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from swarm_control.core.geometry import Array, norm
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.task import CANCELLED, FAILED, REFUSED, REPLACED, RUNNING, SUCCEEDED, Task, TaskState
from swarm_control.runtime.task_orders import FormationNews, SwarmNews, TaskOrders
from swarm_control.scenario.schema import Goal, Scenario

KEPT = 20
"""So many tasks are remembered, beside those that are running and where each flock was sent last."""

SETTLED = 1.0
"""A formation that has kept its places for so long (s) since its nodes know the new ones has taken them."""

CLOSE, LINGERED = 0.05, 20.0
"""So has one whose robots have been within so much (m) of them, on average, for so long (s): on the move, and where poses are not exact, it
never rests."""

HOPELESS = 5.0
"""A formation that has had no way to its goal for so long (s) has failed."""

WAY, LONG = 0.1, 30.0
"""Of robots none of which has got so far (m) for so long (s) a task says that they get nowhere; they may be waiting for one that failed."""

STANDS, RESTED = 0.05, 0.5
"""Robots of a flock that is held stand when none has been faster (m/s) for so long (s)."""

STOPPED, NOWHERE = "the swarm is stopped", f"its robots have got nowhere for {LONG:g} s"
"""What a running task says while it is so."""

PLACING = "go", "hold"
"""Kinds of task that send robots somewhere."""


class TaskBoard:
    """The tasks of a ``mission``, and how they stand: ``states``, the newest last.

    ``order`` sets parameters (dotted name → value) and raises ``InputError`` where they make no sense; ``settled``: whether all nodes have
    what was ordered.
    """

    def __init__(
        self, scenario: Scenario, mission: Mission, ground: FreeGround, order: Callable[[dict[str, Any]], None],
        settled: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        self.states: list[TaskState] = []
        self._orders = TaskOrders(scenario, mission, ground)
        self._mission, self._order, self._settled = mission, order, settled
        self._since: dict[str, float] = {}
        self._places: dict[str, tuple[Array, float]] = {}

    def ask(self, task: Task, news: SwarmNews) -> TaskState:
        """Begin a ``task``, in place of the one of its kind that its flock has; refused ones are remembered with the reason."""
        time = news.state.time
        known = next((one for one in self.states if one.task.id == task.id), None)
        if known is not None:  # asked again, as nobody seemed to have heard
            return known
        try:
            flock = self._orders.flock(task)
            begun = self._begin(task, flock, news)
        except InputError as error:
            return self._note(TaskState(task, REFUSED, str(error), start=time, end=time))
        for former in self.states:
            if former.running and former.task.group == task.group and _same_business(former.task, task):
                self._end(former, REPLACED, f"by {task.id}", time)
        return self._note(begun)

    def cancel(self, id: str, news: SwarmNews) -> bool:
        """Call off the task, or with an empty ``id`` all that are running; who was on a way holds its place. Whether there was any."""
        ended = [one for one in self.states if one.running and id in ("", one.task.id)]
        for one in ended:
            self._end(one, CANCELLED, "", news.state.time)
            if one.task.kind == "go":
                self.ask(Task(f"{one.task.id}/hold", "hold", one.task.group), news)
        return bool(ended)

    def moved(self, flock: int, time: float) -> None:
        """Somebody has set a goal of the flock (its number) by other means: it is no longer where it was sent."""
        for one in self.states:
            if one.running and one.task.kind in PLACING and self._orders.flock(one.task) == flock:
                self._end(one, REPLACED, "by a goal from elsewhere", time)

    def update(self, news: SwarmNews, stopped: bool = False) -> None:
        """Look which tasks are done; to be called after the mission's update. ``stopped``: somebody has stopped the swarm."""
        for one in [one for one in self.states if one.running]:
            flock, time = self._orders.flock(one.task), news.state.time
            formation = news.formations.get(flock)
            if one.task.kind == "phase":
                done = self._settled()
            elif one.task.kind == "form":
                done = self._formed(one.task.id, formation, time)
            elif one.task.kind == "hold" and flock not in news.formations:
                done = self._stands(one, flock, news.state)
            else:
                done = self._mission.directors[flock].done
            hopeless = formation is not None and bool(formation.problem) and not done
            if done:
                self._end(one, SUCCEEDED, "", time)
            elif self._for(f"{one.task.id} without a way", hopeless, time, HOPELESS):
                self._end(one, FAILED, formation.problem if formation is not None else "", time)
            elif one.task.kind in ("go", "form") and flock not in news.formations and (lost := self._lost(one.task, flock, news)):
                self._end(one, FAILED, lost, time)
            elif one.text != (why := self._trouble(one.task.id, flock, news, stopped)):
                self.states[self.states.index(one)] = replace(one, text=why)

    def _trouble(self, id: str, flock: int, news: SwarmNews, stopped: bool) -> str:
        """Why a task that is running may take long; empty: nothing is known."""
        place, time = news.state.position[self._mission.flocks[flock].robots], news.state.time
        before, since = self._places.get(id, (place, time))
        if stopped or norm(place - before).max(initial=0.0) > WAY or since > time:
            before, since = place, time
        self._places[id] = before, since
        return STOPPED if stopped else NOWHERE if time - since > LONG else ""

    def _formed(self, id: str, formation: FormationNews | None, time: float) -> bool:
        """Whether a formation has the parameters that task ``id`` has set, and has taken its places."""
        ready = self._settled() and formation is not None and not formation.problem
        rests = self._for(id, ready and formation is not None and formation.rest, time, SETTLED)
        return self._for(f"{id} about", ready and formation is not None and formation.error <= CLOSE, time, LINGERED) or rests

    def _stands(self, one: TaskState, flock: int, state: SwarmState) -> bool:
        """Whether the robots of a flock that is held have come to rest; where their velocities are noisy, they have had time to."""
        robots = self._mission.flocks[flock].robots
        speed = norm(state.velocity[robots, :2])[state.valid[robots]]
        rest = self._for(one.task.id, bool(len(speed) and speed.max() <= STANDS), state.time, RESTED)
        return rest or (len(speed) > 0 and state.time - one.start >= LINGERED)

    def _lost(self, task: Task, flock: int, news: SwarmNews) -> str:
        """Why a flock that keeps no formation now can do nothing for a task; empty: it can."""
        if task.kind == "form":
            return "the formation has been switched off"
        try:
            self._orders.check_going(news.controls.of(self._mission.flocks[flock].name))
        except InputError as error:
            return str(error)
        return ""

    def resume(self, states: Sequence[TaskState]) -> dict[str, tuple[int, list[Goal], bool]]:
        """Go on from what another director knew; where it had sent the flocks, for :meth:`Mission.resume`."""
        self.states = list(states)
        placing = [one for one in states if one.task.kind in PLACING and one.task.goals and one.state != REFUSED]
        names, orders = [flock.name for flock in self._mission.flocks], self._orders
        return {names[orders.flock(one.task)]: (one.number, orders.goals(one.task), one.task.kind == "hold") for one in placing}

    def _begin(self, task: Task, flock: int, news: SwarmNews) -> TaskState:
        """Have a task begun; ``InputError`` where it cannot be."""
        time, formation = news.state.time, news.formations.get(flock)
        if task.kind == "phase":
            self._order(self._orders.phase(task.phase))
            return TaskState(task, start=time)
        name = self._mission.flocks[flock].name
        if task.kind == "form":
            self._orders.check_forming()
            self._orders.check_settings(task.settings)
            dotted = {f"groups.{name}." * bool(name) + f"formation.{key}": value for key, value in task.settings.items()}
            self._order({f"groups.{name}." * bool(name) + "formation.enabled": True, **dotted})
            return TaskState(task, start=time)
        if flock in news.formations and (formation is None or formation.parts > 1):
            found = "a formation of which nothing is known yet" if formation is None else f"one of {formation.parts} parts"
            raise InputError("task.group", f"{found} found, expected one that has formed and is whole")
        if formation is None and task.kind == "go":
            self._orders.check_going(news.controls.of(name))
        where = self._orders.here(flock, news) if task.kind == "hold" else task.goals
        task = replace(task, goals=where)
        goals = self._orders.goals(task)
        if task.kind == "go":
            self._orders.check(task, news)
        number = 1 + max((one.number + len(one.task.goals) for one in self.states), default=0)
        self._mission.directors[flock].go_to(goals, number, time, task.kind == "hold")
        return TaskState(task, number=number, start=time)

    def _for(self, what: str, true: bool, time: float, long: float) -> bool:
        """Whether something has been ``true`` for so ``long`` (s)."""
        self._since[what] = self._since.get(what, time) if true else time
        return true and time - self._since[what] >= long

    def _note(self, state: TaskState) -> TaskState:
        states = [*self.states, state]
        sent = {one.task.group: one for one in states if one.task.kind in PLACING and one.state != REFUSED}
        needed = [one for one in states[:-KEPT] if one.running or sent.get(one.task.group) is one]
        self.states = [*needed, *states[-KEPT:]]
        return state

    def _end(self, one: TaskState, state: str, text: str, time: float) -> None:
        assert one.state == RUNNING
        self._places.pop(one.task.id, None)
        for what in ("", " about", " without a way"):
            self._since.pop(f"{one.task.id}{what}", None)
        self.states[self.states.index(one)] = replace(one, state=state, text=text, end=time)


def _same_business(one: Task, other: Task) -> bool:
    """Whether one takes the place of the other: of the tasks that send robots somewhere there is one, and one of each other kind."""
    return one.kind == other.kind or {one.kind, other.kind} <= set(PLACING)
