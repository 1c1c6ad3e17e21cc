"""What the fields of the scenario's dataclasses hold, read off their declarations: for tables, schemas and paths into a scenario."""

import inspect
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

from swarm_control.core.parameters import Spec, specs

Shape = Literal["parameter", "group", "list", "mapping", "part", "rows", "either"]


@dataclass(frozen=True)
class Member:
    """One field of a dataclass.

    ``shape``: a ``parameter``; a ``group`` of fields; a ``list`` or a ``mapping`` by name of such groups; a mapping with ``part`` of a
    group's parameters; ``rows`` of numbers; ``either`` text or a group. ``of``: the group's dataclass, if there is one. ``spec``: the
    declaration of a parameter, and of one row. ``dotted``: the part's parameters have dotted names.
    """

    name: str
    shape: Shape
    help: str
    of: type | None = None
    spec: Spec | None = None
    columns: tuple[str, ...] = ()
    dotted: bool = False

    @property
    def is_list(self) -> bool:
        """Whether items of it are counted from 0."""
        return self.shape in ("list", "rows") or (self.spec is not None and self.spec.type is tuple)

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        words = {
            "group": "a mapping", "list": "a list of mappings", "mapping": "a mapping of names to mappings",
            "part": "a mapping of dotted names to values" if self.dotted else "a mapping", "either": "text or a mapping",
            "rows": f"a list of [{', '.join(self.columns)}]",
        }  # fmt: skip
        if self.shape == "list" and self.spec is not None:
            return "a list of mappings, or of texts with one in YAML"
        return self.spec.expected() if self.spec is not None and self.shape == "parameter" else words[self.shape]


def members(cls: type) -> tuple[Member, ...]:
    """The fields of a dataclass of the scenario, in order; ``TypeError`` for one that scenario files cannot have."""
    hints = typing.get_type_hints(cls)
    declared = {spec.name: spec for spec in specs(cls)}
    return tuple(_member(f.name, hints[f.name], declared.get(f.name), f.metadata) for f in fields(cls))


def flat(cls: type, path: str = "") -> Iterator[tuple[str, type, Spec]]:
    """(dotted name, dataclass that declares it, declaration) of every parameter in ``cls`` and the groups in it, without lists."""
    for member in members(cls):
        if member.shape == "group" and member.of is not None:
            yield from flat(member.of, f"{path}{member.name}.")
        elif member.spec is not None and member.shape in ("parameter", "list"):
            yield f"{path}{member.name}", cls, member.spec


def about(cls: type) -> str:
    """The first sentence of the docstring of ``cls``."""
    text = " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
    return text.removesuffix(".").replace("``", "`")


def _member(name: str, hint: Any, spec: Spec | None, declared: Mapping[str, Any]) -> Member:
    origin, held = typing.get_origin(hint), typing.get_args(hint)
    inner = next((kind for kind in held if isinstance(kind, type) and is_dataclass(kind)), None)
    text = declared.get("help") or about(hint if is_dataclass(hint) else inner or object)  # type: ignore[arg-type]
    if is_dataclass(hint):
        return Member(name, "group", text, of=hint)  # type: ignore[arg-type]
    if spec is not None and inner is None:
        return Member(name, "parameter", text, spec=spec)
    if origin is tuple and "columns" in declared:
        columns = declared["columns"]
        row = Spec(name, tuple, (), declared["unit"], declared["low"], declared["high"], (), len(columns), text)
        return Member(name, "rows", text, spec=row, columns=columns)
    if origin is tuple and inner is not None:
        return Member(name, "list", text, of=inner, spec=spec)
    if origin is dict:
        if inner is not None:
            return Member(name, "mapping", text, of=inner)
        return Member(name, "part", text, of=declared.get("of"), dotted=declared.get("dotted", False))
    if inner is not None:
        return Member(name, "either", text, of=inner)
    raise TypeError(f"{name}: {hint} found, expected a parameter, or a dataclass, or a list or mapping of them")
