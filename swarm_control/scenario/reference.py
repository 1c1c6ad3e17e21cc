"""Every key that a scenario file may have, with what is known of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from swarm_control.scenario.members import Member, about, members
from swarm_control.scenario.schema import Scenario

ITEM, NAME = "[]", "<name>"
"""What stands in a path for the number of a list's item, and for a name that the user gives."""


@dataclass(frozen=True)
class Key:
    """A key by its ``path`` from the top of the file: ``robots[].start.spacing``. ``cls``: the dataclass that has it."""

    path: str
    cls: type
    member: Member


def keys(cls: type = Scenario, path: str = "", above: tuple[type, ...] = ()) -> Iterator[Key]:
    """Every key of ``cls`` and of what is in it, in the order of their declarations, from ``path`` on."""
    for member in members(cls):
        name = f"{path}{member.name}"
        yield Key(name, cls, member)
        if member.of is not None and member.of not in above:
            yield from keys(member.of, name + below(member) + ".", (*above, cls))


def places_of_key(name: str, path: str) -> list[str]:
    """Where a scenario file has a key of this ``name``: the one or two places nearest to its top; none where there are more.

    Places that begin as ``path`` (where somebody wrote it) go before others.
    """
    found = [key.path for key in keys() if key.member.name == name]
    top = re.split(r"[.\[]", path)[0]
    found = [place for place in found if re.split(r"[.\[]", place)[0] == top] or found
    least = min((place.count(".") for place in found), default=0)
    found = [place for place in found if place.count(".") == least]
    return found if len(found) <= 2 else []


def below(member: Member) -> str:
    """What comes in a path between a member's name and the keys of what it holds."""
    return {"list": ITEM, "mapping": f".{NAME}"}.get(member.shape, "")


def page() -> str:
    """``docs/parameters.md``: a table of the keys for each part of a scenario file."""
    lines = [
        "# Parameters", "", "Made from the schema by `python docs/make_parameters.py`. Keys of `control` are also the names of the ROS "
        "parameters, without the `control.`. `[]` stands for the number of an item, as in `--set robots.0.count=5`.", "",
        "`config/scenario.schema.json`, made with it, is the same as a JSON schema (draft 2020-12). Editors complete and check keys by it; "
        "VS Code with the YAML extension when a scenario begins with the line", "",
        "```yaml", "# yaml-language-server: $schema=../scenario.schema.json", "```", "",
        "which holds the path of the schema from the scenario, or its address. Behaviours and robot models of plugins are in both files "
        "when they are made where the plugins are installed.", "",
    ]  # fmt: skip
    found = tuple(keys())
    first = _shortest(found)
    for member in (None, *(member for member in members(Scenario) if member.of is not None)):
        lines += _section(member, found, first)
    return "\n".join(lines)


def _shortest(found: tuple[Key, ...]) -> dict[type, str]:
    """Where each dataclass is listed, of all the paths that lead to it."""
    first: dict[type, str] = {}
    for key in sorted(found, key=lambda key: key.path.count(".")):
        first.setdefault(key.cls, _parent(key.path))
    return first


def _section(top: Member | None, found: tuple[Key, ...], first: dict[type, str]) -> list[str]:
    """A part of the page: what a ``top`` member holds; without one, the parameters at the top."""
    name = top.name if top else ""
    under = f"{name}{below(top)}." if top else ""
    title = name.capitalize() if top else "Scenario"
    lines = [f"## {title}", "", f"{top.help if top else about(Scenario)}.", ""]
    lines += ["| key | default | unit | expected | what it is |", "|---|---|---|---|---|"]
    if top and top.shape == "either":
        lines.append(f"| `{name}` |  |  | {top.expected} | {top.help} |")
    for key in found:
        inside = key.path.startswith(under) if top else "." not in key.path and key.member.of is None
        if not inside or first[key.cls] != _parent(key.path):
            continue
        if key.member.of is None or key.member.spec is not None or key.member.shape == "part":
            lines.append(_row(key))
        elif first[key.member.of] != key.path + below(key.member):
            lines.append(f"| `{key.path}` |  |  | {key.member.expected} | as `{first[key.member.of]}` |")
    return [*lines, ""]


def _row(key: Key) -> str:
    member = key.member
    default: Any = ""
    if member.spec is not None:
        default = list(member.spec.default) if isinstance(member.spec.default, tuple) else member.spec.default
    unit = member.spec.unit if member.spec else ""
    return f"| `{key.path}` | {default} | {unit} | {member.expected} | {member.help} |"


def _parent(path: str) -> str:
    return path.rpartition(".")[0]
