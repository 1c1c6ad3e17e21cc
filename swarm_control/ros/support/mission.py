"""The topic ``mission``: what nodes hear of how far things have come, and how it outlives the director."""

from collections.abc import Callable
from typing import Any

from std_msgs.msg import String

from swarm_control.ros.graph import topics
from swarm_control.runtime.mission_state import MissionState

CROWD = 10
"""So many repeaters repeat once a second; more of them more rarely, so that they do not fill the network."""


class MissionInput:
    """The newest mission state that was heard; ``then`` is called with each message that makes sense, new or not.

    ``heard``: whether there was any, and be it that nothing is known. ``own``: it begins with what this node itself has told last, in a
    former process of the same run.
    """

    def __init__(self, node: Any, then: Callable[[MissionState], None] = lambda state: None, own: bool = False) -> None:
        self.state, self.heard = MissionState(), False
        self._node, self._then = node, then
        text = node.session.stored(_memory(node)) if own else None
        if text is not None:
            self._take(text)
        topics.subscribe(node, topics.MISSION, self._hear)

    def _hear(self, message: String) -> None:
        state = self._take(message.data)
        if state is not None:
            self._then(state)

    def _take(self, text: str) -> MissionState | None:
        try:
            state = MissionState.from_text(text)
        except ValueError as error:
            self._node.get_logger().error(f"{topics.MISSION.name}: {error}", throttle_duration_sec=5.0)
            return None
        if state.number > self.state.number:
            self.state = state
        self.heard = True
        return state


class MissionOutput:
    """Publishes mission states; the last one is there for late joiners as long as this process lives.

    ``keep``: it is stored in the run's folder, too, before anybody is told, so that it outlives all processes.
    """

    def __init__(self, node: Any, keep: bool = False) -> None:
        self._node, self._keep = node, keep
        self._publisher = topics.publisher(node, topics.MISSION)

    @property
    def audience(self) -> int:
        """How many listen."""
        return int(self._publisher.get_subscription_count())

    def publish(self, state: MissionState) -> None:
        """Publish ``state``."""
        text = state.to_text()
        if self._keep:
            self._node.session.store(_memory(self._node), text)
        self._publisher.publish(String(data=text))


def _memory(node: Any) -> str:
    return f"{node.place}/mission"


class MissionRepeater:
    """Repeats the newest mission state, so that a restarted director finds it; one that knows nothing says so at its start.

    What it hears, and be it from other repeaters, it repeats once, and only what is newer than what it has said.
    """

    def __init__(self, node: Any) -> None:
        self._input, self._output = MissionInput(node), MissionOutput(node)
        self._said, self._looks = 0, 0
        self._output.publish(self._input.state)

    def look(self) -> None:
        """Repeat what is new; to be called once a second."""
        self._looks += 1
        state = self._input.state
        if state.number > self._said and self._looks * CROWD >= self._output.audience:
            self._output.publish(state)
            self._said, self._looks = state.number, 0
