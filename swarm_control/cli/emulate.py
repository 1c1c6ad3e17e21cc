"""``swarm emulate``: robots with wheels that are not there, for trying out and testing the wheel driver."""

import argparse
import contextlib
import secrets
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError
from swarm_control.files import checked_directory


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "emulate",
        description="Emulate differential-drive robots that speak the wheel protocol (docs/wheel_protocol.md): with slipping wheels, "
        "encoder ticks, lost and garbled lines and broken links. The robots of a scenario, each on the next port, or else a single one. "
        "They stop at the scenario's walls and at each other; contacts are shown and counted.",
        epilog="Example: swarm emulate formation_translate --tcp 5000 --slip 0.02 --drop 0.05   and beside it   "
        "swarm run formation_translate --simulator none --set 'hardware.wheels.link=tcp://127.0.0.1:500{index}'",
    )  # fmt: skip
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="whose robots: a name that `swarm list` shows, or a YAML file")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change a value of the scenario; may be repeated")
    parser.add_argument("--only", metavar="K", type=int, help="only the robot with this number")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--tcp", metavar="PORT", type=int, help="wait for connections at this port, the next robot at the next port; 0: any")
    where.add_argument("--udp", metavar="PORT", type=int, help="wait for datagrams there")
    where.add_argument("--pty", action="store_true", help="open a pseudo-terminal for each robot")
    parser.add_argument("--link", metavar="NAME", help="with --pty: NAME with the robot's number behind it links to its pseudo-terminal")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    parser.add_argument("--slip", metavar="SHARE", type=float, default=0.0, help="mean share of a wheel's way that is lost")
    parser.add_argument("--drop", metavar="SHARE", type=float, default=0.0, help="share of lines lost, each way")
    parser.add_argument("--garble", metavar="SHARE", type=float, default=0.0, help="share of lines garbled, each way")
    parser.add_argument("--disconnect", metavar="RATE", type=float, default=0.0, help="broken links in a second; each lasts a second")
    parser.add_argument("--period", metavar="S", type=float, default=0.02, help="time between encoder lines, s (default: %(default)s)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of slip, losses and breaks")
    help = "say what motion capture sees, too, so many times a second: on /poses, or as hardware.tracker.source and .topic have it"
    parser.add_argument("--poses", metavar="RATE", type=float, help=help)
    parser.add_argument("--pose-noise", metavar="M", type=float, default=0.001, help="noise of these positions (default: %(default)s m)")
    parser.add_argument("--heading-noise", metavar="DEG", type=float, default=0.3, help="noise of the headings (default: %(default)s°)")
    parser.add_argument("--pose-delay", metavar="S", type=float, default=0.0, help="how long after a look its poses are said")
    parser.add_argument("--truth", metavar="FILE.csv", help="write where the robots truly are and how their wheels turn")
    parser.add_argument("--out", metavar="DIR", help="write what the robots truly did, from the first wheel's turn on, as a run's results")
    parser.set_defaults(call=emulate)


def emulate(options: argparse.Namespace) -> int:
    """Emulate until interrupted."""
    _check(options)
    from swarm_control.cli.emulation import Emulation, opened
    from swarm_control.sim.hardware import emulator

    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: stop.append(signum))
    loaded, setup = _prepared(options)
    with contextlib.ExitStack() as stack:
        robots, floor = _robots(options, loaded, setup, stack)
        truth = _truth(options, loaded, setup)
        shown = Emulation(robots, floor, truth, stack.enter_context(opened(Path(options.truth))) if options.truth else None)
        tell_poses = _poses(options, loaded, setup, stack)

        def watch(now: float) -> None:
            shown(now)
            tell_poses(now, floor.pose)

        shown(time.monotonic())  # who reads where robots are finds where they start
        for robot in robots:
            print(f"{robot.name} at {robot.port.url}", flush=True)
        emulator.emulate(robots, floor, lambda: bool(stop), watch)
        shown.end(Path(options.out) if options.out else None)
    return 0


def _check(options: argparse.Namespace) -> None:
    for name in ("slip", "drop", "garble"):
        value = getattr(options, name)
        if not 0.0 <= value <= 1.0:
            raise InputError(f"--{name}", f"{value:g} found, expected a number from 0 to 1")
    bounds = {
        "disconnect": (0.0, 10.0), "period": (0.001, 10.0), "seed": (0, 2**63), "tcp": (0, 65535), "udp": (0, 65535),
        "poses": (0.1, 200.0), "pose_noise": (0.0, 10.0), "heading_noise": (0.0, 180.0), "pose_delay": (0.0, 10.0),
    }  # fmt: skip
    for name, (low, high) in bounds.items():
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise InputError(f"--{name.replace('_', '-')}", f"{value:g} found, expected a number from {low:g} to {high:g}")
    if options.poses is not None and (options.scenario is None or options.only is not None):
        raise InputError("--poses", "given without SCENARIO or with --only, expected all robots of a scenario")


