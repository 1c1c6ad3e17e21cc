"""Calling services of nodes that may come, go, and miss the first request."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

AGAIN = 0.5
"""Time (s) after which a request without an answer is sent again: a node that has only just been found may not find the way back."""


@dataclass
class _Call:
    kind: type
    request: Any
    answered: list[Callable[[Any], None]]
    deadline: float
    once: bool
    sent: float = -1e9
    futures: list[Any] = field(default_factory=list)


class Services:
    """Calls services of other nodes; :meth:`poll` must be called often. Each call is answered once: with the response, or None."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._clients: dict[str, Any] = {}
        self._calls: dict[tuple[str, str], _Call] = {}

    def call(
        self, kind: type, name: str, request: Any, answered: Callable[[Any], None], *, key: str = "", patience: float = 10.0,
        once: bool = False,
    ) -> None:  # fmt: skip
        """Call the service ``name``. A call takes the place of an unanswered one of the same service and ``key``, and answers for both.

        None is the answer after ``patience`` (s); until then it is tried again and again, unless ``once``.
        """
        before = self._calls.pop((name, key), None)
        everybody = [*(before.answered if before else []), answered]
        self._calls[name, key] = _Call(kind, request, everybody, time.monotonic() + patience, once)
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, name)
        self.poll()

    def poll(self) -> None:
        """Send what can be sent, and answer what has been answered."""
        now = time.monotonic()
        for place, call in list(self._calls.items()):
            done = next((future for future in call.futures if future.done()), None)
            if done is not None or now > call.deadline:
                del self._calls[place]
                for future in call.futures:
                    if not future.done():
                        self._clients[place[0]].remove_pending_request(future)
                for answered in call.answered:
                    answered(None if done is None else done.result())
            elif self._due(call, now) and self._clients[place[0]].service_is_ready():
                call.sent = now
                call.futures.append(self._clients[place[0]].call_async(call.request))

    @staticmethod
    def _due(call: _Call, now: float) -> bool:
        return now - call.sent > AGAIN and not (call.once and call.futures)
