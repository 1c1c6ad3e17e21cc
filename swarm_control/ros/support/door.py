"""The one door for messages and requests: what makes a callback fail is dropped, counted and named. No message ends a node."""

import inspect
import time
from collections.abc import Callable
from typing import Any

from swarm_control.ros.support.rooted import RootedNode

LARGEST = 1 << 27
"""Largest message (bytes) that is looked at."""

AGAIN = 5.0
"""Time (s) between two lines on the same topic."""


class Door(RootedNode):
    """A node whose subscriptions and services all have a door before them, rclpy's own for ``/clock`` and parameters, too."""

    @property
    def refused(self) -> dict[str, int]:
        """How many messages and requests were refused, by topic or service."""
        return self.__dict__.setdefault("_door_refused", {})  # rclpy subscribes before any subclass is there

    def create_subscription(self, msg_type: Any, topic: str, callback: Any, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's."""
        return super().create_subscription(msg_type, topic, self._before(topic, callback), *arguments, **named)

    def _called(self, topic: str) -> str:
        """How a topic is named to people: within the root, and one with a slash before it as remappings have it."""
        return (self.within(self.known_as(topic)) if topic.startswith("/") else None) or topic

    def _before(self, topic: str, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def heard(message: Any) -> None:
            try:
                if isinstance(message, bytes) and len(message) > LARGEST:
                    raise ValueError(f"{len(message)} bytes found, expected at most {LARGEST}")
                callback(message)
            except Exception as error:  # whatever it is: a message is nobody's end
                self.refuse(self._called(topic), error)

        return heard

    def create_service(self, srv_type: Any, srv_name: str, callback: Any, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        """As rclpy's. To a request that makes no sense the answer is an empty response: nothing was done."""
        return super().create_service(srv_type, srv_name, self._answering(srv_name, callback), *arguments, **named)

    def _answering(self, name: str, callback: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def answered(request: Any, response: Any) -> Any:
            try:
                return callback(request, response)
            except Exception as error:  # as above
                self.refuse(name, error)
                return response

        async def answered_later(request: Any, response: Any) -> Any:
            try:
                return await callback(request, response)
            except Exception as error:  # as above
                self.refuse(name, error)
                return response

        return answered_later if inspect.iscoroutinefunction(callback) else answered

    def refuse(self, topic: str, error: Exception) -> None:
        """Count and name a message that has led to ``error``; for nodes that keep messages and read them later, too."""
        self.refused[topic] = count = self.refused.get(topic, 0) + 1
        said = self.__dict__.setdefault("_door_said", {})
        if time.monotonic() - said.get(topic, -float("inf")) > AGAIN:
            said[topic] = time.monotonic()
            self.get_logger().error(f"{topic}: a message that makes no sense: {_told(error)} ({count} refused so far)")


def _told(error: Exception) -> str:
    """One line on an error, and where it was raised if it is none that a check has written."""
    text = " ".join(str(error).split())[:200]
    if isinstance(error, ValueError) and "expected" in text:
        return text
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" at {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
    return f"{type(error).__name__}: {text}{where}"
