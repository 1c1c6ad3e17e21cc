"""Quiet remarks on a world file: keys that mean nothing here, counted in one line for each file."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from swarm_control.world import defaults, values
from swarm_control.world.worldfile import Property, Statement, WorldFile

SHOWN = 12


def unused_keys(file: WorldFile) -> tuple[str, ...]:
    """One line for each file that states keys not used here, counted as written, macros included once."""
    counts: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for name, key in _unused(file.statements, file):
        unused, unknown = counts.setdefault(name, (Counter(), Counter()))
        device = key in defaults.DEVICE_TYPES or key in ("window", "sensor")
        (unused if device or key in defaults.UNUSED_KEYS else unknown)[key] += 1
    return tuple(f"{Path(name).name}: {_line(*found)}" for name, found in counts.items())


def surplus_values(file: WorldFile) -> tuple[str, ...]:
    """One line for each tuple with more values than count."""
    return tuple(
        f"{part.where}: {part.key} has {len(part.values)} values, [{values.NAMES[part.key]}] count"
        for part in _properties(file.statements)
        if part.key in values.NAMES and len(part.values) > len(values.NAMES[part.key].split())
    )


def macros_ignored(file: WorldFile) -> tuple[str, ...]:
    """One line for each second definition of a macro that says something else than the first."""
    return tuple(
        f"{token.where}: {token.text} is defined at {file.macros[token.text].head.where}, which counts"
        for token in file.ignored_macros
        if token.where != file.macros[token.text].head.where
    )


def _unused(body: list[Property | Statement], file: WorldFile) -> Iterator[tuple[str, str]]:
    """(file, key) of what is not used; of a device or window only its type, not what is inside."""
    for part in body:
        if isinstance(part, Property):
            if part.key.split("[")[0] not in defaults.USED_KEYS:
                yield part.file, part.key
            continue
        base = _base(part, file)
        if base in defaults.DEVICE_TYPES or base in ("window", "sensor"):
            yield part.head.file, base
        else:
            yield from _unused(part.body, file)


def _properties(body: list[Property | Statement]) -> Iterator[Property]:
    """All properties of models as written; what windows and sensors call the same is their affair."""
    for part in body:
        if isinstance(part, Property):
            yield part
        elif part.head.text not in ("window", "sensor"):
            yield from _properties(part.body)


def _base(statement: Statement, file: WorldFile) -> str:
    """Type at the end of a chain of macros; the last name before a circle."""
    passed = set[str]()
    while (macro := file.macros.get(statement.head.text)) is not None and statement.head.text not in passed:
        passed.add(statement.head.text)
        statement = macro
    return statement.head.text


def _line(unused: Counter[str], unknown: Counter[str]) -> str:
    parts = []
    if unused:
        parts.append(f"{_keys(unused.total())} not used here: {_listed(unused)}")
    if unknown:
        parts.append(f"{_keys(unknown.total())} unknown: {_listed(unknown)}")
    return "; ".join(parts)


def _keys(count: int) -> str:
    return "1 key" if count == 1 else f"{count} keys"


def _listed(counts: Counter[str]) -> str:
    shown = [key if count == 1 else f"{key} ×{count}" for key, count in counts.most_common(SHOWN)]
    return ", ".join(shown) + (", …" if len(counts) > SHOWN else "")
