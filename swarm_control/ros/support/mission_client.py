"""Missions from outside: a node that joins the graph for a moment, asks for tasks, watches them and calls them off."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from std_msgs.msg import String

from swarm_control.errors import Failed, InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.support.graph_client import GraphClient
from swarm_control.runtime.mission_state import MissionState
from swarm_control.runtime.task import Cancel, Place, Task, TaskState, new_id

AGAIN = 0.3
"""What has not been answered for so long (s) is asked for again: nodes that have only just met may miss a message."""

LISTEN = 0.5
"""How long (s) it listens on from the first state of the mission: it may be an older one, from who repeats what the director says."""


class MissionClient(GraphClient):
    """Asks a running swarm for tasks; use as a context manager.

    ``with MissionClient() as swarm: swarm.wait(swarm.go([(4.0, 2.0, 0.0)], group="red").task.id)``

    ``root``: below what the swarm is in the graph. ``patience`` (s): how long the swarm has to answer; ``Failed`` when it does not.
    """

    kind = "mission_client"

    def __init__(self, root: str = "", patience: float = 10.0) -> None:
        super().__init__(root)
        self.state = MissionState()
        self._patience = patience
        self._publisher = topics.publisher(self, topics.TASK)
        topics.subscribe(self, topics.MISSION, self._hear)

    def go(self, places: Sequence[Place], group: str = "") -> TaskState:
        """Go to ``places`` one after the other: x, y (m) and, of a formation, its heading there (degrees)."""
        return self.ask(Task(new_id(), "go", group, tuple(places)))

    def form(self, group: str = "", /, **settings: Any) -> TaskState:
        """Take a formation: parameters of ``control.formation``, such as ``shape`` and ``spacing``."""
        return self.ask(Task(new_id(), "form", group, settings=settings))

    def hold(self, group: str = "") -> TaskState:
        """Hold the place where everybody is."""
        return self.ask(Task(new_id(), "hold", group))

    def begin_phase(self, name: str) -> TaskState:
        """Begin a phase of the scenario."""
        return self.ask(Task(new_id(), "phase", phase=name))

    def leave(self, *robots: str) -> TaskState:
        """Let others drive these robots: they are neither commanded nor waited for, and kept clear of."""
        return self.ask(Task(new_id(), "leave", settings={"robots": list(robots)}))

    def join(self, *robots: str) -> TaskState:
        """Drive these robots again."""
        return self.ask(Task(new_id(), "join", settings={"robots": list(robots)}))

    def ask(self, task: Task) -> TaskState:
        """Ask for a ``task``; how it stands once the swarm has answered."""
        try:
            text = task.to_text()
        except (TypeError, ValueError) as error:
            raise InputError(f"task {task.kind}", f"{error}, expected finite numbers and texts") from None
        found = self._until(lambda: self.tasks.get(task.id), self._patience, text)
        if found is None:
            raise Failed(f"task {task.id}: no answer from a director within {self._patience:g} s (ROS_DOMAIN_ID {self.domain})")
        return found

    def wait(self, id: str, patience: float = float("inf"), each: Callable[[TaskState], None] = lambda state: None) -> TaskState:
        """Wait until a task has ended, for at most ``patience`` (s); how it stands then. ``each`` hears of it meanwhile."""
        found = self._until(lambda: self.tasks.get(id), min(patience, self._patience))
        if found is None and not self.state.number:
            raise Failed(f"task {id}: no mission heard within {min(patience, self._patience):g} s (ROS_DOMAIN_ID {self.domain})")
        if found is None:
            raise Failed(f"task {id}: the swarm knows of no such task, expected {', '.join(self.tasks) or 'one to have been sent'}")

        last = found

        def ended() -> TaskState | None:
            nonlocal last
            last = self.tasks.get(id, last)
            each(last)
            return None if last.running else last

        return self._until(ended, patience) or last

    def cancel(self, id: str = "") -> list[TaskState]:
        """Call off a task, or with an empty ``id`` all; those that ended by it. Who was under way holds its place."""
        if self._until(lambda: self.state if self.state.number else None, self._patience) is None:
            raise Failed(f"no mission heard within {self._patience:g} s (ROS_DOMAIN_ID {self.domain})")
        self._until(lambda: None, LISTEN)
        running = [one.task.id for one in self.tasks.values() if one.running and id in ("", one.task.id)]
        if not running:
            raise Failed(f"task {id}: not running" if id else "no task is running")

        def over() -> list[TaskState] | None:
            found = [self.tasks[one] for one in running if one in self.tasks]
            return found if all(not one.running for one in found) else None

        ended = self._until(over, self._patience, Cancel(id).to_text())
        if ended is None:
            raise Failed(f"not confirmed within {self._patience:g} s; swarm stop stops every robot")
        return ended

    @property
    def met(self) -> bool:
        """Whether the swarm has been found: somebody listens, and its mission has been heard of."""
        return bool(self.state.number and self._publisher.get_subscription_count())

    @property
    def tasks(self) -> Mapping[str, TaskState]:
        """The tasks that the swarm knows, by name, the newest last."""
        return {one.task.id: one for one in self.state.tasks}

    def _until(self, look: Callable[[], Any], patience: float, saying: str = "") -> Any:
        """What ``look`` finds within ``patience`` (s), or None; ``saying`` so now and then while it finds nothing."""
        end, again = time.monotonic() + patience, 0.0
        while True:
            found = look()
            if found is not None or time.monotonic() > end:
                return found
            if saying and time.monotonic() > again and self._publisher.get_subscription_count():
                self._publisher.publish(String(data=saying))
                again = time.monotonic() + AGAIN
            self.serve(0.05)

    def _hear(self, message: String) -> None:
        try:
            state = MissionState.from_text(message.data)
        except ValueError as error:
            self.get_logger().error(f"{topics.MISSION.name}: {error}", throttle_duration_sec=5.0)
            return
        self.state = state if state.number >= self.state.number else self.state
