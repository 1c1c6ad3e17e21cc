"""``/swarm/status``: what each node has to say about itself, as standard diagnostics."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from swarm_control.ros.graph import topics

LEVELS = {"ok": DiagnosticStatus.OK, "warn": DiagnosticStatus.WARN, "error": DiagnosticStatus.ERROR}


class StatusWriter:
    """Publishes a node's status; ``hardware_id`` is the process, so that a restart can be told.

    ``refused``: how many messages the node has refused.
    """

    def __init__(self, node: Any, refused: Callable[[], int] = lambda: 0) -> None:
        self._node, self._refused = node, refused
        self._publisher = topics.publisher(node, topics.STATUS)

    def write(self, values: Mapping[str, Any], message: str = "running", level: str = "ok") -> None:
        """Publish ``values``, as text; of a node that is not active that it is not, in place of the ``message``."""
        message = message if self._node.active else "inactive"
        array = DiagnosticArray()
        array.header.stamp = self._node.get_clock().now().to_msg()
        name = self._node.place
        refused = self._refused()
        told = {**values, **({"messages_refused": refused} if refused else {})}
        pairs = [KeyValue(key=key, value=text(value)) for key, value in told.items()]
        process = f"process {os.getpid()}"
        array.status = [DiagnosticStatus(level=LEVELS[level], name=name, message=message, hardware_id=process, values=pairs)]
        self._publisher.publish(array)


def text(value: Any) -> str:
    """A value as the diagnostics carry it: six significant digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def shown(names: Sequence[str]) -> str:
    """Names as the diagnostics carry them: the first few."""
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


def read_status(message: DiagnosticArray) -> dict[str, tuple[str, str, dict[str, str]]]:
    """By node: process, message and values."""
    return {s.name: (s.hardware_id, s.message, {pair.key: pair.value for pair in s.values}) for s in message.status}
