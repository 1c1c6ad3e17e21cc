"""Checked reading of an entity's properties, in SI units; complaints name ``file:line``."""

import math
from typing import NamedTuple

from swarm_control.errors import InputError
from swarm_control.world.worldfile import Entity, Property

LARGEST = 1e9
"""Numbers beyond this (m, degrees …) are refused."""
_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_ANGLES = {"degrees": math.pi / 180.0, "radians": 1.0}
NAMES = {
    **dict.fromkeys(("pose", "origin", "localization_origin", "odom_error"), "x y z heading"),
    **dict.fromkeys(("velocity_bounds", "acceleration_bounds"), "xmin xmax ymin ymax zmin zmax amin amax"),
    "size": "x y z",
    "color_rgba": "red green blue alpha",
}
"""What the values of a tuple mean."""


class Units(NamedTuple):
    """Metres per ``unit_length`` and radians per ``unit_angle`` of a world file."""

    length: float
    angle: float


def read_units(root: Entity) -> Units:
    """Units stated at the top level; metres and degrees if not."""
    length = choice(root, "unit_length", tuple(_LENGTHS), "m")
    return Units(_LENGTHS[length], _ANGLES[choice(root, "unit_angle", tuple(_ANGLES), "degrees")])


def numbers(entity: Entity, key: str, form: str, units: Units) -> tuple[float, ...] | None:
    """Values of a tuple in SI units, or None where it is not stated.

    ``form`` has one letter for each value: ``l`` a length, ``a`` an angle, ``f`` neither. Too few are an
    InputError; what is beyond them does not count, as in Stage.
    """
    stated = entity.properties.get(key)
    if stated is None:
        return None
    if len(stated.values) < len(form):
        named = f" [{NAMES[key]}]" if key in NAMES else ""
        raise _misfit(stated, f"{len(form)} numbers{named}", f"{len(stated.values)}")
    scales = {"l": units.length, "a": units.angle, "f": 1.0}
    return tuple(
        _finite(stated, value) * scales[letter] for value, letter in zip(stated.values, form, strict=False)
    )


def number(entity: Entity, key: str, default: float) -> float:
    """A single number, or ``default`` where it is not stated."""
    stated = entity.properties.get(key)
    return default if stated is None else _finite(stated, _single(stated))


def positive(entity: Entity, key: str, default: float) -> float:
    """A single number above zero, or ``default`` where it is not stated."""
    value = number(entity, key, default)
    if value <= 0.0:
        raise _misfit(entity.properties[key], "a number above 0", f"{value:g}")
    return value


def flag(entity: Entity, key: str, default: bool) -> bool:
    """A switch: 0 is off, every other number on."""
    return bool(int(number(entity, key, float(default))))


def text(entity: Entity, key: str, default: str) -> str:
    """A string, or ``default`` where it is not stated."""
    stated = entity.properties.get(key)
    if stated is None:
        return default
    value = _single(stated)
    if not isinstance(value, str):
        raise _misfit(stated, "a string in quotes", f"{value:g}")
    return value


def choice(entity: Entity, key: str, names: tuple[str, ...], default: str) -> str:
    """One of ``names``, or ``default`` where it is not stated."""
    value = text(entity, key, default)
    if value not in names:
        raise _misfit(entity.properties[key], " or ".join(f'"{name}"' for name in names), f'"{value}"')
    return value


def _single(stated: Property) -> float | str:
    if len(stated.values) != 1:
        raise _misfit(stated, "one value", f"{len(stated.values)}")
    return stated.values[0]


def _finite(stated: Property, value: float | str) -> float:
    if isinstance(value, str):
        raise _misfit(stated, "a number", f'"{value}"')
    if abs(value) > LARGEST:
        raise _misfit(stated, f"numbers up to {LARGEST:g}", f"{value:g}")
    return value


def _misfit(stated: Property, expected: str, found: str) -> InputError:
    return InputError(stated.where, f"{stated.key}: expected {expected}, found {found}")
