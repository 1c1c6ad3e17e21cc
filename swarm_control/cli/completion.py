"""``swarm completion``, and what a shell is told when it asks for the rest of a word."""

import argparse
import importlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.options import Parser

SHELLS = "bash", "zsh", "fish"


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "completion",
        description="Print what a shell has to read so that it completes swarm's words: commands, options, names, parameters.",
        epilog="Example: swarm completion bash >> ~/.bashrc",
    )  # fmt: skip
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Print it."""
    try:
        import argcomplete
    except ImportError:
        raise InputError("swarm completion", "argcomplete is not installed: pip install argcomplete") from None
    print(argcomplete.shellcode(["swarm"], shell=options.shell))
    return 0


def complete(make_parser: Callable[[str], Parser]) -> None:
    """Answer the shell, and end; nothing where argcomplete is not installed."""
    try:
        import argcomplete
    except ImportError:
        return
    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", 0))]
    words = line.split()
    command = words[1] if len(words) > 2 or (len(words) == 2 and line.endswith(" ")) else ""
    parser = make_parser(command)
    for action in _actions(parser):
        if action.metavar in COMPLETERS:
            action.completer = _completer(COMPLETERS[action.metavar])
        elif action.dest == "name" and command in NAMED:
            action.completer = _completer(NAMED[command])
    argcomplete.autocomplete(parser, always_complete_options="long")


def _actions(parser: argparse.ArgumentParser) -> Iterable[Any]:
    """The arguments of a parser, and of the commands within."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _completer(found: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    return lambda prefix, **_: sorted(word for word in found() if word.startswith(prefix))


def _scenarios() -> Iterable[str]:
    return [*paths.scenarios(), *_files()]


def _robots() -> Iterable[str]:
    return [*paths.models(), *_files()]


def _files() -> Iterable[str]:
    return map(str, Path().glob("*.yaml"))


def _changes() -> Iterable[str]:
    """Parameters, the first of each list for all; those of ``control`` also without it, as they may be written."""
    importlib.import_module("swarm_control.scenario.loader")  # registers behaviours and robots
    from swarm_control.scenario.reference import ITEM, NAME, keys

    found = {key.path.replace(ITEM, ".0") + "=" for key in keys() if NAME not in key.path}
    return found | {path.removeprefix("control.") for path in found}


def _experiments() -> Iterable[str]:
    from swarm_control.analysis.experiments import EXPERIMENTS, load_experiments
    from swarm_control.analysis.experiments.registry import pages

    load_experiments()
    return [*EXPERIMENTS, *pages(), "all"]


def _nodes() -> Iterable[str]:
    from swarm_control.ros.graph.kinds import KINDS

    return KINDS


COMPLETERS = {"SCENARIO": _scenarios, "ROBOT": _robots, "PATH=VALUE": _changes, "PATH=LOW:HIGH[:log]": _changes}
"""What a word may be, by what its argument is called in the help."""

NAMED = {"experiment": _experiments, "node": _nodes}
"""The same of arguments that are called NAME, by command."""
