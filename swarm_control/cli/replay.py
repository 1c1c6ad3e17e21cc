"""``swarm replay``."""

import argparse
from pathlib import Path
from typing import Any

from swarm_control.cli import browser
from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "replay",
        description="Play a recording (an MCAP file, or a folder of ros2 bag record) into the dashboard, over and over.",
        epilog="Example: swarm replay run.mcap --speed 2",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help="the recording")
    parser.add_argument("--speed", metavar="X", type=float, default=1.0, help="recorded seconds per second (default: %(default)s)")
    browser.add_options(parser)
    parser.set_defaults(call=run, dashboard=True)


def run(options: argparse.Namespace) -> int:
    """Play until interrupted."""
    if not 0.01 <= options.speed <= 100.0:
        raise InputError("--speed", f"{options.speed:g} found, expected a number from 0.01 to 100")
    if not options.dashboard:
        raise InputError("--no-dashboard", "found, but a replay is shown in the dashboard alone")
    from swarm_control.ros.support.replay import replay

    replay(Path(options.file), options.speed, browser.access(options))
    return 0
