"""A scenario file to begin with: what another scenario says, with a comment on every key, and the keys beside them that it leaves out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from swarm_control.scenario.loader import find
from swarm_control.scenario.members import Member, members
from swarm_control.scenario.models import SUFFIXES, with_models
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.yaml_text import dump_yaml, read_yaml

HEAD = """# Try it: swarm info {file}; swarm simulate {file}; swarm run {file} --dashboard
# Keys behind # are left out and have the value that stands there. Every key there is: docs/parameters.md.
"""

SAYS_NOTHING = "Parameters of "
"""How the help of a group begins that its name tells as well."""


def draft(like: str, path: Path) -> str:
    """The text of a scenario file, to be written at ``path``, that is as the scenario ``like``. ``InputError`` when there is none."""
    source = find(like)
    data = read_yaml(source)
    data.pop("name", None)
    return HEAD.format(file=path) + "".join(f"{line}\n" for line in _lines(_found_from(data, source, path), Scenario, ""))


def _found_from(data: dict[str, Any], source: Path, path: Path) -> dict[str, Any]:
    """The data with what is beside the ``source`` named so that ``path`` finds it, too, and with the limits of robots from files."""
    if robots := data.get("robots"):
        known = with_models(data, source)["robots"]
        data = {**data, "robots": [{**limits, **group, **_moved(group, source)} for group, limits in zip(robots, known)]}
    world = data.get("world")
    if isinstance(world, str) and (source.parent / world).is_file() and source.parent.resolve() != path.parent.resolve():
        return {**data, "world": str((source.parent / world).resolve())}
    return data


def _moved(group: Mapping[str, Any], source: Path) -> dict[str, str]:
    """The model of robots that has a file beside the ``source``, by a path that is the same from everywhere."""
    model = group.get("model")
    beside = isinstance(model, str) and model.endswith(SUFFIXES)
    return {"model": str((source.parent / str(model)).resolve())} if beside else {}


def _lines(data: Mapping[str, Any], cls: type, indent: str) -> Iterator[str]:
    """The lines of a mapping that is read as the dataclass ``cls``: each key that it has, and the parameters that it leaves out."""
    known = {member.name: member for member in members(cls)}
    absent = [member for name, member in known.items() if name not in data and member.shape == "parameter" and member.spec is not None]
    last = max((k for k, name in enumerate(data) if name in known and known[name].shape == "parameter"), default=-1)
    lines = [_entry(name, value, known[name], indent) for name, value in data.items()]
    further = [f"{indent}# {member.name}: {_flow(_default(member))}{_comment(member)}" for member in absent]
    for entry in (*lines[: last + 1], further, *lines[last + 1 :]):
        yield from entry


def _entry(name: str, value: Any, member: Member, indent: str) -> Iterator[str]:
    """The lines of one key."""
    inner = member.of
    if inner is not None and isinstance(value, dict) and member.shape in ("group", "either"):
        yield f"{indent}{name}:{_comment(member)}"
        yield from _lines(value, inner, indent + "  ")
    elif inner is not None and isinstance(value, dict) and member.shape == "mapping":
        yield f"{indent}{name}:{_comment(member)}"
        for key, item in value.items():
            yield f"{indent}  {key}:"
            yield from _lines(item, inner, indent + "    ")
    elif inner is not None and isinstance(value, list) and all(isinstance(item, dict) for item in value) and value:
        yield f"{indent}{name}:{_comment(member)}"
        for number, item in enumerate(value):
            yield from _item(item, inner, indent + "  ", whole=number == 0)
    else:
        yield f"{indent}{name}: {_flow(value)}{_comment(member)}"


def _item(item: Mapping[str, Any], cls: type, indent: str, whole: bool) -> Iterator[str]:
    """The lines of a list's item; those of the first, the ``whole`` one, with what it leaves out."""
    lines = list(_lines(item, cls, indent + "  "))
    if not whole:
        lines = [line.partition("  # ")[0] for line in lines if not line.lstrip().startswith("#")]
    first = lines[0] if lines else f"{indent}  {{}}"
    yield f"{indent}- {first[len(indent) + 2 :]}"
    yield from lines[1:]


def _default(member: Member) -> Any:
    assert member.spec is not None
    return list(member.spec.default) if isinstance(member.spec.default, tuple) else member.spec.default


def _comment(member: Member) -> str:
    """What a key is, its unit, and what there is to choose from; of what is named by its key nothing."""
    spec = member.spec
    unit = f" ({spec.unit})" if spec is not None and spec.unit else ""
    choices = f": {', '.join(spec.choices)}" if spec is not None and spec.choices and spec.type is str else ""
    return "" if member.help.startswith(SAYS_NOTHING) else f"  # {member.help}{unit}{choices}"


def _flow(value: Any) -> str:
    """A value on one line."""
    return dump_yaml(value, one_line=True).removesuffix("\n").removesuffix("\n...").strip()
