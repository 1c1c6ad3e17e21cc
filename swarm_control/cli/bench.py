"""``swarm bench``."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from swarm_control import paths
from swarm_control.errors import InputError

BENCHMARKS = {
    "tick": "the whole tick against its targets, all pairs in numpy, and other packages",
    "social": "social forces against their targets, numpy and pyswarming",
    "overhead": "what the separation filter and the estimator of late odometry cost per tick",
    "formation": "a virtual structure's period, beside generic minimisers",
    "ros_graph": "how many robots the ROS 2 nodes serve in real time",
    "herds": "hoppers, bicyclists and insects in MuJoCo against real time, on one thread and on all",
    "learning": "steps of the environment for learning, beside PettingZoo's MPE",
}  # fmt: skip
"""Each is a script of this name in the repository's ``benchmarks``."""
QUICK = ("tick", "overhead", "social", "herds", "formation")
"""Those that have a short version."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "bench",
        description="Measure how fast it is on this machine, as ratios to others and to real time: "
        + "; ".join(f"{name} – {help}" for name, help in BENCHMARKS.items()) + ".",
        epilog="Example: swarm bench social herds",
    )  # fmt: skip
    parser.add_argument("names", metavar="NAME", nargs="*", default=["tick", "social"], help="what to measure (default: tick social)")
    parser.add_argument("--quick", action="store_true", help=f"the short version of {', '.join(QUICK)}")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Run the benchmarks one after the other; the exit status is that of the first that fails."""
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        raise InputError("bench", f"{', '.join(unknown)} found, expected some of {', '.join(BENCHMARKS)}")
    for name in options.names:
        script = folder() / f"{name}.py"
        quick = ["--quick"] if options.quick and name in QUICK else []
        print(f"{name}: {BENCHMARKS[name]}", flush=True)
        status = subprocess.run([sys.executable, str(script), *quick]).returncode
        if status:
            return status
    return 0


def folder() -> Path:
    """Where the benchmarks are; ``InputError`` where there are none: an installation leaves them out."""
    found = paths.share() / "benchmarks"
    if not (found / "tick.py").is_file():
        raise InputError("bench", "no benchmarks beside this installation, expected a checkout of the repository")
    return found
