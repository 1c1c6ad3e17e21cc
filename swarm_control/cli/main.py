"""``swarm``: the one command of the package."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from swarm_control import __version__
from swarm_control.cli import bench, calibrate, catalogue, echo, emulate, experiment, export, replay, report, runs, tune
from swarm_control.errors import Failed, InputError


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the one line and exit with status 2."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit status 0, 1 for a failed run, 2 for bad input with one line on standard error."""
    example = "Example: swarm simulate flock_frame --out results/frame"
    parser = Parser(prog="swarm", description="Move swarms of mobile robots.", epilog=example)
    parser.add_argument("--version", action="version", version=f"swarm_control {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for module in (catalogue, runs, echo, export, experiment, report, replay, tune, bench, emulate, calibrate):
        module.add(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.call(options))
    except InputError as error:
        print(f"swarm: {error}", file=sys.stderr)
        return 2
    except Failed as error:
        print(f"swarm: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("swarm: interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
