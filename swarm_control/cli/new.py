"""``swarm new``."""

import argparse
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError

LIKE = "migrate_boxes"
"""The scenario that a new one is like unless another is named."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "new", epilog="Example: swarm new my_flock --like flocks_cross",
        description="Write a scenario file to begin with: NAME.yaml, as another scenario, with a comment on every key.",
    )  # fmt: skip
    parser.add_argument("name", metavar="NAME", help="name of the scenario, or path of the file")
    parser.add_argument("--like", metavar="SCENARIO", default=LIKE, help="what it is to be like at first (default: %(default)s)")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Write the file; nothing that is there is overwritten."""
    from swarm_control.scenario.draft import draft
    from swarm_control.scenario.loader import load

    path = Path(options.name if options.name.endswith((".yaml", ".yml")) else f"{options.name}.yaml")
    load(options.like)
    text = draft(options.like, path)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(str(path), "is there already, expected the name of a new file") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None
    try:
        load(str(path))
    except InputError:
        path.unlink()
        raise
    print(f"{path}\nswarm info {path}       what it says\nswarm simulate {path}   what comes of it")
    return 0
