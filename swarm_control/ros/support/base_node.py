"""What every node is, with or without a scenario: its clock and timers, signs of life, and the loop that serves it."""

import argparse
import gc
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from swarm_control.errors import InputError
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.support.door import Door
from swarm_control.ros.support.life_cycle import LifeCycle
from swarm_control.ros.support.parent import follow_parent, orphaned
from swarm_control.ros.support.session import BEAT, Session
from swarm_control.ros.support.status import StatusWriter
from swarm_control.ros.support.transport import networks, sockets_only, speaks_to_others

ENDING = 10
"""Longest time (s) that the middleware gets to take its leave. Fast DDS can wait for itself for ever, and keep a processor busy."""


class BaseNode(Door, LifeCycle):
    """A node. Subclasses name their ``kind``, parse their command line, and write :meth:`report`, which is called once a second."""

    kind: ClassVar[str]

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(self.kind)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.status = StatusWriter(self, lambda: sum(self.refused.values()))
        self.session, self._forgetful = Session.mine(), False
        self.begin_life()

    @classmethod
    def arguments(cls, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the node's own command line."""
        raise NotImplementedError

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

    def show_life(self) -> None:
        """From now on show that the node's loop turns."""
        self._beat()
        self.every(BEAT, self._beat)

    def _beat(self) -> None:
        self.session.beat(self.place)
        self.session.keep()
        if self.session.failure and not self._forgetful:
            self.get_logger().error(f"cannot keep what has to outlive this process: {self.session.failure}")
        self._forgetful = bool(self.session.failure)

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


def executor(node: Node, context: Any = None) -> Any:
    """The cheapest executor that this ROS distribution has, with ``node`` in it. Call only ``spin_once`` with a timeout."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor as Executor
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor as Executor
    found = Executor(context=context)
    found.add_node(node)
    return found


def serve(*kinds: type[BaseNode], words: Sequence[str] | None = None) -> int:
    """Run a node, or several in one process, until told to stop; exit status 2 with one line for bad input. ``words``: their command line,
    by default the program's.
    """
    if orphaned():
        return 1
    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, lambda signum, frame: stop.append(signum))
    words = remove_ros_args(sys.argv)[1:] if words is None else words
    nodes: list[BaseNode] = []
    simulated = any(one.kind in KINDS and KINDS[one.kind].duty == "plant" for one in kinds)
    unconnected, came = speaks_to_others() and not simulated and not networks(), False
    kind, options = kinds[0], [one.arguments(words) for one in kinds]
    try:
        with sockets_only():
            rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
            for kind, its in zip(kinds, options, strict=True):
                nodes.append(kind(its))
        for node in nodes:
            node.warm()
        for node in nodes:
            node.show_life()
            node.go_to_work()
        follow_parent()
        came = spin(nodes, stop, lambda: unconnected and bool(networks()))
    except (InputError, InvalidParameterTypeException, InvalidParameterValueException) as error:
        print(f"{kind.kind}: {error}", file=sys.stderr)
        return 2
    finally:
        for node in nodes:
            node.session.leave(node.place)
            node.close()
        if nodes and orphaned():
            nodes[0].session.end_members("Tt")  # who is held still cannot end itself
        signal.alarm(ENDING if nodes else 0)
        for node in nodes:
            node.destroy_node()
        rclpy.try_shutdown()
        signal.alarm(0)
    if came:
        print(f"{kind.kind}: this machine has come to a network, on which a node is heard only when it is started again", file=sys.stderr)
    return int(came)


def spin(nodes: Sequence[BaseNode], stop: list[int], outdated: Callable[[], bool] = lambda: False) -> bool:
    """Serve ``nodes`` until ``stop`` is no longer empty, or they are ``outdated``; whether it was for that. Garbage collection leaves the
    start's objects alone: it would be felt.
    """
    serving = executor(nodes[0])
    for node in nodes[1:]:
        serving.add_node(node)
    gc.collect()
    gc.freeze()
    try:
        while not stop and rclpy.ok():
            if outdated():
                return True
            nodes[0].work(serving)
    except ExternalShutdownException:
        pass
    finally:
        serving.shutdown()
    return False
