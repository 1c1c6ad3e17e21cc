"""The process ``robot``: the nodes that decide for one robot onboard, together.

They are the nodes that they are alone: the same names, topics and parameters. A small computer has one process to start in place of four,
and the middleware a quarter of the participants that have to find each other.
"""

import importlib
import inspect
import sys

from rclpy.utilities import remove_ros_args

from swarm_control.options import Parser
from swarm_control.ros.graph.composition import DECIDING
from swarm_control.ros.support.base_node import BaseNode, serve


def main() -> int:
    """Run the nodes that ``--nodes`` names, each with the other arguments."""
    parser = Parser(prog="robot", description=__doc__, epilog="The other arguments are each node's: swarm node neighbourhood --help")
    parser.add_argument("--nodes", default=",".join(DECIDING), help=f"which of {', '.join(DECIDING)}, with commas between")
    options, words = parser.parse_known_args(remove_ros_args(sys.argv)[1:])
    names = options.nodes.split(",")
    if not set(names) <= set(DECIDING) or len(set(names)) < len(names):
        parser.error(f"--nodes: {options.nodes!r} found, expected some of {', '.join(DECIDING)}, each once, with commas between")
    return serve(*map(node_class, names), words=words)


def node_class(kind: str) -> type[BaseNode]:
    """The class of a kind of node."""
    found = vars(importlib.import_module(f"swarm_control.ros.nodes.{kind}")).values()
    return next(one for one in found if inspect.isclass(one) and issubclass(one, BaseNode) and getattr(one, "kind", None) == kind)


if __name__ == "__main__":
    sys.exit(main())
