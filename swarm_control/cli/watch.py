"""``swarm watch``: a running swarm on a terminal, where there is no browser."""

import argparse
import shutil
import sys
import time
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.options import above_zero
from swarm_control.ros.graph.spec import root_of
from swarm_control.terminal import signals, tell

FIRST = 0.3
"""How long (s) is listened before anything is shown."""

REST = 3.0
"""How long (s) ``--once`` waits for nodes and mission when robots have been heard: there need not be any."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "watch", description="Show a running swarm on the terminal: robots on the map, goals, and how the nodes are.",
        epilog="Example: swarm watch --namespace lab",
    )  # fmt: skip
    parser.add_argument("--namespace", metavar="NAME", default="", help="of the swarm, where it has one")
    parser.add_argument("--every", metavar="S", type=above_zero, default=0.5, help="how often the picture is made, s (default: 0.5)")
    parser.add_argument("--once", action="store_true", help="print it once robots are heard, and end")
    parser.add_argument("--wait", metavar="S", type=above_zero, default=10.0, help="how long to wait for robots with --once, s")
    parser.set_defaults(call=watch)


def watch(options: argparse.Namespace) -> int:
    """Show the swarm until interrupted; with ``--once`` status 1 when no robot is heard in time."""
    from swarm_control.analysis.report.text_view import screen

    with needs_ros("swarm watch"):
        from swarm_control.ros.support.watch_client import WatchClient
    top = "\x1b[H\x1b[J" if sys.stdout.isatty() else ""
    with signals() as told, WatchClient(root_of(options.namespace)) as client:
        view, began = client.look(FIRST), time.monotonic()
        while not told:
            columns, lines = shutil.get_terminal_size((100, 40))
            if not options.once:
                tell(top + screen(view, columns, lines - 1))
            elif view.state is not None and ((view.mission.number and view.nodes) or time.monotonic() > began + REST):
                tell(screen(view, columns, lines - 1))
                return 0
            elif time.monotonic() > began + options.wait:
                tell(f"swarm: no robots heard within {options.wait:g} s (ROS_DOMAIN_ID {client.domain})", sys.stderr)
                return 1
            view = client.look(options.every)
    return 0
