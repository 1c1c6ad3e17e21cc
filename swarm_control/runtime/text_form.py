"""Reading data that came as JSON text, member by member: what is not as expected is a ``ValueError`` of one line that says where."""

import json
import reprlib
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def point(data: Any, where: str) -> tuple[float, float]:
    """Coordinates x and y, m."""
    if not isinstance(data, list) or len(data) != 2:
        raise wrong(where, data, "x and y")
    return number(data[0], where), number(data[1], where)


def members(data: Any, where: str, cls: type) -> dict[str, Any]:
    """An object that has exactly the members of the dataclass ``cls``."""
    names = [one.name for one in fields(cls)]
    if not isinstance(data, dict) or data.keys() != set(names):
        raise wrong(where, data, f"an object with {', '.join(names)}")
    return data


def items(data: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    """A list, each item as ``read`` reads it."""
    if not isinstance(data, list):
        raise wrong(where, data, "a list")
    return tuple(read(item, f"{where}[{k}]") for k, item in enumerate(data))


def optional(data: Any, where: str, read: Callable[[Any, str], T]) -> T | None:
    """What ``read`` reads, or nothing."""
    return None if data is None else read(data, where)


def count(data: Any, where: str) -> int:
    """A whole number from 0."""
    if type(data) is not int or data < 0:
        raise wrong(where, data, "a whole number from 0")
    return data


def number(data: Any, where: str) -> float:
    """A finite number."""
    if type(data) not in (int, float) or not abs(data) <= sys.float_info.max:
        raise wrong(where, data, "a finite number")
    return float(data)


def fraction(data: Any, where: str) -> float:
    """A number from 0 to 1."""
    if not 0.0 <= (found := number(data, where)) <= 1.0:
        raise wrong(where, data, "a number from 0 to 1")
    return found


def text(data: Any, where: str) -> str:
    """A text."""
    if not isinstance(data, str):
        raise wrong(where, data, "a text")
    return data


def wrong(where: str, found: object, expected: str) -> ValueError:
    """The error that says what was ``found`` where, and what was ``expected``."""
    return ValueError(f"{where}: {reprlib.repr(found)} found, expected {expected}")


def read_object(text: str, what: str, version: int, versions: tuple[int, ...] = ()) -> tuple[dict[str, Any], int]:
    """The members of a JSON object called ``what``, without its ``version``, and that: the one expected, or one of older ``versions``."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise wrong(what, text, "a JSON object") from None
    if not isinstance(data, dict):
        raise wrong(what, data, "a JSON object")
    found = data.pop("version", None)
    if type(found) is not int or found not in (version, *versions):
        raise wrong(f"{what}.version", found, str(version))
    return data, found
