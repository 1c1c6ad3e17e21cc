"""YAML as users write it: one reader and one writer for scenario files, values on the command line, and texts in parameters.

It is YAML 1.1 as PyYAML has it, except that numbers may be written as in YAML 1.2's core schema, too: ``1e-1``, ``1E3``, ``-.5``. A key
that is given twice in a mapping is an error.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from swarm_control.core.parameters import short
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe

_FLOAT = "tag:yaml.org,2002:float"
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+|\.[0-9]+(?:[eE][-+]?[0-9]+)?)$")
"""Numbers of YAML 1.2 (§10.3.2) that are text in YAML 1.1."""


class Reader(yaml.SafeLoader):
    """A safe loader that refuses a key given twice in one mapping, of which YAML would silently drop the first."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Make the mapping of ``node``."""
        seen = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"the key {short(key.value)} is given twice", key.start_mark)
                seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


class YamlWriter(yaml.SafeDumper):
    """A safe dumper that knows what :class:`Reader` takes for a number, and quotes texts that look like one."""

    def represent_text(self, text: str) -> Any:
        """Texts as YAML has them; in double quotes if characters have to be escaped, which PyYAML leaves out in other styles."""
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


YamlWriter.add_representer(str, YamlWriter.represent_text)


for _side in (Reader, YamlWriter):
    _side.add_implicit_resolver(_FLOAT, _NUMBER, list("-+.0123456789"))


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping; ``InputError`` with file and line when it is none."""
    return parse_file(read_text(path), path)


def read_text(path: Path) -> str:
    """The text of a file; ``InputError`` when it cannot be read."""
    refuse_pipe(path)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"not readable as text: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


def parse_file(text: str, path: Path) -> dict[str, Any]:
    """Return the mapping that the YAML ``text`` of the file ``path`` says; ``InputError`` with file and line when it is none."""
    data = parse_yaml(text, str(path))
    if not isinstance(data, dict):
        raise InputError(str(path), "a mapping with world, robots, control, … was expected")
    return data


def parse_yaml(text: str, where: str, *, line: bool = True) -> Any:
    """Return what YAML ``text`` says; ``InputError`` with ``where`` and the ``line`` when it says nothing that can be used."""
    try:
        return yaml.load(text, Reader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark and line else where
        raise InputError(place, f"not YAML: {getattr(error, 'problem', None) or error}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise InputError(where, f"not YAML that can be used: {error}") from None


def dump_yaml(data: Any, *, one_line: bool = False, leaves_in_line: bool = False) -> str:
    """``data`` (mappings, lists, scalars) as YAML that :func:`parse_yaml` reads as the same; keys keep their order.

    ``one_line``: all of it; ``leaves_in_line``: each mapping or list that holds scalars only.
    """
    width = float("inf") if one_line or leaves_in_line else 80
    style = None if leaves_in_line else one_line
    return str(yaml.dump(data, Dumper=YamlWriter, sort_keys=False, allow_unicode=True, default_flow_style=style, width=width))