def _prepared(options: argparse.Namespace) -> tuple[Any, Any]:
    """The scenario, and what a run of it starts with; without one, a single robot on two wheels as the schema has it."""
    from swarm_control.robots import ROBOTS
    from swarm_control.scenario.loader import Loaded, load_prepared
    from swarm_control.scenario.schema import RobotGroup, Scenario, Start
    from swarm_control.scenario.setup import prepare

    if options.scenario is not None:
        return load_prepared(options.scenario, options.set)
    for option in ("set", "out"):
        if getattr(options, option):
            raise InputError(f"--{option}", "given without SCENARIO; expected the one that it is about")
    model = next(name for name, model in ROBOTS.items() if model.on_wheels)
    scenario = Scenario(robots=(RobotGroup(count=1, model=model, start=Start(pattern="poses", poses=((0.0, 0.0, 0.0),))),))
    return Loaded(scenario, Path(), (0, 0, 0)), prepare(scenario, Path())


def _robots(options: argparse.Namespace, loaded: Any, setup: Any, stack: contextlib.ExitStack) -> tuple[list[Any], Any]:
    """The emulated robots, started at the scenario's poses, and their floor."""
    import numpy as np

    from swarm_control.core.robot import ROBOTS, wheeled
    from swarm_control.hardware import wheels
    from swarm_control.sim.hardware import base, emulated_floor, emulator, firmware

    count = len(setup.fleet)
    if options.only is not None and not 0 <= options.only < count:
        raise InputError("--only", f"{options.only} found, expected a number from 0 to {count - 1}")
    found, bases = [], []
    chosen = range(count) if options.only is None else [options.only]
    for place, k in enumerate(chosen):
        if not ROBOTS[setup.fleet.model[k]].on_wheels:
            what = f"{setup.fleet.names[k]} found, whose model is {setup.fleet.model[k]}; expected {wheeled()}"
            raise InputError(f"{loaded.source}: robots", what)
        chassis = wheels.chassis_of(loaded.scenario.hardware.wheels, setup.fleet, k)
        rng = np.random.default_rng([options.seed, k])
        port = _port(options, place)
        stack.callback(port.close)
        bases.append(base.SlippingBase(chassis.wheel_radius, chassis.wheel_base, setup.start.pose[k], options.slip, rng))
        board = firmware.Firmware(bases[-1], chassis.ticks_per_turn, secrets.randbelow(65536), time.monotonic(), period=options.period)
        spoilt = {name: getattr(options, name) for name in ("drop", "garble", "disconnect")}
        found.append(emulator.Emulator(setup.fleet.names[k], board, port, rng=rng, **spoilt))
    return found, emulated_floor.EmulatedFloor(setup.fleet.take(np.array(chosen)), bases, setup.grid)


def _truth(options: argparse.Namespace, loaded: Any, setup: Any) -> Any:
    """What judges the robots of a scenario; a robot alone is not judged."""
    if options.only is not None or options.scenario is None:
        if options.out:
            raise InputError("--out", "given with --only, expected all robots of the scenario")
        return None
    from swarm_control.analysis.emulated_truth import EmulatedTruth

    if options.out:
        checked_directory(Path(options.out), "--out")
    return EmulatedTruth(loaded, setup)


def _poses(options: argparse.Namespace, loaded: Any, setup: Any, stack: contextlib.ExitStack) -> Callable[[float, Any], None]:
    """What tells of poses (N, 3) at a time (s) what motion capture would."""
    if options.poses is None:
        return lambda now, pose: None
    import numpy as np

    from swarm_control.ros.support.pose_publisher import PosePublisher
    from swarm_control.sim.hardware.capture import MotionCapture

    noise = (options.pose_noise, options.pose_noise, np.deg2rad(options.heading_noise))
    capture = MotionCapture(options.poses, noise, options.pose_delay, np.random.default_rng([options.seed, len(setup.fleet)]))
    publisher = stack.enter_context(PosePublisher(loaded.scenario.hardware.tracker, setup.fleet.names))

    def tell(now: float, pose: Any) -> None:
        for age, seen in capture.look(now, pose):
            publisher.publish(age, seen)

    return tell


def _port(options: argparse.Namespace, place: int) -> Any:
    from swarm_control.sim.hardware import ports

    if options.tcp is not None:
        return ports.TcpPort(options.tcp and options.tcp + place, options.host)
    if options.udp is not None:
        return ports.UdpPort(options.udp and options.udp + place, options.host)
    return ports.PtyPort(Path(f"{options.link}{options.only or place}") if options.link else None)
