"""Setting parameters of other nodes through their standard services."""

import time
from collections.abc import Iterable
from typing import Any

from rcl_interfaces.srv import SetParametersAtomically

from swarm_control.ros.graph.kinds import owners
from swarm_control.ros.support.parameters import ros_parameter
from swarm_control.scenario.groups import bare
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import flatten

ANSWER = 1.0
"""Time (s, real time) after which an answer is no longer expected."""


class RemoteParameters:
    """Sets dotted parameters of the ``control`` tree on the nodes that own them, in every one of ``namespaces``.

    What cannot be delivered yet is kept until :meth:`retry` finds the node's service, and what is not answered is sent again: a node that
    has only just been discovered may have the request and yet not find the way back.
    """

    def __init__(self, node: Any, namespaces: Iterable[str]) -> None:
        self._node = node
        self._namespaces = tuple(namespaces)
        self._specs = {name: spec for name, spec, _ in flatten(Control())}
        self._clients: dict[str, Any] = {}
        self._waiting: dict[str, dict[str, Any]] = {}
        self._sent: dict[str, tuple[float, dict[str, Any], Any]] = {}

    def set(self, changes: dict[str, Any], only: str = "") -> None:
        """Set ``changes`` on the nodes that own them, or on those of the node called ``only`` that it owns."""
        for namespace in self._namespaces:
            for name, value in changes.items():
                for kind in owners(name):
                    target = f"{namespace}/{kind}"
                    if only in ("", target) and target != self._node.place:
                        self._waiting.setdefault(target, {})[name] = value
        self.retry()

    @property
    def settled(self) -> bool:
        """Whether all nodes that are there have answered what was set; who comes later is told then."""
        return not self._sent and not any(self._client(target).service_is_ready() for target in self._waiting)

    def retry(self) -> None:
        """Deliver what is waiting for nodes that can be reached now. To be called now and then."""
        for target, (sent, changes, future) in list(self._sent.items()):
            if not future.done() and time.monotonic() - sent > ANSWER:
                self._client(target).remove_pending_request(future)
                self._waiting[target] = {**changes, **self._waiting.get(target, {})}
                del self._sent[target]
        for target in list(self._waiting):
            client = self._client(target)
            if client.service_is_ready():
                changes = self._waiting.pop(target)
                request = SetParametersAtomically.Request()
                made = (ros_parameter(name, self._specs[bare(name)], value) for name, value in changes.items())
                request.parameters = [parameter.to_parameter_msg() for parameter in made]
                future = client.call_async(request)
                self._sent[target] = time.monotonic(), changes, future
                future.add_done_callback(lambda future, target=target: self._done(target, future))

    def _client(self, target: str) -> Any:
        if target not in self._clients:
            self._clients[target] = self._node.create_client(SetParametersAtomically, f"{target}/set_parameters_atomically")
        return self._clients[target]

    def _done(self, target: str, future: Any) -> None:
        if self._sent.get(target, (0.0, {}, None))[2] is future:
            del self._sent[target]
        result = future.result().result
        if not result.successful:
            self._node.get_logger().error(f"{target} refused parameters: {result.reason}")
