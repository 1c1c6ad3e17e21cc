"""A tiny writer of Stage's syntax for the tests of the reader, with odd spacing and comments on demand."""

import random
from dataclasses import dataclass, field

Value = float | str


@dataclass
class Tree:
    """An entity to write: properties by key, then children."""

    type: str
    properties: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    children: list["Tree"] = field(default_factory=list)


def emit(tree: Tree, seed: int = 0) -> str:
    """``tree`` as text, spaced and commented at random by ``seed``."""
    rng = random.Random(seed)
    lines = [f"{tree.type}{_gap(rng)}({_break(rng)}"]
    for key, values in tree.properties.items():
        written = _gap(rng).join(_value(value) for value in values)
        one = len(values) == 1 and rng.random() < 0.7
        lines.append(f"{key} {written}" if one else f"{key}{_gap(rng)}[{_gap(rng)}{written} ]")
        lines.append(_break(rng))
    for child in tree.children:
        lines.append(emit(child, rng.randrange(2**30)))
        lines.append(_break(rng))
    return "".join([*lines, ")"])


def _value(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _gap(rng: random.Random) -> str:
    return rng.choice((" ", "  ", "\t", " \t "))


def _break(rng: random.Random) -> str:
    return rng.choice((" ", "\n", "\n\n\t", " # a ) remark ( \" [\n", "\r\n"))
