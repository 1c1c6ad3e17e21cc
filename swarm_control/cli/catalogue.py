"""``swarm list``."""

import argparse
from typing import Any

from swarm_control import paths
from swarm_control.core.behaviours import BEHAVIOURS
from swarm_control.core.motion import MODELS
from swarm_control.errors import InputError
from swarm_control.scenario.loader import read_yaml


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "list", help="scenarios, behaviours and motion models, with one line each",
        description="List scenarios, behaviours and motion models, with one line each.", epilog="Example: swarm list",
    )  # fmt: skip
    parser.set_defaults(call=show)


def show(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    scenarios = {name: _description(path) for name, path in paths.scenarios().items()}
    _print("Scenarios", scenarios)
    _print("Behaviours", {name: behaviour.help for name, behaviour in BEHAVIOURS.items()})
    _print("Motion models", {name: (module.__doc__ or "").split("\n")[0] for name, module in MODELS.items()})
    return 0


def _description(path: Any) -> str:
    try:
        return str(read_yaml(path).get("description", ""))
    except InputError as error:
        return f"cannot be read: {error}"


def _print(title: str, lines: dict[str, str]) -> None:
    width = max(map(len, lines), default=0)
    print(title)
    for name, line in lines.items():
        print(f"  {name:{width}}  {line}")
