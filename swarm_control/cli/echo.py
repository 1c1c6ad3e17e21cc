"""``swarm echo``: the swarm's many-robots messages as a table, live."""

import argparse
import sys
from typing import Any

from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "echo",
        description="Print the named-field messages (swarm_state, neighbours, acceleration, goals) of a running graph as a table, live.",
        epilog="Example: swarm echo /swarm/acceleration --once",
    )  # fmt: skip
    parser.add_argument("topic", metavar="TOPIC", help="name of a PointCloud2 topic, for instance /swarm/swarm_state")
    parser.add_argument("--once", action="store_true", help="print one message and end")
    parser.add_argument("--wait", metavar="S", type=float, default=10.0, help="how long to wait for the first message, s")
    parser.set_defaults(call=echo)


def echo(options: argparse.Namespace) -> int:
    """Print messages until interrupted; status 1 when none comes in time."""
    if not options.topic or any(c.isspace() for c in options.topic):
        raise InputError("TOPIC", f"{options.topic!r} found, expected a topic name such as /swarm/swarm_state")
    from swarm_control.ros.support.tables import watch

    shown = watch(options.topic, lambda text: _show(text, options.once), once=options.once, wait=options.wait)
    if not shown:
        print(f"swarm: no message on {options.topic} within {options.wait:g} s", file=sys.stderr)
    return 0 if shown else 1


def _show(text: str, once: bool) -> None:
    """Print a table, in place on a terminal."""
    top = "\x1b[H\x1b[J" if sys.stdout.isatty() and not once else ""
    print(top + text, flush=True)
