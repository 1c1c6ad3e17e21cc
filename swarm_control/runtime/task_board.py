"""The tasks that operators ask of a running swarm: taken or refused, watched until they are done, called off."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from swarm_control.core.ground import FreeGround
from swarm_control.errors import InputError
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.task import CANCELLED, FAILED, REFUSED, REPLACED, RUNNING, SUCCEEDED, Task, TaskState
from swarm_control.runtime.task_orders import SwarmNews, TaskOrders
from swarm_control.runtime.task_watch import TaskWatch
from swarm_control.scenario.schema import Goal, Scenario

KEPT = 20
"""So many tasks are remembered, beside those that are running and where each flock was sent last."""

HOPELESS = 5.0
"""A formation that has had no way to its goal for so long (s) has failed."""

PLACING = "go", "hold"
"""Kinds of task that send robots somewhere."""

SETTING = "phase", "leave", "join"
"""Kinds of task that are done when all nodes have the parameters."""


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
        self._watch = TaskWatch()

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
            if former.running and self._orders.flock(former.task) == flock and _same_business(former.task, task):
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
            formation, state = news.formations.get(flock), news.state.take(self._mission.flocks[flock].robots)
            if one.task.kind in SETTING:
                done = self._settled()
            elif one.task.kind == "form":
                done = self._watch.formed(one.task.id, formation, self._settled(), time)
            elif one.task.kind == "hold" and flock not in news.formations:
                done = self._watch.stands(one.task.id, state)
            else:
                done = self._mission.directors[flock].done
            hopeless = formation is not None and bool(formation.problem) and not done
            if done:
                self._end(one, SUCCEEDED, "", time)
            elif self._watch.lasts(f"{one.task.id} without a way", hopeless, time, HOPELESS):
                self._end(one, FAILED, formation.problem if formation is not None else "", time)
            elif one.task.kind not in SETTING and flock not in news.formations and (lost := self._lost(one.task, flock, news)):
                self._end(one, FAILED, lost, time)
            elif one.text != (why := self._watch.trouble(one.task.id, state, stopped)):
                self.states[self.states.index(one)] = replace(one, text=why)

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
        if task.kind in ("leave", "join"):
            self._order({"away": self._orders.away(task, news)})
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
        if formation is None:
            self._orders.check_going(news.controls.of(name))
            if task.kind == "hold":
                self._orders.check_standing(flock)
        where = self._orders.here(flock, news) if task.kind == "hold" else task.goals
        task = replace(task, goals=where)
        goals = self._orders.goals(task)
        if task.kind == "go":
            self._orders.check(task, news)
        number = 1 + max((one.number + len(one.task.goals) for one in self.states), default=0)
        self._mission.directors[flock].go_to(goals, number, time, task.kind == "hold")
        return TaskState(task, number=number, start=time)

    def _note(self, state: TaskState) -> TaskState:
        states = [*self.states, state]
        sent = {self._orders.flock(one.task): one for one in states if one.task.kind in PLACING and one.state != REFUSED}
        needed = [one for one in states[:-KEPT] if one.running or any(one is last for last in sent.values())]
        self.states = [*needed, *states[-KEPT:]]
        return state

    def _end(self, one: TaskState, state: str, text: str, time: float) -> None:
        assert one.state == RUNNING
        self._watch.forget(one.task.id)
        self.states[self.states.index(one)] = replace(one, state=state, text=text, end=time)


def _same_business(one: Task, other: Task) -> bool:
    """Whether one takes the place of the other: of the tasks that send robots somewhere there is one, and one of each other kind."""
    return one.kind == other.kind or {one.kind, other.kind} <= set(PLACING)
