"""``swarm identify``."""

import argparse
import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swarm_control.cli.whole_numbers import whole
from swarm_control.terminal import tell

if TYPE_CHECKING:
    from swarm_control.robots.from_file.parameters import Ability
    from swarm_control.sim.mujoco.identify import SpeedTrial


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "identify", epilog="Example: swarm identify robots/go2.yaml",
        description="Command a robot from a file on level ground, find how fast it goes and turns, how soon it answers and within what it "
        "stops, and write that into its file as ability: by it robots are grouped, filtered and fenced.",
    )  # fmt: skip
    parser.add_argument("robot", metavar="ROBOT", help="a robot's YAML file, or a name that `swarm list` shows")
    parser.add_argument("--seed", metavar="N", default="0", help="of the sensors' noise (0)")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print what was found, and leave the file as it is")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Find it, print it and write it."""
    from swarm_control.scenario.models import described, robot_file
    from swarm_control.scenario.yaml_text import parse_file, read_text
    from swarm_control.sim.mujoco.identify import identify

    path = robot_file(options.robot, Path(), "swarm identify")
    text = read_text(path)
    told = described(parse_file(text, path), path)
    found, trials = identify(told, str(path), whole(options, "seed", 0), lambda line: tell(f"{path.stem}: {line}", sys.stderr))
    for trial in trials:
        print(_row(trial))
    block = ability_text(found)
    print(block, end="")
    if not options.only_print:
        path.write_text(with_ability(text, block), encoding="utf-8")
        print(f"written to {path}")
    return 0


def ability_text(found: "Ability") -> str:
    """What was found, as YAML."""
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    lines = [f"  {name}: {json.dumps(value)}" for name, value in values.items() if value]
    return "\n".join(("ability:", *lines, ""))


def with_ability(text: str, block: str) -> str:
    """The text of a robot's file with ``block`` in place of its ability, or at its end."""
    rest = re.sub(r"^ability:.*\n(?:[ \t]+.*\n|\n(?=[ \t]))*", "", text if text.endswith("\n") else text + "\n", flags=re.MULTILINE)
    return rest + block


def _row(trial: "SpeedTrial") -> str:
    """A line for each trial: what was told, and what came of it."""
    cells = (f"{told:.2g}→{made:.2g}{'' if stood else ' falls'}" for told, made, stood in zip(trial.told, trial.made, trial.stood))
    return f"{trial.name}: {', '.join(cells)}"
