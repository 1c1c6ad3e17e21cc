"""Changes to a scenario from the command line, ``PATH=VALUE``, and errors that name the option which brought them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from difflib import SequenceMatcher, get_close_matches
from typing import Any

from swarm_control.core.parameters import short
from swarm_control.errors import NEAR, InputError
from swarm_control.scenario.members import Member, members
from swarm_control.scenario.reference import ITEM, NAME, keys
from swarm_control.scenario.schema import Control, Group, Scenario
from swarm_control.scenario.yaml_text import parse_yaml

EXPECTED = "expected PATH=VALUE, for instance separation.weight=0.3"


class Override(str):
    """A change ``PATH=VALUE`` that remembers the ``option`` which the user gave, in at most 120 characters."""

    option: str

    def __new__(cls, text: str, option: str = "") -> "Override":
        """Make one; ``option`` is ``--set PATH=VALUE`` when it is left out."""
        made = super().__new__(cls, text)
        option = option or f"--set {text}"
        made.option = option if len(option) <= 120 else option[:117] + "..."
        return made


def override(text: str) -> Override:
    """A change as an :class:`Override`; one that is a mere text comes from ``--set``."""
    return text if isinstance(text, Override) else Override(text)


def split(text: Override) -> tuple[str, Any]:
    """Path and value of a change; ``InputError`` when it is none, or the value no YAML."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InputError(text.option, EXPECTED)
    return key.strip(), parse_yaml(value, text.option, line=False)


def keys_of(path: str, where: str = "") -> list[str]:
    """The keys, from the top of a scenario's file, that a dotted ``path`` stands for; list items by number.

    ``InputError`` at ``where`` for one that no scenario has; it names the nearest.
    """
    where = where or f"--set {path}"
    given = [key for key in re.split(r"[.\[\]]+", path) if key]
    if not given:
        raise InputError(where, EXPECTED)
    top, control, own = ({f.name for f in fields(cls)} for cls in (Scenario, Control, Group))
    if given[0] == "groups" and len(given) > 2 and (given[2] in control or not get_close_matches(given[2], own)) and given[2] not in own:
        given = [*given[:2], "control", *given[2:]]
    elif given[0] not in top and given[0] in control:
        given = ["control", *given]
    return _known(given, where)


def _known(given: list[str], where: str) -> list[str]:
    """The keys ``given``, if there are such; those in a mapping of dotted names become one."""
    form: list[str] = []
    for at, cls, member in _walk(given):
        if member is None:
            raise InputError(where, f"unknown key {short(given[at]).strip(chr(39))}{_meant(cls, given, form, at)}")
        form += [given[at], *({"list": [ITEM], "mapping": [NAME]}.get(member.shape, []))]
        further = given[at + 1 :]
        if member.dotted and further:
            return [*given[: at + 1], ".".join(further)]
        if member.spec is not None and member.spec.type is not tuple and further:
            raise InputError(where, f"{short(further[0])} is not in a mapping: {'.'.join(given[: at + 1])} is {member.expected}")
    return given


def _walk(given: Sequence[str]) -> Iterator[tuple[int, type, Member | None]]:
    """For each of the keys that names a field: its number, the dataclass that has the field, and the field; None if it has none."""
    cls: type | None = Scenario
    at = 0
    while cls is not None and at < len(given):
        member = {member.name: member for member in members(cls)}.get(given[at])
        yield at, cls, member
        if member is None or member.dotted:
            return
        cls = member.of
        at += 2 if member.shape in ("list", "mapping") else 1


def _meant(cls: type, given: list[str], form: list[str], at: int) -> str:
    """The end of the error about the key at ``at``: the nearest paths that there are, or the keys that may be there.

    Of paths that end in the same parameter of the same dataclass, the one most like what was given counts.
    """
    typed = ".".join([*form, *given[at:]]).replace(f".{ITEM}", ITEM)[:200]
    scores: dict[tuple[type, str], tuple[float, float, str]] = {}
    for key in keys():
        likeness = _likeness(typed, key.path)
        if max(likeness, default=0.0) < NEAR:
            continue
        score, known = (max(likeness), likeness[0], key.path), scores.get((key.cls, key.member.name))
        if known is None or score > known:
            scores[key.cls, key.member.name] = score
    if not scores:
        return f"; expected one of {', '.join(member.name for member in members(cls))}"
    best = max(score for score, _, _ in scores.values())
    begun = [path for _, _, path in scores.values() if path.startswith(typed) and "." not in path]  # robot, of robots
    close = [*begun, *(path for score, _, path in sorted(scores.values(), reverse=True) if score == best and path not in begun)]
    places = [given[k] for k, part in enumerate(form) if part in (ITEM, NAME)]
    return f", did you mean {' or '.join(_filled(path, places) for path in close[:3])}?"


def _likeness(typed: str, path: str) -> list[float]:
    """How like a path and each of its ends is to what was typed; of one that is far from it nothing, as that takes much longer to tell."""
    parts = path.split(".")
    ends = [".".join(parts[k:]) for k in range(len(parts))]
    lengths = (abs(len(end) - len(typed)) <= (1.0 - NEAR) * (len(end) + len(typed)) for end in ends)
    near = any(SequenceMatcher(None, typed, end).quick_ratio() >= NEAR for end, close in zip(ends, lengths) if close)
    return [SequenceMatcher(None, typed, end).ratio() for end in ends] if near else []


def _filled(path: str, places: list[str]) -> str:
    """A ``path`` with the numbers and names that the user gave; the first item where none was given."""
    given = iter(places)
    path = re.sub(re.escape(ITEM), lambda _: f".{next(given, '0')}", path)
    return re.sub(re.escape(NAME), lambda _: next(given, NAME), path)


def put(data: Any, path: Sequence[str], value: Any, where: str) -> None:
    """Set what ``path`` leads to in the ``data`` of a scenario file; ``InputError`` at ``where`` when it leads nowhere."""
    lists = {at for at, _, member in _walk(path) if member and member.is_list}
    for k, key in enumerate(path):
        last = k == len(path) - 1
        if isinstance(data, list):
            place: Any = _index(data, key, where)
        elif isinstance(data, dict):
            place = key
            if not last and data.get(key) is None:
                data[key] = [] if k in lists else {}
        else:
            raise InputError(where, f"{short(key)} is not in a mapping")
        if last:
            data[place] = value
        else:
            data = data[place]


def _index(items: list[Any], key: str, where: str) -> int:
    if not items:
        raise InputError(where, f"{short(key)} found in a list that is empty")
    if not (key.isascii() and key.isdigit()) or len(key) > 9 or int(key) >= len(items):
        raise InputError(where, f"{short(key)} found, expected an item's number from 0 to {len(items) - 1}")
    return int(key)


def blame(error: InputError, changes: Sequence[str], source: str, attempt: Callable[[Sequence[str]], Any]) -> InputError:
    """The ``error`` with which ``attempt(changes)`` ended, naming the option of the change that brings it in place of the file ``source``.

    It is the change without which, and without all that come after it, there is another error or none; if there is no such change, the
    file itself is to blame, and the error stays as it is.
    """
    if any(str(error).startswith(f"{override(change).option}: ") for change in changes):
        return error
    for k in range(len(changes) - 1, -1, -1):
        try:
            attempt(changes[:k])
        except InputError as other:
            if str(other) == str(error):
                continue
        return InputError(override(changes[k]).option, str(error).removeprefix(f"{source}: "))
    return error
