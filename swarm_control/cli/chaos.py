"""``swarm chaos``."""

import argparse
import os
import sys
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import Failed, InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "chaos",
        description="Break a running graph on purpose, with simulated robots that obey their last command for ever: nodes are killed, held "
        "still, or starved at random, and stops are asked for meanwhile. Told is how soon robots rest, whether they touch, whether all "
        "recovers by itself, and whether a stop was lost. Status 1 when anything is not as it must be.",
        epilog="Example: swarm chaos flock_frame --robots 20 --faults 50 --seed 7",
    )
    parser.add_argument("scenario", metavar="SCENARIO", help="name or YAML file; its robots must be under way for long enough")
    parser.add_argument("--faults", metavar="N", type=int, default=20, help="how many faults")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the faults")
    parser.add_argument("--robots", metavar="N", type=int, help="number of robots")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change a value of the scenario; may be repeated")
    parser.add_argument("--stops", metavar="SHARE", type=float, default=0.5, help="share of faults during which a stop is asked for")
    parser.add_argument("--onboard", action="store_true", help="every robot carries its own nodes")
    parser.add_argument("--domain", metavar="N", type=int, default=86, help="ROS domain: not that of real robots")
    parser.set_defaults(call=chaos)


def chaos(options: argparse.Namespace) -> int:
    """Break things; status 0 when all robots came to rest, none touched, nothing was lost and everything came back."""
    for option, found, lowest, highest in (
        ("--faults", options.faults, 1, 100_000), ("--stops", options.stops, 0.0, 1.0), ("--domain", options.domain, 0, 101)
    ):  # fmt: skip
        if not lowest <= found <= highest:
            raise InputError(option, f"{found:g} found, expected {lowest:g} to {highest:g}")
    os.environ.update(ROS_DOMAIN_ID=str(options.domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    from swarm_control.scenario.loader import load_prepared

    changes = [*options.set, *([] if options.robots is None else [f"robots={options.robots}"])]
    loaded, setup = load_prepared(options.scenario, changes)
    with needs_ros("swarm chaos"):
        from swarm_control.ros.support.chaos import Chaos, campaign
        from swarm_control.ros.support.fault_result import summary
    with Chaos(loaded, setup, changes, options.onboard) as graph:
        if not graph.begin():
            raise Failed(f"{loaded.scenario.name}: no robot moves, expected a scenario in which they do. " + " | ".join(graph.lines[-3:]))
        found = []
        for result in campaign(graph, options.faults, options.seed, options.stops):
            found.append(result)
            print(f"{len(found):4d}  {result}", flush=True)
    told = summary(found)
    print("\n".join(f"{name}: {value}" for name, value in told.items()))
    bad = [result for result in found if result.bad]
    for result in bad:
        print(f"not as it must be: {result}", file=sys.stderr)
    return 1 if bad else 0
