"""How a parameter is declared: once, with type, default, bounds, unit and one line of help.

A group of parameters is a frozen dataclass whose fields are made by :func:`param`. Everything else is derived from the
declaration: validation of scenario files, ROS parameter descriptors, sliders and the tables in ``docs/``.

Groups that others may add to, such as a scenario's ``control``, are made by :func:`~swarm_control.core.open_group.open_group`.
"""

import builtins
import functools
import math
import re
import reprlib
import sys
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

NUMBER = re.compile(r"\s*[-+]?\.?[0-9]")
"""How a text begins that is meant as a number."""


@dataclass(frozen=True)
class Spec:
    """Declaration of one parameter. ``low`` and ``high`` are inclusive bounds; ``choices`` limits strings, ``size`` the length of lists,
    ``item`` is what lists without choices hold: numbers, text, or members of a dataclass. ``also``: a dataclass by which files may
    describe a thing in place of choosing one.
    """

    name: str
    type: type
    default: Any
    unit: str
    low: float
    high: float
    choices: tuple[str, ...]
    size: int
    help: str
    item: builtins.type = float
    also: builtins.type | None = None

    def expected(self) -> str:
        """What a value must be, in words, for error messages and tables."""
        if self.choices:
            words = "one of " + ", ".join(self.choices)
            return "a list of " + words if self.type is tuple else words
        kinds: dict[type, str] = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}
        things = "texts" if self.item is str else "mappings" if is_dataclass(self.item) else "numbers"
        kinds[tuple] = f"a list of {self.size} {things}" if self.size else f"a list of {things}"
        low, high = (f"{bound:.0f}" if self.type is int and math.isfinite(bound) else f"{bound:g}" for bound in (self.low, self.high))
        bounds = ""
        if math.isfinite(self.low) and math.isfinite(self.high):
            bounds = f" from {low} to {high}"
        elif math.isfinite(self.low):
            bounds = f" of at least {low}"
        return kinds[self.type] + bounds + (f" ({self.unit})" if self.unit else "")

    def check(self, value: Any) -> Any:
        """Return ``value`` in the declared type, or raise ``ValueError`` saying what was expected."""
        checked = _coerce(self, plain(value))
        if checked is None:
            bare = ", without unit or comma" if self.type in (int, float) and isinstance(value, str) and NUMBER.match(value) else ""
            raise ValueError(f"{short(value)} found, expected {self.expected()}{bare}")
        return checked


def param(
    default: Any, help: str, *, unit: str = "", low: float = -math.inf, high: float = math.inf, choices: Iterable[str] = (), size: int = 0,
    also: type | None = None,
) -> Any:  # fmt: skip
    """Declare a parameter as a dataclass field. ``choices`` may be a registry: what is registered when somebody asks."""
    declared = {"help": help, "unit": unit, "low": low, "high": high, "choices": choices, "size": size, "also": also}
    return field(default=default, metadata=declared)


def table(help: str, *, columns: tuple[str, ...], unit: str, low: float, high: float) -> Any:
    """Declare a dataclass field that holds rows of numbers, one for each of the ``columns``; ``unit``: theirs, with commas between."""
    return field(default=(), metadata={"help": help, "columns": columns, "unit": unit, "low": low, "high": high})


def described(help: str, *, of: type | None = None, dotted: bool = False) -> dict[str, Any]:
    """The ``metadata`` of a dataclass field that is no parameter.

    ``of``: the dataclass whose parameters a mapping in it may have, by ``dotted`` name or nested as in the dataclass.
    """
    return {"help": help, "of": of, "dotted": dotted}


def specs(cls: type) -> tuple[Spec, ...]:
    """Return the declarations of a dataclass' parameters, in order; fields that are no ``param`` are left out."""
    hints = _hints(cls)
    found = []
    for f in fields(cls):
        if "choices" in f.metadata:
            kind = typing.get_origin(hints[f.name]) or hints[f.name]
            held: type = (typing.get_args(hints[f.name]) or (float,))[0]
            item = held if held is str or is_dataclass(held) else float
            declared = {**f.metadata, "choices": tuple(f.metadata["choices"])}
            found.append(Spec(name=f.name, type=kind, default=f.default, item=item, **declared))
    return tuple(found)


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy, also in a list, as Python's own numbers and lists; everything else as it is."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)) and any(hasattr(item, "tolist") for item in value):
        return [item.tolist() if hasattr(item, "tolist") else item for item in value]
    return value


def short(value: Any) -> str:
    """Return ``value`` in at most 40 characters, for messages; also one that is huge or contains itself."""
    try:
        text = _REPR.repr(value)
    except ValueError:  # Python does not print whole numbers of thousands of digits
        text = "a huge number"
    return text if len(text) <= 40 else text[:37] + "..."


_REPR = reprlib.Repr()
_LARGEST = sys.float_info.max
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother = 3, 40, 40


def _coerce(spec: Spec, value: Any) -> Any:
    if spec.type is bool:
        return value if isinstance(value, bool) else None
    if spec.type is str:
        return value if isinstance(value, str) and (not spec.choices or value in spec.choices) else None
    if spec.type is tuple:
        return _coerce_list(spec, value)
    if not _is_number(spec, value):
        return None
    if spec.type is int:
        return int(value) if int(value) == value else None
    return float(value)


def _is_number(spec: Spec, value: Any) -> bool:
    """Whether ``value`` is a finite number within the bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return bool(spec.low <= value <= spec.high) and abs(value) <= _LARGEST


def _coerce_list(spec: Spec, value: Any) -> tuple[Any, ...] | None:
    if not isinstance(value, (list, tuple)):
        return None
    if spec.choices:
        return tuple(value) if set(map(str, value)) <= set(spec.choices) and len(set(value)) == len(value) else None
    if spec.size and len(value) != spec.size:
        return None
    if spec.item is not float:
        return tuple(value) if all(isinstance(v, spec.item) for v in value) else None
    if not spec.size and all(isinstance(v, (list, tuple)) for v in value):  # points: as pairs, or one number after the other
        value = [number for point in value for number in point]
    return tuple(map(float, value)) if all(_is_number(spec, v) for v in value) else None
