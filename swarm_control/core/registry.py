"""What can be added to the project, each kind in one registry: behaviours, robot models, metrics, objectives, experiments.

A thing is registered in one place, by the file that defines it. What a plugin brings comes by an entry point of the registry's group;
a script calls the registry itself. Everything else (schema, ROS parameters, lists, tables, tests) asks the registry.
"""

import functools
import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from swarm_control.errors import InputError


class Named(Protocol):
    """What can be registered."""

    @property
    def name(self) -> str:
        """The name that scenario files and commands use."""


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T], Generic[T]):
    """Things of one ``kind`` by name, in the order of ``order`` (of registration, without it).

    ``group``: the entry points by which plugins register. An entry point names a thing, or a module that registers when it is imported.
    """

    def __init__(self, kind: str, group: str, order: Callable[[T], Any] | None = None) -> None:
        self.kind, self.group = kind, group
        self._order = order
        self._items: dict[str, T] = {}
        self._plugins: dict[str, str] = {}
        self._listeners: list[Callable[[T], None]] = []
        self._removed: list[Callable[[], None]] = []

    def add(self, item: T) -> T:
        """Register ``item`` and return it. ``ValueError`` when the name is no identifier, or something else has it."""
        if not item.name.isidentifier():
            raise ValueError(f"{self.kind} {item.name!r} found, expected a name of letters, digits and _")
        if item.name in self._items:
            raise ValueError(f"{self.kind} {item.name!r} is registered already, expected another name")
        for listener in self._listeners:
            listener(item)
        self._items[item.name] = item
        if self._order is not None:
            self._items = {one.name: one for one in sorted(self._items.values(), key=self._order)}
        return item

    def remove(self, name: str) -> None:
        """Forget what a script has registered."""
        del self._items[name]
        for listener in self._removed:
            listener()

    def listen(self, listener: Callable[[T], None], removed: Callable[[], None] = lambda: None) -> None:
        """Call ``listener`` with everything that is going to be registered; it may refuse by ``ValueError``.

        ``removed`` is called after something has been removed.
        """
        self._listeners.append(listener)
        self._removed.append(removed)

    def load(self, package: str = "") -> None:
        """Import every module of ``package``, whose files register themselves, then what plugins bring.

        ``InputError`` names the plugin that cannot be loaded.
        """
        if package:
            spec = importlib.util.find_spec(package)
            for module in pkgutil.iter_modules(spec.submodule_search_locations if spec else ()):
                importlib.import_module(f"{package}.{module.name}")
        for entry in entry_points(self.group):
            known, plugin = set(self._items), f"plugin {entry.value} ({self.group})"
            try:
                found = entry.load()
                if not hasattr(found, "__file__") and self._items.get(found.name) is not found:
                    self.add(found)
            except (Exception, SystemExit) as error:
                raise InputError(plugin, f"cannot be loaded: {type(error).__name__}: {error}") from error
            self._plugins |= dict.fromkeys(self._items.keys() - known, plugin)

    def refusal(self, name: str, reason: str) -> Exception:
        """The error that something registered cannot be used: ``InputError`` that names the plugin which brought it, or ``ValueError``."""
        return InputError(self._plugins[name], reason) if name in self._plugins else ValueError(reason)

    def __getitem__(self, name: str) -> T:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def entry_points(group: str) -> tuple[Any, ...]:
    """Entry points of installed packages for this ``group``."""
    folders = [folder for folder, text in _declaring(tuple(sys.path)) if f"[{group}]" in text]
    if not folders:
        return ()
    from importlib import metadata

    return tuple(entry for folder in folders for entry in metadata.Distribution.at(folder).entry_points if entry.group == group)


@functools.cache
def _declaring(path: tuple[str, ...]) -> tuple[tuple[Path, str], ...]:
    """Folders of metadata on ``path``, of each package the first, whose entry points, as text, speak of groups of the project.

    Asking :mod:`importlib.metadata` takes as long as importing numpy where two hundred packages are installed.
    """
    found: dict[str, tuple[Path, str]] = {}
    for folder in path:
        for name in sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else ():
            text = _text(os.path.join(folder, name, "entry_points.txt")) if name.endswith("-info") else ""
            if "[swarm_control." in text:
                found.setdefault(name.split("-")[0].removesuffix(".egg"), (Path(folder, name), text))
    return tuple(found.values())


def _text(path: str) -> str:
    """What is in a file; nothing where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
