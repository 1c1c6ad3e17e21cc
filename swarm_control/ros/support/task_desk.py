"""Where operators bring their tasks: topic ``task`` and goals for groups, told on by ``sent_goals``, and the board behind them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from std_msgs.msg import String

from swarm_control.core.ground import FreeGround
from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.goal_pose import goals_for
from swarm_control.ros.messages.sent_rows import SENT, sent_rows
from swarm_control.ros.support.remote import RemoteParameters
from swarm_control.ros.support.structure_reports import StructureReports
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.task import Cancel, Task, TaskState, new_id, read_request
from swarm_control.runtime.task_board import TaskBoard
from swarm_control.runtime.task_orders import SwarmNews
from swarm_control.runtime.task_settings import set_by_task
from swarm_control.scenario.schema import Goal


class TaskDesk:
    """Hears what is asked of the ``mission``, and tells who keeps formations where they are sent. ``order`` sets parameters everywhere."""

    def __init__(
        self, node: Any, mission: Mission, reports: StructureReports, order: Callable[[dict[str, Any]], None], remote: RemoteParameters
    ) -> None:  # fmt: skip
        self.asked: list[Any] = []
        self._node, self._reports, self._order, self._remote = node, reports, order, remote
        self._writer, self._publisher = cdr.CloudWriter(topics.FRAME, SENT), topics.publisher(node, topics.SENT_GOALS)
        self._told: dict[int, Any] = {}
        self.begin(mission)
        topics.subscribe(node, topics.TASK, self._hear)
        for flock in mission.flocks:
            if flock.name:
                topics.subscribe(node, topics.GROUP_GOAL_POSE, goals_for(node, partial(self._send, flock.name)), flock.name)

    def begin(self, mission: Mission) -> None:
        """Begin anew, with nothing asked for."""
        ground = FreeGround(self._node.setup.grid)
        self._mission = mission
        self.board = TaskBoard(self._node.scenario, mission, ground, self._checked, lambda: self._remote.settled)

    def update(self, state: SwarmState, keeping: Sequence[int], stopped: bool) -> None:
        """Do what was asked for, and look what is done.

        ``keeping``: the flocks (numbers) that keep a formation; ``stopped``: nobody moves.
        """
        news = SwarmNews(state, self._node.controls, {flock: self._reports.news(flock) for flock in keeping})
        asked, self.asked = self.asked, []
        for one in asked:
            if isinstance(one, Cancel):
                self.board.cancel(one.cancel, news)
            else:
                said = self.board.ask(one, news)
                self._node.get_logger().info(f"task {said.task.id}: {said.task.kind} {said.state} {said.text}".rstrip())
        self.board.update(news, stopped)
        sent = {number: director.sent for number, director in enumerate(self._mission.directors) if director.sent is not None}
        if sent != self._told:
            self._told = sent
            self._publisher.publish(self._writer.write(state.time, sent_rows(sent)))

    def states(self) -> tuple[TaskState, ...]:
        """How all tasks stand."""
        return tuple(self.board.states)

    def _hear(self, message: String) -> None:
        try:
            self.asked.append(read_request(message.data))
        except ValueError as error:
            self._node.get_logger().error(f"{topics.TASK.name}: {error}", throttle_duration_sec=1.0)

    def _send(self, group: str, goal: Goal) -> None:
        """``/swarm/<group>/goal_pose``, as RViz sends it."""
        x, y = goal.position
        self.asked.append(Task(new_id(), "go", group, ((x, y, goal.heading),)))

    def _checked(self, changes: dict[str, Any]) -> None:
        """Set parameters if they make sense; ``InputError`` else."""
        node = self._node
        made, values = set_by_task(changes, node.controls, node.scenario, node.setup.fleet, node.squads, self._mission.flocks)
        node.parameters.allowed(made)
        self._order(values)
