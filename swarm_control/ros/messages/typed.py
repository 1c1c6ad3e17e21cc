"""Messages of any type from plain data, as people write it."""

import importlib
from collections.abc import Mapping
from typing import Any

from swarm_control.errors import InputError, nearest

BOUNDS = (AssertionError, TypeError, ValueError, OverflowError)
"""What rclpy's messages raise for values that they cannot hold."""

FLOATS = "float", "double"
"""Types of numbers that whole ones do for."""


def message_type(name: str) -> Any:
    """The class of a message type such as ``geometry_msgs/msg/Twist``; ``InputError`` where there is none."""
    package, _, kind = name.replace("/msg/", "/").partition("/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError, TypeError, ValueError):
        raise InputError("TYPE", f"{name!r} found, expected a message type that is installed, such as geometry_msgs/msg/Twist") from None


def message_of(kind: Any, data: Any, where: str = "VALUES") -> Any:
    """A message of class ``kind`` whose fields are those of the mapping ``data``; what it does not name has the type's defaults.

    ``InputError`` with the field's place (it begins with ``where``) for fields that there are not and values that they cannot hold.
    """
    types = kind.get_fields_and_field_types()
    if not isinstance(data, Mapping):
        raise InputError(where, f"{data!r} found, expected fields such as {{{next(iter(types), '')}: …}}")
    for name in data:
        if name not in types:
            raise InputError(where, f"no field {name!r}{nearest(name, list(types))}")
    slots = dict(zip(types, kind.SLOT_TYPES))
    values = {name: _value(slots[name], value, f"{where}.{name}") for name, value in data.items()}
    for name, value in values.items():  # each by itself, so that the error has a place
        try:
            kind(**{name: value}, check_fields=True)
        except BOUNDS:
            raise InputError(f"{where}.{name}", f"{data[name]!r} found, expected {types[name]}") from None
    return kind(**values)


def _value(slot: Any, data: Any, where: str) -> Any:
    """What a field of the type ``slot`` (of ``rosidl_parser.definition``) holds for ``data``."""
    if hasattr(slot, "namespaced_name"):
        return message_of(message_type("/".join(slot.namespaced_name())), data, where)
    if hasattr(slot, "value_type") and isinstance(data, list):
        return [_value(slot.value_type, item, f"{where}[{k}]") for k, item in enumerate(data)]
    kind = getattr(slot, "typename", "")
    if kind == "octet" and type(data) is int and 0 <= data < 256:
        return bytes([data])
    return float(data) if kind in FLOATS and type(data) is int else data
