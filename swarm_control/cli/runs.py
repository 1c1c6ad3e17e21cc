"""``swarm simulate`` and ``swarm run``."""

import argparse
from pathlib import Path
from typing import Any

from swarm_control.cli import browser
from swarm_control.cli.run_output import RunProgress, finish, warn
from swarm_control.cli.scenario_options import change_options, notices_of, overrides
from swarm_control.errors import InputError
from swarm_control.files import checked_directory
from swarm_control.terminal import PATIENCE, Overdue, signals, tell


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    simulate = commands.add_parser(
        "simulate",
        description="Run a scenario in one process without ROS, as fast as it goes; the same bits for the same seed.",
        epilog="Example: swarm simulate migrate_boxes --robots 20 --set separation.distance=0.5 --out results/boxes",
    )  # fmt: skip
    simulate.set_defaults(call=call_simulate)
    run = commands.add_parser(
        "run", description="Run a scenario as ROS 2 nodes, in real time.",
        epilog="Example: swarm run migrate_boxes --until-arrival --out results/boxes",
    )  # fmt: skip
    run.set_defaults(call=call_run)
    for parser in (simulate, run):
        _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a name that `swarm list` shows, or a YAML file")
    simulators = ("embedded", "mujoco", "stage", "gazebo", "none")
    parser.add_argument("--simulator", choices=simulators, default="embedded", help="what moves the robots")
    change_options(parser)
    parser.add_argument("--speed", metavar="X", type=float, default=1.0, help="simulated seconds per second (run only)")
    parser.add_argument(
        "--window", action=argparse.BooleanOptionalAction, help="show Stage's, Gazebo's or MuJoCo's window (default: Stage's)"
    )
    parser.add_argument("--film", metavar="FILE", help="film (.mp4, .gif) or last picture (.png) of robots that MuJoCo moves, in 3D")
    browser.add_options(parser)
    parser.add_argument("--record", metavar="FILE.mcap", help="record the run's messages")
    parser.add_argument("--markers", action="store_true", help="show the swarm to RViz and Foxglove, as MarkerArray (run only)")
    parser.add_argument("--onboard", action="store_true", help="each robot decides by nodes of its own, in its namespace (run only)")
    parser.add_argument(
        "--part", metavar="NAME", default="all", help="of an onboard swarm: base, simulation, or a robot's name (run only; default: all)"
    )
    parser.add_argument("--namespace", metavar="NAME", default="", help="of the swarm in the graph, for several swarms in one (run only)")
    parser.add_argument("--until-arrival", action="store_true", help="end when the last goal has been reached")
    parser.add_argument("--out", metavar="DIR", help="folder for the results (default: results/SCENARIO)")


def call_simulate(options: argparse.Namespace) -> int:
    """Run a scenario headless, show progress, write the results, as it goes and at its end, even when it is told to end early."""
    if options.simulator not in ("embedded", "mujoco"):
        raise InputError("--simulator", f"{options.simulator} found, expected embedded or mujoco: the others need ROS 2; see swarm run")
    if options.dashboard or options.dashboard_address:
        raise InputError("--dashboard", "swarm simulate has none; see swarm run")
    loaded, setup, out = _prepare(options)
    from swarm_control.analysis.report.checkpoints import Checkpoints
    from swarm_control.analysis.simulation import Simulation
    from swarm_control.sim.engines import make_engine, make_floor, make_views

    floor = make_floor(loaded, setup) if options.simulator == "mujoco" else None
    engine = floor or make_engine(loaded, setup)
    views = make_views(engine, options.film, options.window)
    progress, bag, keep = RunProgress(loaded.scenario.duration), _bag(options, loaded, setup), Checkpoints(out, loaded, warn)

    simulation = Simulation(loaded, setup=setup, engine=engine, odometry=floor)

    with signals(lambda: simulation.deciding) as told, progress:

        def over(simulation: Simulation) -> bool:
            progress(simulation.last)
            if bag is not None:
                bag(simulation.last)
            for view in views:
                view.watch()
            keep(simulation.outcome)
            return bool(told) or (options.until_arrival and simulation.done)

        try:
            simulation.run(until=over)
        except Overdue:
            warn(f"swarm: the step that was under way is left out: it went on for {PATIENCE:g} s after the signal to end")
        finally:
            for shown in (*views, *([bag] if bag is not None else [])):
                shown.close()
        finish(out, loaded, setup, simulation.outcome())
    if options.film:
        tell(f"  {options.film}")
    return 0


def _bag(options: argparse.Namespace, loaded: Any, setup: Any) -> Any:
    """What records the run, if that is wanted."""
    if not options.record:
        return None
    try:
        from swarm_control.ros.support.simulated import SimulatedBag
    except ImportError as error:
        raise InputError("--record", f"needs ROS 2's messages ({error})") from None
    return SimulatedBag(Path(options.record), loaded.scenario, setup, lambda line: warn(f"swarm: {line}"))


def call_run(options: argparse.Namespace) -> int:
    """Run a scenario as ROS 2 nodes, show progress, write the results, as it goes and at its end."""
    from swarm_control.ros.graph.parts import check_part

    access = browser.access(options)
    loaded, setup, out = _prepare(options)
    _check_views(options, setup)
    check_part(options.part, options.simulator, options.namespace)
    if options.part != "all" and not options.onboard:
        raise InputError("--part", f"{options.part} found without --onboard, expected both")
    if options.part not in ("all", "base"):
        from swarm_control.ros.support.part_run import run_part

        changes = overrides(options)
        run_part(
            loaded, setup, options.part, changes=changes, simulator=options.simulator, speed=options.speed, namespace=options.namespace
        )
        return 0
    from swarm_control.analysis.report.checkpoints import Checkpoints
    from swarm_control.cli.export import export_for_run
    from swarm_control.ros.support.run import run

    run(
        loaded, setup, changes=overrides(options), simulator=options.simulator, speed=options.speed, until_arrival=options.until_arrival,
        world=export_for_run(loaded, setup, out, options), window=options.window, dashboard=access, record=options.record or "",
        markers=options.markers, film=options.film or "", namespace=options.namespace, onboard=options.onboard,
        which=options.part, keep=Checkpoints(out, loaded, warn),
        finish=lambda outcome: finish(out, loaded, setup, outcome),
    )  # fmt: skip
    return 0


def _check_views(options: argparse.Namespace, setup: Any) -> None:
    """Refuse, before anything runs, views that a run will not have."""
    from swarm_control.sim.engines import moved_by_mujoco

    dynamic = options.simulator == "embedded" and setup.fleet.dynamic
    for option, wished in (("--film", options.film), ("--window", options.window and options.simulator == "embedded")):
        if wished and not dynamic:
            raise InputError(option, f"no robots found that MuJoCo moves, expected one of {moved_by_mujoco()}")


def _prepare(options: argparse.Namespace) -> tuple[Any, Any, Path]:
    from swarm_control.scenario.loader import load_prepared

    if not 0.0 < options.speed <= 100.0:
        raise InputError("--speed", f"{options.speed:g} found, expected a number above 0, up to 100")
    if options.record and Path(options.record).exists():
        raise InputError(f"--record {options.record}", "is there already, expected the name of a new file")
    loaded, setup = load_prepared(options.scenario, overrides(options))
    out = checked_directory(Path(options.out) if options.out else Path("results") / loaded.scenario.name, "--out")
    for line in notices_of(loaded, setup):
        tell(f"swarm: {line}")
    return loaded, setup, out
