"""What a process of the node plan is: its program, its place in the graph and its command line."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from swarm_control.errors import InputError

HOSTED = "/swarm"
"""Namespace of nodes that serve the whole swarm."""

PARENT = "SWARM_CONTROL_PARENT"
"""Environment variable with the process whose end ends a node."""

SESSION = "SWARM_CONTROL_SESSION"
"""Environment variable with the folder that the processes of a run share."""

TETHER = ("-m", "swarm_control.ros.support.parent")
"""What Python runs in front of another package's program, so that it ends with the process that started it."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""A name as ROS has it."""

SHARED = ("/clock", "/tf", "/tf_static")
"""Topics that ROS programs call so wherever they are."""

TOP = "//"
"""What names begin with that are at the top of the graph, whatever the swarm's namespace; with one slash they are below it."""

PACKAGE = "swarm_control"
"""Package of the nodes that belong to the project."""


@dataclass(frozen=True)
class NodeSpec:
    """One process. ``arguments`` are its own, ``parameters`` and ``remappings`` those of ROS.

    ``package``: the ROS package whose ``executable`` it is; empty for a program that is no ROS node. What is not of this package is a
    simulator or belongs to one; it is started once, and a run is over when it ends. ``environment``: what it finds beside what is there.
    ``root``: below what the swarm is in the graph, with a slash before it; ``namespace`` and ``remappings`` are within it. ``nodes``: those
    that run in it, if they are several, as they would be alone.
    """

    executable: str
    name: str
    namespace: str
    arguments: tuple[str, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    package: str = PACKAGE
    environment: tuple[tuple[str, str], ...] = ()
    root: str = ""
    nodes: tuple["NodeSpec", ...] = ()

    @property
    def each(self) -> tuple["NodeSpec", ...]:
        """The nodes that run in it."""
        return self.nodes or (self,)

    @property
    def full_name(self) -> str:
        """Name with its namespace, within the root."""
        return f"{self.namespace.rstrip('/')}/{self.name}"

    @property
    def space(self) -> str:
        """Namespace in the graph."""
        return f"{self.root}{self.namespace}".rstrip("/") or "/"

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        """Remappings in the graph. Programs of others have a clock and transforms of their own below the root, too."""
        shared = () if self.own or not self.root else tuple((name, f"{self.root}{name}") for name in SHARED)
        return (*below(self.root, self.remappings), *shared)

    @property
    def module(self) -> str:
        """The module that runs as this process."""
        return f"swarm_control.ros.nodes.{self.executable}"

    @property
    def own(self) -> bool:
        """Whether it is one of the project's nodes."""
        return self.package == PACKAGE

    def program(self) -> str | None:
        """Path of the program: where ROS packages have theirs, below each ``AMENT_PREFIX_PATH``, or on the ``PATH``; None: not there."""
        if self.own:
            return sys.executable
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if self.package else []
        folders = [f"{prefix}/lib/{self.package}" for prefix in prefixes if prefix]
        return shutil.which(self.executable, path=os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)]))

    def command(self) -> list[str]:
        """The whole command line."""
        head = [self.program() or self.executable, *(["-m", self.module] if self.own else [])]
        return [*head, *self.arguments, *(self.ros_arguments() if self.package else [])]

    def ros_arguments(self) -> list[str]:
        """The command line after the node's own arguments."""
        called = [] if self.nodes else [("__node", self.name)]
        words = ["--ros-args", *remapping_words([*called, ("__ns", self.space), *self.rules])]
        for name, value in self.parameters.items():
            words += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
        return words


def below(root: str, rules: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Remappings within a swarm as they are in the graph: what begins with a slash is below its ``root``, with two at the top."""
    def rooted(name: str) -> str:
        return name[1:] if name.startswith(TOP) else f"{root}{name}" if name.startswith("/") else name

    return tuple((rooted(left), rooted(right)) for left, right in rules)


def remapping_words(rules: Sequence[tuple[str, str]]) -> list[str]:
    """Remappings as ROS' command line has them."""
    return [word for left, right in rules for word in ("-r", f"{left}:={right}")]


def root_of(namespace: str) -> str:
    """A namespace with a slash before it and none behind, empty for none; ``InputError`` where it is no name for ROS."""
    words = [word for word in namespace.split("/") if word]
    if not all(NAME.fullmatch(word) for word in words):
        raise InputError("namespace", f"{namespace!r} found, expected letters, digits and underscores, with slashes between names")
    return "".join(f"/{word}" for word in words)

