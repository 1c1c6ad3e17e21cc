"""``swarm laws``."""

import argparse
from typing import Any

from swarm_control.cli.scenario_options import change_options, overrides
from swarm_control.errors import InputError

DESIGNS = ("polygon", "density", "picture", "structure")
"""Options that say what to design for."""
NEEDS = {"width": "picture", "edges": "structure"}
"""Options that belong to another."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "laws", epilog="Example: swarm laws cluster; swarm laws --picture logo.png --width 8 --robots 120 --out logo.yaml",
        description="Say what a scenario's force laws will come to: distances, the size of a cluster, how it is damped. Or the other way: "
        "find laws and control landmarks by which robots take up a wished density, or springs that hold a structure, and write them as a "
        "scenario.",
    )  # fmt: skip
    option = parser.add_argument
    option("scenario", metavar="SCENARIO", nargs="?", help="a name that `swarm list` shows, or a YAML file")
    option("--polygon", metavar="CORNERS", help="robots evenly over a polygon: 'x,y x,y …' in m, or a file with a corner on each line")
    option("--density", metavar="FILE.csv", help="robots by a table: r,density around the origin, or x,y,density on an even grid")
    option("--picture", metavar="FILE.png", help="robots by a picture: the darker, the more of them")
    option("--structure", metavar="FILE.csv", help="a robot at each of these places, x,y in m on each line, held by springs between robots")
    option("--edges", metavar="WHICH", help="springs of a structure: all (default), or the fewest that keep it")
    option("--width", metavar="M", help="width of the picture, m")
    option("--radius", metavar="M", help="radius of the robots of a design, m")
    option("--trials", metavar="N", default="2", help="seeds on which a design is run, 0 to N-1 (default: %(default)s)")
    option("--out", metavar="FILE.yaml", help="where the scenario of a design is written")
    change_options(parser)
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Predict, or design."""
    given = [name for name in DESIGNS if getattr(options, name)]
    if options.scenario and given:
        raise InputError("swarm laws", f"a scenario and --{given[0]} found, expected a scenario to judge or something to design for")
    if len(given) > 1:
        raise InputError(f"--{given[1]}", f"given beside --{given[0]}, expected one of them")
    for name, other in NEEDS.items():
        if getattr(options, name) is not None and not getattr(options, other):
            raise InputError(f"--{name}", f"found without --{other}, to which it belongs")
    if given:
        from swarm_control.cli.laws_design import design_density, design_structure

        return design_structure(options) if options.structure else design_density(options)
    if not options.scenario:
        raise InputError("swarm laws", "neither a scenario nor --polygon, --density, --picture or --structure found, expected one of them")
    return _predict(options)


def _predict(options: argparse.Namespace) -> int:
    from swarm_control.analysis.laws.prediction import predict
    from swarm_control.scenario.loader import load_prepared

    for line in predict(*load_prepared(options.scenario, overrides(options))):
        print(line)
    return 0
