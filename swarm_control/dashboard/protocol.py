"""What a page may say: JSON objects with a ``type`` and the fields listed here, and nothing else."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from swarm_control.core.parameters import short
from swarm_control.safety.stop_record import StopRecord

LARGEST = 64 * 1024
"""Longest message (bytes) that is read."""


@dataclass(frozen=True)
class Command:
    """A message from a page: its type, its fields, and the number by which the page knows the answer."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)
    id: int | None = None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e9 and math.isfinite(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -1 <= value <= 2**32


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


def _name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 100


def _names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 1000 and all(map(_name, value))


def _changes(value: Any) -> bool:
    return isinstance(value, dict) and 0 < len(value) <= 1000 and all(map(_name, value))


def _maybe_number(value: Any) -> bool:
    return value is None or _number(value)


def _record(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(StopRecord.from_text(value).to_text())
    except (ValueError, RecursionError):
        return False


NUMBER, WHOLE, TRUTH = ("a finite number", _number), ("a whole number", _whole), ("true or false", _truth)
NAMES, CHANGES = ("a list of names", _names), ("an object of names and values", _changes)
RECORD = ("the stops that a status told of", _record)
MAYBE = ("a finite number or null", _maybe_number)
Kind = tuple[str, Callable[[Any], bool]]

TYPES: dict[str, dict[str, Kind]] = {
    "ack": {"sequence": WHOLE},
    "watch": {"robot": WHOLE, "everybody": TRUTH},
    "set": {"changes": CHANGES},
    "save": {"names": NAMES},
    "stop": {"on": TRUTH, "seen": RECORD},
    "pause": {"on": TRUTH},
    "step": {},
    "reset": {},
    "speed": {"value": NUMBER},
    "goal": {"x": NUMBER, "y": NUMBER, "yaw": MAYBE},
    "place": {"robot": WHOLE, "x": NUMBER, "y": NUMBER, "yaw": NUMBER},
}
"""The fields of every type of message; all are required but those of :data:`OPTIONAL`. ``id`` may be added to any."""

OPTIONAL = {("stop", "seen")}
"""``seen``: the stops that the page knew of, as it was told them. A release needs them, and lets go of these only."""


def parse(text: str) -> Command:
    """Read a message; ``ValueError`` says what was found and what was expected."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{short(text)} found, expected a JSON object") from None
    if not isinstance(data, dict):
        raise ValueError(f"{short(data)} found, expected a JSON object")
    kind, number = data.pop("type", None), data.pop("id", None)
    if not isinstance(kind, str) or kind not in TYPES:
        raise ValueError(f"type {short(kind)} found, expected one of {', '.join(TYPES)}")
    if number is not None and not _whole(number):
        raise ValueError(f"id {short(number)} found, expected a whole number")
    wanted = TYPES[kind]
    wanted = {name: words for name, words in wanted.items() if name in data or (kind, name) not in OPTIONAL}
    if set(data) != set(wanted):
        raise ValueError(f"{kind} with {short(sorted(data))} found, expected {', '.join(wanted) or 'nothing else'}")
    for name, (words, good) in wanted.items():
        if not good(data[name]):
            raise ValueError(f"{kind}: {name} {short(data[name])} found, expected {words}")
    if kind == "stop" and not data["on"] and "seen" not in data:
        raise ValueError("stop: on false without seen found, expected the stops that are to be let go")
    return Command(kind, data, number)
