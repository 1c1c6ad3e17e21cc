"""``swarm info``."""

import argparse
from typing import Any

from swarm_control.cli.scenario_options import change_options, notices_of, overrides


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "info", epilog="Example: swarm info migrate_boxes --robots 40",
        description="Say what a scenario is: its robots, world, goals and behaviours, and what there is to know before it runs.",
    )  # fmt: skip
    parser.add_argument("scenario", metavar="SCENARIO", help="a name that `swarm list` shows, or a YAML file")
    change_options(parser)
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Print it; a scenario that cannot be run is an error, as when it is run."""
    from swarm_control.scenario.loader import load_prepared
    from swarm_control.scenario.summary import summarise

    loaded, setup = load_prepared(options.scenario, overrides(options))
    scenario = loaded.scenario
    print(f"{scenario.name}: {scenario.description}" if scenario.description else scenario.name)
    lines = summarise(scenario, setup, loaded.source)
    lines += [("" if k else "to know", line) for k, line in enumerate(notices_of(loaded, setup))]
    width = max(len(heading) for heading, _ in lines)
    for heading, line in lines:
        print(f"  {heading:{width}}  {line}")
    return 0
