"""``swarm list``."""

import argparse
import importlib
import re
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from swarm_control import paths

REGISTRIES = {
    "Behaviours": ("swarm_control.behaviours", "BEHAVIOURS"),
    "Robot models": ("swarm_control.robots", "ROBOTS"),
    "Metrics": ("swarm_control.analysis.metrics", "METRICS"),
    "Objectives": ("swarm_control.analysis.tuning.objective_function", "OBJECTIVES"),
}
"""What is listed beside the scenarios: by its title the module and the name of a registry, whose things have a line of ``help`` each."""


class Listed(Protocol):
    """What can be listed."""

    @property
    def help(self) -> str:
        """One line on what it is."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    titles = [title[0].lower() + title[1:] for title in ("Scenarios", "Robots from files", *REGISTRIES)]
    text = f"List {', '.join(titles[:-1])} and {titles[-1]}, with one line each; behaviours in the order of their priority."
    parser = commands.add_parser("list", description=text, epilog="Example: swarm list")
    parser.set_defaults(call=show)


def show(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    if "numpy" not in sys.modules:
        sys.modules["numpy"] = Postponed("numpy")
    print_section("Scenarios", {name: description(path) for name, path in paths.scenarios().items()})
    print_section("Robots from files", {name: description(path) for name, path in paths.models().items()})
    for title, (module, name) in REGISTRIES.items():
        print_registry(title, getattr(importlib.import_module(module), name))
    return 0


class Postponed(types.ModuleType):
    """Stands for a module, which is imported when something in it is used.

    What is registered says what it is by name and docstring: nothing is computed, and numpy takes longer than all else that is imported.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def print_registry(title: str, registry: Mapping[str, Listed]) -> None:
    """Print a title, and what is registered, in the registry's order."""
    print_section(title, {name: thing.help for name, thing in registry.items()})


def print_section(title: str, lines: Mapping[str, str]) -> None:
    """Print a title, and names with a line each."""
    width = max(map(len, lines), default=0)
    print(title)
    for name, line in lines.items():
        print(f"  {name:{width}}  {line}")


def description(path: Path) -> str:
    """A scenario's own description; of the file no more is read than goes before it. Says so where the file cannot be read."""
    plain = _plain(path)
    if plain:
        return plain
    import yaml

    try:
        with path.open("rb") as file:
            events = yaml.parse(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            return _value(events, "description")
    except (OSError, yaml.YAMLError) as error:
        return f"cannot be read: {' '.join(str(error).split())}"


PLAIN = re.compile(r"(?:#.*\n)*description: ([A-Za-z0-9][\w ,.;()/'+-]*[\w.)])\n[A-Za-z]")
"""The beginning of a file whose first key is a description of one line, of which YAML makes nothing else than the words."""


def _plain(path: Path) -> str:
    """The description where it is plain words at the beginning of the file, for which YAML need not be imported; else nothing."""
    try:
        with path.open(encoding="utf-8") as file:
            found = PLAIN.match(file.read(2000))
    except (OSError, UnicodeDecodeError):
        return ""
    return found[1] if found else ""


def _value(events: Any, key: str) -> str:
    """The text under ``key`` of the mapping that YAML's ``events`` describe; nothing where there is none."""
    import yaml

    depth, is_key, wanted = 0, True, False
    for event in events:
        if depth == 1 and isinstance(event, yaml.NodeEvent):
            text = event.value if isinstance(event, yaml.ScalarEvent) else ""
            if wanted and not is_key:
                return str(text)
            wanted, is_key = is_key and text == key, not is_key
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
    return ""
