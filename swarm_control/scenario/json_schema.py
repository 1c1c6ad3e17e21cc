"""A JSON schema (draft 2020-12) of scenario files, by which editors complete and check keys; made from the declarations.

What only several values together show, as that a period is a whole multiple of the engine's step, is left to the loader.
"""

import math
import re
from typing import Any

from swarm_control.core.parameters import Spec
from swarm_control.scenario.groups import COMMON, PREFIX
from swarm_control.scenario.members import Member, about, flat, members
from swarm_control.scenario.schema import Control, Scenario

Schema = dict[str, Any]

GROUP = rf"^{re.escape(PREFIX)}[^.]+\."
"""A regular expression for what comes before the name of a parameter that is a group's."""


def json_schema() -> Schema:
    """The schema of a scenario file: one definition for each dataclass."""
    definitions: dict[str, Schema] = {}
    _define(Scenario, definitions)
    top = definitions.pop(_name(Scenario))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Scenario of swarm_control"}
    return {**head, **top, "type": "object", "$defs": dict(sorted(definitions.items()))}


def _define(cls: type, definitions: dict[str, Schema]) -> Schema:
    """A reference to the definition of ``cls``, which is made if there is none."""
    if _name(cls) not in definitions:
        definition: Schema = {"type": ["object", "null"], "description": about(cls), "additionalProperties": False}
        definitions[_name(cls)] = definition
        definition["properties"] = {member.name: _member(member, definitions) for member in members(cls)}
    return {"$ref": f"#/$defs/{_name(cls)}"}


def _name(cls: type) -> str:
    """The name of a dataclass' definition; plugins' classes keep their package's, as they may be called like one of ours."""
    return cls.__name__ if cls.__module__.startswith("swarm_control.") else f"{cls.__module__}.{cls.__qualname__}"


def _member(member: Member, definitions: dict[str, Schema]) -> Schema:
    """The schema of one field's values."""
    of = _define(member.of, definitions) if member.of is not None else {}
    shown: Schema = {"description": member.help}
    if member.spec is not None:
        shown = {"description": member.help + (f" [{member.spec.unit}]" if member.spec.unit else "")}
    match member.shape:
        case "group":
            return {**shown, **of}
        case "list":
            return {**shown, "type": "array", "items": of if member.spec is None else {"anyOf": [of, {"type": "string"}]}}
        case "mapping":
            return {**shown, "type": "object", "additionalProperties": of}
        case "part":
            own = {"allOf": [_without(path) for path in COMMON]} if member.of is Control else {}
            return {**shown, **(_dotted(member.of) if member.dotted and member.of else {**of, **own} or {"type": ["object", "null"]})}
        case "either":
            return {**shown, "anyOf": [{"type": ["string", "null"]}, of]}
        case "rows":
            return {**shown, "type": "array", "items": values(member.spec), "default": []} if member.spec else shown
    if member.spec is None:
        return shown
    kind = values(member.spec)
    if member.spec.also is not None:
        kind = {"anyOf": [kind, {"type": "string"}, _define(member.spec.also, definitions)]}
    return {**shown, **kind, "default": _plain(member.spec.default)}


def _without(path: str) -> Schema:
    """No parameter of this dotted name."""
    key, _, rest = path.partition(".")
    return {"properties": {key: _without(rest) if rest else False}}


def values(spec: Spec) -> Schema:
    """The schema of a parameter's values."""
    if spec.type is bool:
        return {"type": "boolean"}
    if spec.type is str:
        return {"type": "string", "enum": list(spec.choices)} if spec.choices else {"type": "string"}
    if spec.type is tuple:
        return _list(spec)
    return {"type": "integer" if spec.type is int else "number", **_bounds(spec)}


def _list(spec: Spec) -> Schema:
    if spec.choices:
        return {"type": "array", "items": {"type": "string", "enum": list(spec.choices)}, "uniqueItems": True}
    items: Schema = {"type": "string"} if spec.item is str else {"type": "number", **_bounds(spec)}
    if spec.item is float and not spec.size:  # points may be pairs
        return {"type": "array", "anyOf": [{"items": items}, {"items": {"type": "array", "items": items}}]}
    return {"type": "array", "items": items, **({"minItems": spec.size, "maxItems": spec.size} if spec.size else {})}


def _bounds(spec: Spec) -> Schema:
    bounds = {"minimum": spec.low, "maximum": spec.high}
    return {word: _short(value) for word, value in bounds.items() if math.isfinite(value)}


def _dotted(cls: type) -> Schema:
    """A mapping of the dotted names of the parameters in ``cls``; of groups' as well, where the scenario has groups with their own."""
    names = {name: {"$ref": f"#/$defs/{_name(owner)}/properties/{spec.name}"} for name, owner, spec in flat(cls)}
    own = {f"{GROUP}{re.escape(name)}$": value for name, value in names.items() if cls is Control and name not in COMMON}
    return {"type": "object", "properties": names, **({"patternProperties": own} if own else {}), "additionalProperties": False}


def _plain(value: Any) -> Any:
    """A default as JSON has it."""
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _short(value: float) -> float | int:
    """A bound without a needless ``.0``."""
    return int(value) if value == int(value) and abs(value) < 2**63 else value
