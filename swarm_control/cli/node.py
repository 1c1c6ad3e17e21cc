"""``swarm node``."""

import argparse
import importlib
import sys
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "node", usage="swarm node [-h] [NAME [ARGUMENT ...]]",
        description="Run one ROS 2 node with arguments of its own; swarm node NAME --help tells them. Without a name: list the nodes.",
        epilog="Example: swarm node behaviours --scenario migrate_boxes --ros-args -r __ns:=/swarm",
    )  # fmt: skip
    parser.add_argument("name", metavar="NAME", nargs="?", help="one of those that swarm node lists")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="the node's own, and ROS's after --ros-args")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Run the node in this process until it ends; without a name list the nodes."""
    from swarm_control.ros.graph.kinds import KINDS

    if options.name is None:
        width = max(map(len, KINDS))
        print("\n".join(f"{name:{width}}  {kind.help}" for name, kind in sorted(KINDS.items())))
        return 0
    if options.name not in KINDS:
        raise InputError("swarm node", f"no node {options.name!r} found, expected one of {', '.join(KINDS)}")
    with needs_ros("swarm node"):
        module = importlib.import_module(f"swarm_control.ros.nodes.{options.name}")
    sys.argv = [options.name, *options.arguments]
    return int(module.main())
