"""``swarm export``: a scenario's world, robots and limits for Stage and for Gazebo."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "export",
        description="Write a scenario's map and robots, where its seed puts them, as a world of Stage or of Gazebo.",
        epilog="Example: swarm export maze_hard --stage exported --gazebo exported",
    )  # fmt: skip
    parser.set_defaults(call=call)
    parser.add_argument("scenario", metavar="SCENARIO", help="a name that `swarm list` shows, or a YAML file")
    parser.add_argument("--stage", metavar="DIR", help="folder for NAME.world and its map NAME.png")
    parser.add_argument("--gazebo", metavar="DIR", help="folder for NAME.sdf and NAME.bridge.yaml, the configuration of ros_gz_bridge")
    parser.add_argument(
        "--classic", nargs="?", choices=("own", "ros"), const="own",
        help="NAME.sdf with plugins of Gazebo classic: its own DiffDrivePlugin, or with ros those of gazebo_ros_pkgs",
    )  # fmt: skip
    parser.add_argument("--world", metavar="FILE.world", help="a Stage world in place of the scenario's own")
    parser.add_argument("--robots", metavar="N", help="number of robots")
    parser.add_argument("--seed", metavar="N", help="seed of every random number")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change a value of the scenario; may be repeated")
    parser.set_defaults(duration=None)


def call(options: argparse.Namespace) -> int:
    """Write what was asked for and say what has been written."""
    from swarm_control.cli.runs import overrides
    from swarm_control.scenario.loader import load_prepared

    if not (options.stage or options.gazebo):
        raise InputError("swarm export", "no simulator found, expected --stage DIR or --gazebo DIR, or both")
    if options.classic and not options.gazebo:
        raise InputError("--classic", "no --gazebo DIR found, to which it belongs")
    loaded, setup = load_prepared(options.scenario, overrides(options))
    plugins = {None: "gz", "own": "classic", "ros": "classic_ros"}[options.classic]
    for simulator, folder in (("stage", options.stage), ("gazebo", options.gazebo)):
        if folder:
            for path in export(loaded, setup, Path(folder), simulator, plugins=plugins):
                print(f"  {path}")
    for line in notices(setup):
        print(f"swarm: {line}")
    return 0


def export(loaded: Loaded, setup: Setup, folder: Path, simulator: str, *, speed: float = 1.0, plugins: str = "gz") -> list[Path]:
    """Write the world of a scenario for ``simulator``, stage or gazebo, into ``folder``; return the files, the world's first.

    The resolved ``NAME.scenario.yaml`` is among them; several scenarios may share a folder. ``speed``: simulated seconds per second.
    ``plugins``: whose plugins move robots in Gazebo. ``InputError`` for robots that the simulator cannot express and for a folder that
    cannot be written to.
    """
    from swarm_control.files import output_directory

    output_directory(folder)
    try:
        if simulator == "stage":
            written = _write_stage(loaded, setup, folder, speed)
        else:
            written = _write_gazebo(loaded, setup, folder, speed, plugins)
        return [*written, _write_scenario(folder / f"{loaded.scenario.name}.scenario.yaml", loaded)]
    except OSError as error:
        raise InputError(str(folder), f"cannot be written to ({error.strerror or error})") from None


def _write_stage(loaded: Loaded, setup: Setup, folder: Path, speed: float) -> list[Path]:
    from swarm_control.world.stage_writer import write_stage

    scenario = loaded.scenario
    world = folder / f"{scenario.name}.world"
    return write_stage(world, setup.fleet, setup.start.pose, setup.grid, scenario.simulator.dt, speed)


def _write_gazebo(loaded: Loaded, setup: Setup, folder: Path, speed: float, plugins: str) -> list[Path]:
    from swarm_control.world.names import bridge_of
    from swarm_control.world.sdf_writer import write_bridge, write_sdf

    scenario, world = loaded.scenario, folder / f"{loaded.scenario.name}.sdf"
    period = scenario.control.period
    write_sdf(world, scenario.name, setup.fleet, setup.start.pose, setup.grid, period, speed=speed, plugins=plugins)
    if plugins != "gz":
        return [world]
    write_bridge(bridge_of(world), setup.fleet)
    return [world, bridge_of(world)]


def export_for_run(loaded: Loaded, setup: Setup, out: Path, options: argparse.Namespace) -> Path | None:
    """Write the world for the simulator of ``swarm run`` into ``out`` and return it; None for simulators that need none.

    ``InputError`` in one line when the simulator's programs are not on this machine.
    """
    from swarm_control.ros.graph.plan import EXTERNAL, external, missing

    if options.simulator not in EXTERNAL:
        return None
    lacking = missing(external(options.simulator, out / "world"))
    if lacking:
        programs = " and ".join(f"{spec.executable} (package {spec.package})" if spec.package else spec.executable for spec in lacking)
        launch = f"ros2 launch swarm_control swarm.launch.py scenario:={options.scenario} simulator:={options.simulator}"
        raise InputError(f"--simulator {options.simulator}", f"no {programs} on this machine; where they are: {launch}")
    world = export(loaded, setup, out, options.simulator, speed=options.speed)[0]
    for line in notices(setup):
        print(f"swarm: {line}", flush=True)
    return world.absolute()


def exported(loaded: Loaded, setup: Setup, folder: Path, simulator: str, speed: float) -> tuple[list[Path], list[str]]:
    """As :func:`export`, for the launch files: what was written, and what the simulator does not do."""
    return export(loaded, setup, folder, simulator, speed=speed), notices(setup)


def notices(setup: Setup) -> list[str]:
    """What a scenario asks for that neither Stage nor Gazebo does, one line each."""
    found = []
    if setup.start.velocity.any():
        found.append("robots start at rest: a velocity at the start does not last in Stage and Gazebo until the first command")
    return found + [model.stage.notice for model, _ in setup.fleet.of_models if model.stage is not None and model.stage.notice]


def _write_scenario(path: Path, loaded: Loaded) -> Path:
    """The resolved scenario; its world by its full path, unless it is one of the shipped ones."""
    from swarm_control import paths
    from swarm_control.scenario.setup import world_file
    from swarm_control.scenario.tree import to_data
    from swarm_control.scenario.yaml_text import dump_yaml

    scenario = loaded.scenario
    if isinstance(scenario.world, str):
        found = world_file(scenario.world, loaded.source)
        if found.parent != (paths.share() / "worlds").resolve():
            scenario = replace(scenario, world=str(found))
    path.write_text(dump_yaml(to_data(scenario)), encoding="utf-8")
    return path
