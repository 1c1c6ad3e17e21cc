"""``swarm``: the one command of the package."""

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from swarm_control.errors import Failed, InputError
from swarm_control.options import Parser
from swarm_control.terminal import tell

COMMANDS = {
    "list": ("catalogue", "scenarios, behaviours and robot models, with one line each"),
    "new": ("new", "write a scenario file to begin with, with a comment on every key"),
    "info": ("info", "what a scenario is: its robots, world, goals and behaviours, and what to know before it runs"),
    "simulate": ("runs", "run a scenario in one process without ROS, as fast as it goes"),
    "run": ("runs", "run a scenario as ROS 2 nodes"),
    "stop": ("stop", "stop a running swarm at once, or let it go"),
    "send": ("task", "ask a running swarm or a group for a task: go, form, hold, begin a phase"),
    "await": ("task", "wait until a task has ended"),
    "cancel": ("task", "call off a task"),
    "param": ("param", "read and set parameters of a running swarm"),
    "doctor": ("doctor", "look whether this machine and real robots are ready, and say what to do where not"),
    "chaos": ("chaos", "break a running graph of simulated robots on purpose, and measure what comes of it"),
    "node": ("node", "run one ROS 2 node"),
    "topic": ("topic", "list a running graph's topics, or measure how often messages come on one"),
    "pub": ("topic", "publish a message on a topic of a running graph"),
    "echo": ("echo", "print a many-robots message of a running graph as a table"),
    "watch": ("watch", "show a running swarm on the terminal: robots on the map, goals, nodes"),
    "export": ("export", "write a scenario's world for Stage or Gazebo"),
    "experiment": ("experiment", "reproduce a figure or table of a paper, with its statement beside our numbers"),
    "report": ("report", "plots and a page of runs, one or many side by side"),
    "replay": ("replay", "play a recording into the dashboard"),
    "sweep": ("sweep", "fly a scenario with many values of its parameters and many seeds: a table and a picture"),
    "laws": ("laws", "what a scenario's force laws will come to, or laws for a wished density, polygon or picture"),
    "identify": ("identify", "find what a robot from a file can do, and write it into its file"),
    "tune": ("tune", "find a scenario's best parameters"),
    "bench": ("bench", "measure how fast it is on this machine, as ratios to others and to real time"),
    "emulate": ("emulate", "emulate robots with wheels that wheel_driver drives over TCP, UDP or a pseudo-terminal"),
    "calibrate": ("calibrate", "tell the tracker how its camera sees the floor"),
    "completion": ("completion", "have a shell complete commands, options, scenarios and parameters"),
}
"""Module of :mod:`swarm_control.cli` whose ``add`` makes the command's parser, and one line of help. It is imported when it is called."""


class Version(argparse.Action):
    """Prints the version, which is looked up for nothing else."""

    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> NoReturn:
        """Print it and exit."""
        from swarm_control import __version__

        print(f"swarm_control {__version__}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit status 0, 1 for a failed run, 2 for bad input with one line on standard error."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would but wait for each other: matrices are small
    if "_ARGCOMPLETE" in os.environ:
        importlib.import_module("swarm_control.cli.completion").complete(make_parser)
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = make_parser(words[0] if words else "").parse_args(words)
    warnings.formatwarning = lambda message, *where: f"warning: {message}\n"  # for people, not for who wrote the code
    try:
        return int(options.call(options))
    except InputError as error:
        tell(f"swarm: {error}", sys.stderr)
        return 2
    except Failed as error:
        tell(f"swarm: {error}", sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        tell("swarm: interrupted", sys.stderr)
        return 1


def make_parser(command: str) -> Parser:
    """The parser for a command line that begins with ``command``. Where that is none, all commands are named, to choose from."""
    example = "Example: swarm simulate flock_frame --out results/frame"
    parser = Parser(prog="swarm", description="Move swarms of mobile robots.", epilog=example)
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and end")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    if command in COMMANDS:
        importlib.import_module(f"swarm_control.cli.{COMMANDS[command][0]}").add(commands)
    else:
        for name, (_, help) in COMMANDS.items():
            commands.add_parser(name, help=help)
    return parser


if __name__ == "__main__":
    sys.exit(main())
