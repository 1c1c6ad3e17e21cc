"""``swarm emulate``: robots with wheels that are not there, for trying out and testing the wheel driver."""

import argparse
import contextlib
import csv
import math
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "emulate",
        description="Emulate differential-drive robots that speak the wheel protocol (docs/wheel_protocol.md): with slipping wheels, "
        "encoder ticks, lost and garbled lines and broken links. The robots of a scenario, each on the next port, or else a single one.",
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
    parser.add_argument("--truth", metavar="FILE.csv", help="write where the robots truly are and how their wheels turn")
    parser.set_defaults(call=emulate)


def emulate(options: argparse.Namespace) -> int:
    """Emulate until interrupted."""
    _check(options)
    from swarm_control.sim.hardware import emulator

    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: stop.append(signum))
    with contextlib.ExitStack() as stack:
        robots = _robots(options, stack)
        for robot in robots:
            print(f"{robot.name} at {robot.port.url}", flush=True)
        show = _Show(robots, stack.enter_context(_opened(Path(options.truth))) if options.truth else None)
        emulator.emulate(robots, lambda: bool(stop), show)
        show.end()
    return 0


def _check(options: argparse.Namespace) -> None:
    for name in ("slip", "drop", "garble"):
        value = getattr(options, name)
        if not 0.0 <= value <= 1.0:
            raise InputError(f"--{name}", f"{value:g} found, expected a number from 0 to 1")
    for name, low, high in (("disconnect", 0.0, 10.0), ("period", 0.001, 10.0), ("seed", 0, 2**63), ("tcp", 0, 65535), ("udp", 0, 65535)):
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise InputError(f"--{name}", f"{value:g} found, expected a number from {low:g} to {high:g}")


def _robots(options: argparse.Namespace, stack: contextlib.ExitStack) -> list[Any]:
    """The emulated robots, started at the scenario's poses."""
    import numpy as np

    from swarm_control.core.robot import ROBOTS, wheeled
    from swarm_control.hardware import wheels
    from swarm_control.scenario.setup import prepare
    from swarm_control.sim.hardware import base, emulator, firmware

    scenario, source = _scenario(options)
    setup = prepare(scenario, source)
    count = len(setup.fleet)
    if options.only is not None and not 0 <= options.only < count:
        raise InputError("--only", f"{options.only} found, expected a number from 0 to {count - 1}")
    found = []
    for place, k in enumerate(range(count) if options.only is None else [options.only]):
        if not ROBOTS[setup.fleet.model[k]].on_wheels:
            what = f"{setup.fleet.names[k]} found, whose model is {setup.fleet.model[k]}; expected {wheeled()}"
            raise InputError(f"{source}: robots", what)
        chassis = wheels.chassis_of(scenario.hardware.wheels, setup.fleet, k)
        rng = np.random.default_rng([options.seed, k])
        port = _port(options, place)
        stack.callback(port.close)
        floor = base.SlippingBase(chassis.wheel_radius, chassis.wheel_base, setup.start.pose[k], options.slip, rng)
        board = firmware.Firmware(floor, chassis.ticks_per_turn, secrets.randbelow(65536), time.monotonic(), period=options.period)
        spoilt = {name: getattr(options, name) for name in ("drop", "garble", "disconnect")}
        found.append(emulator.Emulator(setup.fleet.names[k], board, port, rng=rng, **spoilt))
    return found


def _scenario(options: argparse.Namespace) -> tuple[Any, Path]:
    """The scenario and its file; without one, a single robot on two wheels as the schema has it."""
    from swarm_control.robots import ROBOTS
    from swarm_control.scenario.loader import load
    from swarm_control.scenario.schema import RobotGroup, Scenario, Start

    if options.scenario is not None:
        loaded = load(options.scenario, options.set)
        return loaded.scenario, loaded.source
    if options.set:
        raise InputError("--set", "given without SCENARIO; expected the one that it changes")
    model = next(name for name, model in ROBOTS.items() if model.on_wheels)
    return Scenario(robots=(RobotGroup(count=1, model=model, start=Start(pattern="poses", poses=((0.0, 0.0, 0.0),))),)), Path()


def _port(options: argparse.Namespace, place: int) -> Any:
    from swarm_control.sim.hardware import ports

    if options.tcp is not None:
        return ports.TcpPort(options.tcp and options.tcp + place, options.host)
    if options.udp is not None:
        return ports.UdpPort(options.udp and options.udp + place, options.host)
    return ports.PtyPort(Path(f"{options.link}{options.only or place}") if options.link else None)


def _opened(path: Path) -> Any:
    try:
        return path.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--truth {path}", f"{error.strerror}; expected a file that can be written") from None


class _Show:
    """Shows the robots once a second, and writes the truth at every turn."""

    def __init__(self, robots: list[Any], truth: Any) -> None:
        self._robots, self._file = robots, truth
        self._truth = csv.writer(truth) if truth else None
        self._shown = time.monotonic()
        self._lines = 0
        if self._truth:
            self._truth.writerow(("time", "robot", "x", "y", "yaw", "left", "right"))

    def __call__(self, now: float) -> None:
        """Look at one turn."""
        if self._truth:
            stamp = f"{time.time():.4f}"
            for robot in self._robots:
                numbers = (*robot.firmware.where, *robot.firmware.rates)
                self._truth.writerow((stamp, robot.name, *(f"{number:.6f}" for number in numbers)))
            self._file.flush()
        if now - self._shown >= 1.0 and sys.stderr.isatty():
            self._shown = now
            back = f"\x1b[{self._lines}A" if self._lines else ""
            print(back + "\n".join(f"{self.line(robot)}\x1b[K" for robot in self._robots), file=sys.stderr, flush=True)
            self._lines = len(self._robots)

    def line(self, robot: Any) -> str:
        """A robot in one line."""
        (x, y, yaw), (left, right) = robot.firmware.where, robot.firmware.rates
        state = "stands" if robot.firmware.stopped else "driven"
        host = "connected" if robot.port.connected else "waiting"
        into, out = robot.into, robot.out
        lost = f"lost {into.dropped}+{out.dropped}, garbled {into.garbled}+{out.garbled}, unread {robot.firmware.bad}"
        return (
            f"{robot.name}  {host}, {state}   wheels {left:+6.2f} {right:+6.2f} rad/s   x {x:+.3f} y {y:+.3f} m "
            f"{round(math.degrees(yaw)):+d}°   {into.lines} lines in, {out.lines} out: {lost}"
        )

    def end(self) -> None:
        """Say where the robots have got to."""
        for robot in self._robots:
            print(self.line(robot), flush=True)
