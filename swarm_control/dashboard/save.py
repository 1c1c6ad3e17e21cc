"""Writing tuned parameters back to a scenario's file, whose comments and layout stay as they are."""

import io
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError
from swarm_control.scenario.groups import PREFIX
from swarm_control.scenario.loader import load
from swarm_control.scenario.tree import to_text


def save(path: Path, changes: Mapping[str, Any]) -> None:
    """Set parameters of ``control`` (dotted name → value) in the scenario ``path``.

    The new text is read as a scenario before it takes the old one's place, in one step; ``InputError`` when it is none, or when it
    cannot be written, and then the file is as it was.
    """
    try:
        text = changed(path.read_bytes().decode("utf-8"), changes)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"not readable as text: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    try:
        replace(path, text)
    except OSError as error:
        raise InputError(str(path), f"not saved: {error.strerror}") from None


def changed(text: str, changes: Mapping[str, Any]) -> str:
    """The YAML ``text`` of a scenario with parameters of ``control`` set."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.util import load_yaml_guess_indent

    yaml = YAML()
    yaml.preserve_quotes, yaml.width = True, 1 << 20
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    try:
        data = yaml.load(text)
        _, sequence, offset = load_yaml_guess_indent(text)
    except YAMLError as error:
        raise InputError("scenario", f"not YAML: {getattr(error, 'problem', None) or error}") from None
    under = re.search(r"^control:[^\S\n]*(?:#.*)?\n(?:[^\S\n]*(?:#.*)?\n)*( +)", text, re.MULTILINE)
    yaml.indent(mapping=len(under[1]) if under else 2, sequence=sequence or 4, offset=offset if sequence else 2)
    if not isinstance(data, CommentedMap):
        raise InputError("scenario", "a mapping with world, robots, control, … was expected")
    for name, value in changes.items():
        group, *path, last = _place(data, name)
        for key in path:
            if group.get(key) is None:
                group[key] = CommentedMap()
                if key not in ("control", "groups"):
                    group[key].fa.set_flow_style()
            group = group[key]
        group[last] = _node(value)
    out = io.StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def _place(data: Any, name: str) -> list[Any]:
    """The file's mapping, and the keys that lead from it to a parameter; those of a group's formation may stand by themselves."""
    if not name.startswith(PREFIX):
        return [data, "control", *name.split(".")]
    _, group, *path = name.split(".")
    known = (data.get("groups") or {}).get(group) or {}
    if path[0] == "formation" and path[1] in (known.get("formation") or {}):
        return [data, "groups", group, *path]
    return [data, "groups", group, "control", *path]


def _node(value: Any) -> Any:
    """Lists are written on one line, lists of mappings on one for each."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedSeq

    if not isinstance(value, (list, tuple)):
        return value
    if any(is_dataclass(item) for item in value):
        return CommentedSeq(YAML().load(to_text(item)) for item in value)
    items = CommentedSeq(value)
    items.fa.set_flow_style()
    return items


def replace(path: Path, text: str) -> None:
    """Put ``text`` in the file's place once it has been read as a scenario; the file keeps its mode, and links keep pointing to it."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(suffix=path.suffix, prefix=f"{path.stem[:80]}-", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            load(str(draft))
        except InputError as error:
            raise InputError(str(path), f"not saved: {str(error).replace(str(draft), 'the new text')}") from None
        os.chmod(draft, stat.S_IMODE(path.stat().st_mode))
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
