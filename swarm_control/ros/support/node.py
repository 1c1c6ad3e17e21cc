"""What all nodes share: command line, scenario, parameters, live file, status, and the loop that serves the node."""

import argparse
import gc
import signal
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from swarm_control.core.geometry import IntArray
from swarm_control.errors import InputError
from swarm_control.options import Parser
from swarm_control.ros.support.live import LiveFile
from swarm_control.ros.support.parameters import ControlParameters
from swarm_control.ros.support.parent import follow_parent
from swarm_control.ros.support.status import StatusWriter
from swarm_control.ros.support.transport import sockets_only
from swarm_control.scenario.checks import check_live
from swarm_control.scenario.groups import Controls, controls_of, flocks, squads
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control
from swarm_control.scenario.setup import Setup, prepare

HOUSEKEEPING = 0.25
"""Time (s) between looks at the scenario's file."""

ENDING = 10
"""Longest time (s) that the middleware gets to take its leave. Fast DDS can wait for itself for ever, and keep a processor busy."""


class SwarmNode(Node):
    """A node that serves some robots of a scenario. Subclasses name their ``kind`` and write :meth:`report`."""

    kind: ClassVar[str]

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(self.kind)
        self.loaded = loaded = load(options.scenario, options.set)
        self.scenario = loaded.scenario
        self.setup: Setup = prepare(loaded.scenario, loaded.source)
        self.robots = len(self.setup.fleet)
        self.served = served(options.robots, self.robots)
        self.squads = squads(loaded.scenario.groups, self.setup.society)
        self.flocks = flocks(loaded.scenario, self.squads)
        self.parameters = ControlParameters(self, self.kind, controls_of(loaded.scenario, str(loaded.source)))
        self.parameters.allowed = self._allow
        self.status = StatusWriter(self)
        self._live = LiveFile(loaded, options.set, self.get_logger())
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._looks = 0
        self.every(HOUSEKEEPING, self._keep_house)

    def _allow(self, controls: Controls) -> None:
        """``InputError`` for live parameters that are senseless for the robots of this scenario."""
        check_live(self.scenario, self.setup.fleet, self.squads, controls, self.kind)

    @property
    def control(self) -> Control:
        """The ``control`` tree that is common to all robots, as it now stands."""
        return self.parameters.control

    @property
    def controls(self) -> Controls:
        """All ``control`` trees, those of groups too, as they now stand."""
        return self.parameters.controls

    @property
    def now(self) -> float:
        """Time of the node's clock, s; simulated time when ``use_sim_time`` is set."""
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def every(self, period: float, callback: Any) -> Any:
        """Call back every ``period`` (s) of real time."""
        return self.create_timer(period, callback, clock=self._steady)

    def option(self, name: str, default: Any, help: str) -> Any:
        """Declare and read a parameter of the node itself, fixed at its start."""
        from rcl_interfaces.msg import ParameterDescriptor

        return self.declare_parameter(name, default, ParameterDescriptor(description=help, read_only=True)).value

    def warm(self) -> None:
        """Do once what every tick will do, before the node serves: what must be compiled is compiled now, not while robots move."""

    def work(self, serving: Any) -> None:
        """One turn of the node's loop: serve what has come, for at most a moment."""
        serving.spin_once(timeout_sec=0.1)

    def report(self) -> None:
        """Publish the node's status; called once a second."""
        self.status.write({})

    def close(self) -> None:
        """Say the last words; called before the node ends."""

    def _keep_house(self) -> None:
        self._live.poll(self.parameters.set)
        self.parameters.look()
        self._looks += 1
        if self._looks % 4 == 0:
            self.report()


def served(text: str, robots: int) -> IntArray:
    """Indices from ``all`` or a comma-separated list."""
    if text == "all":
        return np.arange(robots)
    try:
        chosen = sorted({int(part) for part in text.split(",")})
    except ValueError:
        chosen = [-1]
    if not 0 <= chosen[0] <= chosen[-1] < robots:
        raise InputError("--robots", f"{text!r} found, expected all, or numbers from 0 to {robots - 1} with commas between")
    return np.array(chosen, np.int64)


def executor(node: Node, context: Any = None) -> Any:
    """The cheapest executor that this ROS distribution has, with ``node`` in it. Call only ``spin_once`` with a timeout."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor as Executor
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor as Executor
    found = Executor(context=context)
    found.add_node(node)
    return found


def arguments(kind: type[SwarmNode], argv: Sequence[str]) -> argparse.Namespace:
    """Parse a node's own command line."""
    parser = Parser(prog=kind.kind, description=kind.__doc__)
    parser.add_argument("--scenario", required=True, help="name or YAML file of the scenario")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change one value of the scenario")
    parser.add_argument("--robots", default="all", help="which robots the node serves: all, or numbers with commas between")
    return parser.parse_args(argv)


def serve(kind: type[SwarmNode]) -> int:
    """Run a node until it is told to stop; exit status 2 with one line for bad input."""
    follow_parent()
    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: stop.append(signum))
    options = arguments(kind, remove_ros_args(sys.argv)[1:])
    node: SwarmNode | None = None
    try:
        with sockets_only():
            rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
            node = kind(options)
        node.warm()
        spin(node, stop)
    except (InputError, InvalidParameterTypeException, InvalidParameterValueException) as error:
        print(f"{kind.kind}: {error}", file=sys.stderr)
        return 2
    finally:
        if node is not None:
            node.close()
            signal.alarm(ENDING)
            node.destroy_node()
        rclpy.try_shutdown()
        signal.alarm(0)
    return 0


def spin(node: SwarmNode, stop: list[int]) -> None:
    """Serve ``node`` until ``stop`` is no longer empty. Garbage collection leaves the start's objects alone: it would be felt."""
    serving = executor(node)
    gc.collect()
    gc.freeze()
    try:
        while not stop and rclpy.ok():
            node.work(serving)
    except ExternalShutdownException:
        pass
    finally:
        serving.shutdown()
