"""``swarm param``: parameters of a running swarm, for those without ``ros2 param``."""

import argparse
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import InputError
from swarm_control.options import setting
from swarm_control.ros.graph.spec import root_of


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "param",
        description="Read and set parameters of a running swarm, by their names below control (docs/parameters.md), on every node that has "
        "them. Several that are set at once are taken or refused together by each node.",
        epilog="Example: swarm param set separation.weight=0.4 groups.red.cohesion.weight=0; swarm param get separation.weight",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="get|set")
    get = actions.add_parser("get", description="Print values as they now stand.")
    get.add_argument("names", metavar="NAME", nargs="+", help="for instance separation.weight")
    put = actions.add_parser("set", description="Set values from now on.")
    put.add_argument("changes", metavar="NAME=VALUE", nargs="+", type=setting, help="for instance separation.weight=0.4")
    for one in (get, put):
        one.add_argument("--namespace", metavar="NAME", default="", help="of the swarm, where it has one")
        one.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Print or set parameters."""
    changes = dict(options.changes) if options.action == "set" else {}
    if options.action == "set" and len(changes) < len(options.changes):
        raise InputError("swarm param set", "a name is given twice, expected each once")
    with needs_ros("swarm param"):
        from swarm_control.ros.support.parameter_client import ParameterClient
    with ParameterClient(root_of(options.namespace)) as client:
        if options.action == "get":
            for name, value in client.get(options.names).items():
                print(f"{name}: {value}")
        else:
            print(f"swarm: taken by {', '.join(client.set(changes))}")
    return 0
