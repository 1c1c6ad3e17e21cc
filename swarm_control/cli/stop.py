"""``swarm stop``."""

import argparse
import os
import sys
import time
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import InputError
from swarm_control.ros.graph.spec import root_of


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "stop",
        description="Stop a running swarm at once; it holds until it is let go. Status 0: every robot is known to be held.",
        epilog="Example: swarm stop; later: swarm stop --release",
    )
    parser.add_argument("--release", action="store_true", help="let go of the stops that hold")
    wait = "how long to wait for the robots' confirmation, s (default: %(default)g)"
    parser.add_argument("--wait", metavar="S", type=float, default=10.0, help=wait)
    parser.add_argument("--namespace", metavar="NAME", default="", help="of the swarm, where it has one")
    parser.set_defaults(call=stop)


def stop(options: argparse.Namespace) -> int:
    """Stop the swarm, or let it go; status 0 when that is confirmed."""
    if not 0.0 < options.wait <= 3600.0:
        raise InputError("--wait", f"{options.wait:g} found, expected a number above 0, up to 3600")
    with needs_ros("swarm stop"):
        from swarm_control.ros.support.stop_client import StopClient
    end = time.monotonic() + options.wait
    with StopClient(root_of(options.namespace)) as client:
        done, text = (client.release if options.release else client.stop)(options.wait)
    if client.outdated and not done and time.monotonic() < end:
        words = ["--namespace", options.namespace, "--wait", f"{end - time.monotonic():.3f}", *(["--release"] if options.release else [])]
        os.execv(sys.executable, [sys.executable, "-m", "swarm_control.cli.main", "stop", *words])
    print(f"swarm: {text}", file=sys.stdout if done else sys.stderr)
    return 0 if done else 1
