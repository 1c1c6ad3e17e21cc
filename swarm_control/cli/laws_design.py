"""``swarm laws`` for something wished: a design is found, written as a scenario, and tried."""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from swarm_control.cli.progress import ProgressBar
from swarm_control.cli.whole_numbers import whole
from swarm_control.core.geometry import Array
from swarm_control.errors import InputError

if TYPE_CHECKING:
    from swarm_control.social.wished_density import WishedDensity

ROBOTS = 100
"""Robots of a design when their number is not given."""
MANY = 0.2
"""Share of robots expected in the wrong place from which on a design is warned of."""
ASTRAY = 0.1
"""Error of a structure, over its size, from which on it counts as another."""
ROOM = 2.2
"""Radii that robots need between their middles."""


def design_density(options: argparse.Namespace) -> int:
    """Find control landmarks for a wished density."""
    from swarm_control.analysis.laws.written import push_at, scenario_text
    from swarm_control.social.design import design, scattered_share

    out, seed, radius = _checked(options), _seed(options), _radius(options)
    wished = _wished(options)
    if wished.closest < ROOM * radius:
        found = f"{wished.robots} robots of {radius:g} m radius, {wished.closest:.3g} m apart where they are densest, found"
        raise InputError("--robots", f"{found}, expected them at least {ROOM * radius:.3g} m apart: fewer, smaller, or on a larger floor")
    made = design(wished, push_at(wished.apart), seed, ProgressBar("rounds"))
    _write(out, scenario_text(made, _description(options, wished.robots), _command(), seed, radius))
    print(f"{wished.robots} robots, {wished.apart:.3g} m apart in the mean, {wished.closest:.3g} m where they are densest")
    print(f"{len(made.controls.place)} control landmarks; repulsion among the robots up to {made.reach:.3g} m")
    print(f"robots in the wrong place: {made.misplaced:.0%} expected, {scattered_share(wished, seed):.0%} in a scatter")
    if made.misplaced > MANY:
        print("warning: landmarks cannot follow this density well: it changes too much from robot to robot, or over the floor")
    return _try(options, out, lambda position: f"{wished.misplaced(position):.0%} in the wrong place")


def design_structure(options: argparse.Namespace) -> int:
    """Find springs between single robots that hold a structure."""
    from swarm_control.analysis.laws.structure import read_structure, shape_error, structure_text, told

    out, seed, radius = _checked(options), _seed(options), _radius(options)
    if options.robots is not None:
        raise InputError("--robots", "found with --structure, expected none: there is a robot at each of its places")
    made = read_structure(Path(options.structure), options.edges or "all")
    if made.closest < ROOM * radius:
        found = f"two places {made.closest:.3g} m apart found"
        expected = f"expected at least {ROOM * radius:.3g} m for robots of {radius:g} m radius"
        raise InputError(f"--structure {options.structure}", f"{found}, {expected}")
    _write(out, structure_text(made, _description(options, len(made.place)), _command(), seed, radius))
    print(told(made))
    return _try(options, out, lambda position: _shape(shape_error(made.place, position)))


def _shape(error: float) -> str:
    elsewhere = ", at rest in another arrangement: a start nearer to it may help" if error > ASTRAY else ""
    return f"shape off by {error:.1%} of its size{elsewhere}"


def _try(options: argparse.Namespace, out: Path, judged: Callable[[Array], str]) -> int:
    """Run the scenario that was written, and say how it ends."""
    from swarm_control.analysis.laws.trial import end_of

    for k in range(whole(options, "trials", 0)):
        position, collisions = end_of(out, k)
        print(f"  seed {k}: at the end {judged(position)}, {collisions} collisions")
    print(f"{out}\nswarm simulate {shlex.quote(str(out))}   what comes of it")
    return 0


def _write(out: Path, text: str) -> None:
    """Write a scenario in place of what may be there; ``InputError`` and nothing written where it could not be loaded."""
    from swarm_control.files import replacing
    from swarm_control.scenario.loader import load

    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder) / out.name
        tried.write_text(text, encoding="utf-8")
        load(str(tried))
    with replacing(out) as place:
        place.write_text(text, encoding="utf-8")


def _checked(options: argparse.Namespace) -> Path:
    """The file to write; ``InputError`` for options that do not go with a design."""
    for name in ("world", "duration", "set"):
        if getattr(options, name):
            raise InputError(f"--{name}", "is for a scenario to judge, expected none with a design: swarm simulate takes it afterwards")
    if not options.out or not options.out.endswith((".yaml", ".yml")):
        raise InputError("--out", f"{options.out or 'nothing'} found, expected the file to write, as in my_shape.yaml")
    whole(options, "trials", 0)
    return Path(options.out)


def _seed(options: argparse.Namespace) -> int:
    return 0 if options.seed is None else whole(options, "seed", 0)


def _radius(options: argparse.Namespace) -> float:
    from swarm_control.scenario.schema import RobotGroup

    return RobotGroup().radius if options.radius is None else _number(options, "radius")


def _command() -> str:
    return shlex.join(["swarm", *sys.argv[1:]])


def _wished(options: argparse.Namespace) -> "WishedDensity":
    from swarm_control.analysis.laws.densities import density_of_picture, density_of_table, density_over_polygon

    robots = whole(options, "robots", 2) if options.robots is not None else ROBOTS
    if options.polygon:
        return density_over_polygon(options.polygon, robots)
    if options.density:
        return density_of_table(Path(options.density), robots)
    if options.width is None:
        raise InputError("--width", "none found, expected the picture's width in m")
    return density_of_picture(Path(options.picture), _number(options, "width"), robots)


def _number(options: argparse.Namespace, name: str) -> float:
    text = getattr(options, name)
    try:
        value = float(text)
        if value > 0.0 and value < 1e6:
            return value
    except ValueError:
        pass
    raise InputError(f"--{name}", f"{text!r} found, expected a number of m greater than 0")


def _description(options: argparse.Namespace, robots: int) -> str:
    if options.structure:
        return f"{robots} robots in the structure {Path(options.structure).name}, by springs between them"
    what = "evenly over a polygon" if options.polygon else f"as in {Path(options.density or options.picture).name}"
    return f"{robots} robots spread {what}, by control landmarks"
