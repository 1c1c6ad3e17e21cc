"""Node ``mission_server``: the action ``mission`` (``swarm_control_msgs/action/Mission``), for programs that like actions.

It passes goals on as tasks of the topic ``task`` and tells how they end; see docs/missions.md.
"""

import argparse
import json
import sys
import time
import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future
from std_msgs.msg import String

from swarm_control.errors import InputError
from swarm_control.options import Parser
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.goal_pose import goal_of
from swarm_control.ros.support.base_node import BaseNode, serve
from swarm_control.ros.support.mission import MissionInput
from swarm_control.ros.support.mission_client import AGAIN
from swarm_control.runtime.task import CANCELLED, FAILED, SUCCEEDED, TASKS, Cancel, Task, TaskState

PATIENCE, LOOK = 10.0, 0.1
"""How long (s) a director has to answer, and how often (s) it is looked how tasks stand."""


class MissionServerNode(BaseNode):
    """Serves the action ``mission`` of a running swarm."""

    kind: ClassVar[str] = "mission_server"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        try:
            from swarm_control_msgs.action import Mission
        except ModuleNotFoundError:
            raise InputError("mission_server", "no swarm_control_msgs found, expected it to be built: make messages") from None
        self._action = Mission
        self._known = MissionInput(self)
        self._publisher = topics.publisher(self, topics.TASK)
        self._server = ActionServer(
            self, Mission, "mission", self._execute, goal_callback=self._judge, cancel_callback=lambda handle: CancelResponse.ACCEPT
        )  # fmt: skip
        self.every(1.0, self.report)

    @classmethod
    def arguments(cls, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the node's own command line: there is nothing in it."""
        return Parser(prog=cls.kind, description=cls.__doc__).parse_args(argv)

    def _judge(self, goal: Any) -> GoalResponse:
        """Whether a goal can be a task at all; what the swarm thinks of it comes with the result."""
        try:
            self._task("", goal)
        except ValueError as error:
            self.get_logger().error(str(error))
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _task(self, id: str, goal: Any) -> Task:
        """The task that a goal asks for; ``ValueError`` for one that makes no sense."""
        if goal.kind not in TASKS:
            raise ValueError(f"kind {goal.kind!r} found, expected one of {', '.join(TASKS)}")
        settings = json.loads(goal.settings or "{}")
        if not isinstance(settings, dict):
            raise ValueError(f"settings {goal.settings!r} found, expected a JSON object")
        places = tuple((float(found.position[0]), float(found.position[1]), found.heading) for found in map(goal_of, goal.goals))
        return Task(id, goal.kind, goal.group, places, settings, goal.phase)

    async def _execute(self, handle: Any) -> Any:
        """Have a task done; the result says how it ended."""
        running = Running(self._task(uuid.uuid4().hex[:8], handle.request), handle)
        timer = self.every(LOOK, lambda: self._look(running))
        found = await running.end
        assert found is not None
        self.destroy_timer(timer)
        if found.state == SUCCEEDED:
            handle.succeed()
        elif handle.is_cancel_requested and found.state == CANCELLED:
            handle.canceled()
        else:
            handle.abort()
        return self._action.Result(task=found.task.id, state=found.state, text=found.text)

    def _look(self, running: "Running") -> None:
        """Ask for the task until the swarm knows it, and see how it stands."""
        task, handle, now = running.task, running.handle, time.monotonic()
        known = next((one for one in self._known.state.tasks if one.task.id == task.id), None)
        if known is not None and not known.running:
            running.finish(known)
        elif known is None and now > running.began + PATIENCE:
            running.finish(TaskState(task, FAILED, f"no answer from a director within {PATIENCE:g} s"))
        elif now > running.asked + AGAIN and (known is None or handle.is_cancel_requested):
            running.asked = now
            self._publisher.publish(String(data=(task if known is None else Cancel(task.id)).to_text()))
        elif known is not None:
            share = self._known.state.groups.get(task.group, self._known.state.swarm).arrived_fraction
            handle.publish_feedback(self._action.Feedback(arrived_fraction=-1.0 if share is None else share))


class Running:
    """A ``task`` that is under way for the goal with this ``handle``; ``end`` is done when it has ended."""

    def __init__(self, task: Task, handle: Any) -> None:
        self.task, self.handle = task, handle
        self.end: Future[TaskState] = Future()
        self.began, self.asked = time.monotonic(), -np.inf

    def finish(self, state: TaskState) -> None:
        """It has ended."""
        if not self.end.done():
            self.end.set_result(state)


def main() -> int:
    """Run the node."""
    return serve(MissionServerNode)


if __name__ == "__main__":
    sys.exit(main())
