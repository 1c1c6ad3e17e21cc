"""Reading, checking, changing and writing trees of parameter dataclasses."""

import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from swarm_control.core.parameters import Spec, plain, short, specs
from swarm_control.errors import InputError, meant_by, nearest
from swarm_control.scenario.reference import places_of_key
from swarm_control.scenario.schema import Arena
from swarm_control.scenario.yaml_text import dump_yaml, parse_yaml

T = TypeVar("T")


def build(cls: type[T], data: Any, where: str, path: str = "") -> T:
    """Make a ``cls`` from YAML ``data``; ``InputError`` names ``where`` (the file), the dotted key and what was expected."""
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        such = next((f", such as {{{spec.name}: …}}" for spec in specs(cls)), "")
        raise InputError(_place(where, path), f"{short(data)} found, a mapping was expected{such}")
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    for key in data:
        if key not in known:
            raise InputError(_place(where, _join(path, key)), _unknown(key, known, path))
    declared = {spec.name: spec for spec in specs(cls)}
    hints = typing.get_type_hints(cls)
    values = {}
    for key, value in data.items():
        name = _join(path, key)
        if key in declared:
            values[key] = check(declared[key], value, where, name)
        else:
            values[key] = _build_member(hints[key], known[key].metadata, value, where, name)
    return _whole(cls, values, where, path)


def check(spec: Spec, value: Any, where: str, path: str) -> Any:
    """Check one value against its declaration; ``InputError`` when it is not what was declared.

    Members of a list of mappings may also be given as YAML texts.
    """
    if is_dataclass(spec.item) and isinstance(value, (list, tuple)):
        value = [_member(spec.item, item, where, f"{path}[{k}]") for k, item in enumerate(value)]
    try:
        return spec.check(value)
    except ValueError as error:
        raise InputError(_place(where, path), str(error)) from None


def flatten(tree: Any, path: str = "") -> Iterator[tuple[str, Spec, Any]]:
    """Yield (dotted name, declaration, value) of every parameter in a dataclass tree."""
    declared = {spec.name: spec for spec in specs(type(tree))}
    for f in fields(tree):
        value = getattr(tree, f.name)
        name = _join(path, f.name)
        if f.name in declared:
            yield name, declared[f.name], value
        elif is_dataclass(value):
            yield from flatten(value, name)


def dotted(tree: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Nested mappings by dotted names, with ``path`` before them."""
    found: dict[str, Any] = {}
    for key, value in tree.items():
        found |= dotted(value, f"{path}{key}.") if isinstance(value, Mapping) else {f"{path}{key}": value}
    return found


def change(tree: T, changes: Mapping[str, Any], where: str, under: str = "") -> T:
    """Return a copy of a dataclass tree with dotted parameters changed and checked; all of them or ``InputError``.

    ``under``: what comes before their names in errors.
    """
    for path, value in changes.items():
        tree = _change_one(tree, path.split("."), value, where, under + path)
    return tree


def to_data(tree: Any) -> Any:
    """The tree as plain mappings, lists and scalars, for YAML."""
    if is_dataclass(tree):
        return {f.name: to_data(getattr(tree, f.name)) for f in fields(tree)}
    if isinstance(tree, (tuple, list)):
        return [to_data(item) for item in tree]
    if isinstance(tree, Mapping):
        return {key: to_data(value) for key, value in tree.items()}
    return plain(tree)


def to_text(item: Any) -> str:
    """A member of a list of mappings in one line of YAML, without what is as by default."""
    given = {f.name: getattr(item, f.name) for f in fields(item) if getattr(item, f.name) != f.default}
    return dump_yaml(to_data(given), one_line=True).strip()


def _member(cls: type, item: Any, where: str, path: str) -> Any:
    if isinstance(item, cls):
        return item
    if isinstance(item, str):
        item = parse_yaml(item, _place(where, path), line=False)
    return build(cls, item, where, path)


def _change_one(tree: Any, keys: list[str], value: Any, where: str, path: str) -> Any:
    names = [f.name for f in fields(tree)] if is_dataclass(tree) else []
    if not names:
        raise InputError(_place(where, path), f"{keys[0]} is beyond a parameter; expected the name of one")
    if keys[0] not in names:
        raise InputError(_place(where, path), f"unknown key{nearest(keys[0], names)}")
    if len(keys) > 1:
        return replace(tree, **{keys[0]: _change_one(getattr(tree, keys[0]), keys[1:], value, where, path)})
    for spec in specs(type(tree)):
        if spec.name == keys[0]:
            values = {f.name: getattr(tree, f.name) for f in fields(tree)}
            return _whole(type(tree), {**values, keys[0]: check(spec, value, where, path)}, where, path.rpartition(".")[0])
    raise InputError(_place(where, path), "a group of parameters; name one of them")


def _unknown(key: Any, known: Collection[str], path: str) -> str:
    """Of a ``key`` that is not ``known`` below ``path``: what was probably meant."""
    if isinstance(key, (int, float)):
        return "a number found in place of a key; expected points in numbers, not commas, and lists in brackets"
    elsewhere = [] if meant_by(key, known) else places_of_key(str(key), path)
    meant = f", did you mean {' or '.join(elsewhere)}?" if elsewhere else ""
    return f"unknown key{meant} expected one of {', '.join(known)}" if meant else f"unknown key{nearest(key, known)}"


def _whole(cls: type[T], values: Mapping[str, Any], where: str, path: str) -> T:
    """Make a ``cls``, which may refuse values that are each good; ``InputError`` then says why."""
    try:
        return cls(**values)
    except ValueError as error:
        raise InputError(_place(where, path), str(error)) from None


def _build_member(kind: Any, declared: Mapping[str, Any], value: Any, where: str, path: str) -> Any:
    origin = typing.get_origin(kind)
    value = {} if value is None and origin is dict else value
    if is_dataclass(kind):
        return build(typing.cast(type, kind), value, where, path)
    if origin is tuple and is_dataclass(typing.get_args(kind)[0]):
        if not isinstance(value, list):
            raise InputError(_place(where, path), f"{short(value)} found, a list was expected")
        return tuple(build(typing.get_args(kind)[0], item, where, f"{path}[{k}]") for k, item in enumerate(value))
    if origin is tuple:
        return _rows(declared, value, where, path)
    if origin is dict and is_dataclass(typing.get_args(kind)[1]):
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise InputError(_place(where, path), f"{short(value)} found, a mapping of names was expected")
        return {key: build(typing.get_args(kind)[1], item, where, _join(path, key)) for key, item in value.items()}
    if origin is dict:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise InputError(_place(where, path), f"{short(value)} found, a mapping of names was expected")
        if "of" in declared and not declared.get("dotted"):
            build(declared["of"], value, where, path)
        return dict(value)
    return _world(value, where, path)


def _rows(declared: Mapping[str, Any], value: Any, where: str, path: str) -> tuple[tuple[float, ...], ...]:
    """Rows of numbers, as poses and the points of a way are."""
    columns = declared["columns"]
    spec = Spec("row", tuple, (), declared["unit"], declared["low"], declared["high"], (), len(columns), declared["help"])
    value = plain(value)
    if not isinstance(value, (list, tuple)):
        raise InputError(_place(where, path), f"{short(value)} found, a list of [{', '.join(columns)}] was expected")
    return tuple(check(spec, row, where, f"{path}[{k}]") for k, row in enumerate(value))


def _world(value: Any, where: str, path: str) -> Any:
    if value is None or isinstance(value, str):
        return value
    return build(Arena, value, where, path)


def _place(where: str, path: str) -> str:
    return f"{where}: {path}" if path else where


def _join(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)

