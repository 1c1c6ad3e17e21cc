"""Whether a dataclass of parameters is well declared: asked of everything that registers, plugins' most of all."""

import typing
from dataclasses import fields, is_dataclass
from typing import Any

from swarm_control.core.parameters import Spec, short, specs

TYPES = (bool, int, float, str, tuple)
"""Types that a parameter may have."""


def check_declared(cls: Any) -> None:
    """``ValueError`` unless ``cls`` is a dataclass of parameters, and of groups of them, whose defaults are what they declare.

    What is not could be registered, and written to a scenario's file, but not read again.
    """
    if not (isinstance(cls, type) and is_dataclass(cls)):
        raise ValueError(f"{short(cls)} found, expected a dataclass of parameters")
    hints, declared = typing.get_type_hints(cls), {spec.name: spec for spec in specs(cls)}
    for f in fields(cls):
        place = f"{cls.__name__}.{f.name}"
        if is_dataclass(hints[f.name]):
            check_declared(hints[f.name])
        elif f.name in declared:
            _check_default(declared[f.name], place)
        elif "help" not in f.metadata and not any(map(is_dataclass, typing.get_args(hints[f.name]))):
            raise ValueError(f"{place}: a field that is no parameter found, expected param(…)")
    try:
        cls()
    except TypeError as error:
        raise ValueError(f"{cls.__name__}: {error}; expected a default for every field") from None


def _check_default(spec: Spec, place: str) -> None:
    if spec.type not in TYPES:
        raise ValueError(f"{place}: the type {spec.type} found, expected one of {', '.join(kind.__name__ for kind in TYPES)}")
    try:
        spec.check(spec.default)
    except ValueError as error:
        raise ValueError(f"{place}: the default {error}") from None
