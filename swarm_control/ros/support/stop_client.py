"""``swarm stop``: a node that joins the graph for a moment, stops the swarm or lets it go, and waits until that is confirmed."""

import time
from collections.abc import Callable

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.logging import LoggingSeverity

from swarm_control.ros.support.graph_client import GraphClient
from swarm_control.ros.support.stop_state import StopState
from swarm_control.ros.support.transport import networks

LISTEN = 1.0
"""Time (s) from the first node that answers to when all are taken to have been heard."""

COMMANDING = ("motion_model", "guard")
"""Kinds of node without whose word nothing is confirmed, wherever they are in the graph."""


class StopClient(GraphClient):
    """Takes part in the stop's protocol of the swarm below ``root``; use as a context manager."""

    kind = "stop_client"

    def __init__(self, root: str = "") -> None:
        self._networks = networks()
        super().__init__(root)
        self.get_logger().set_level(LoggingSeverity.ERROR)  # what it says itself is what is known
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._heard = float("inf")
        self.state = StopState(self)

    @property
    def outdated(self) -> bool:
        """Whether this machine has come to a network since the client joined the graph: it is not heard there, nor is this process, which
        has to be started again.
        """
        return not networks() <= self._networks

    def every(self, period: float, callback: Callable[[], None]) -> object:
        """Call back every ``period`` (s) of real time."""
        return self.create_timer(period, callback, clock=self._steady)

    def stop(self, patience: float) -> tuple[bool, str]:
        """Stop the swarm; whether it holds within ``patience`` (s), and what to say."""
        record = self.state.stop()
        return self._wait(lambda: self.state.missing(record), patience, "stopped")

    def release(self, patience: float) -> tuple[bool, str]:
        """Let go of all the stops that are known; the same."""
        done, text = self._wait(lambda: [], patience, "")
        if not done:
            return done, text
        seen = self.state.record
        if not seen.stopped:
            return True, "the swarm was not stopped"
        record = self.state.release(seen)
        return self._wait(lambda: self.state.missing(record), patience, "running")

    def _wait(self, missing: Callable[[], list[str]], patience: float, done: str) -> tuple[bool, str]:
        """Wait until all that command robots have been heard and nobody is ``missing``."""
        end = time.monotonic() + patience
        while time.monotonic() < end and not self.outdated:
            self.serve(0.02)
            answering = [name for name, said in self.state.others.items() if said.answers]
            self._heard = min(self._heard, time.monotonic()) if answering else float("inf")
            if time.monotonic() - self._heard > LISTEN and not self._unheard() and not missing():
                return True, done and f"{done}, confirmed by {', '.join(sorted(answering)[:8])}{' …' if len(answering) > 8 else ''}"
        if not self.state.others:
            where = f" below {self.root}" if self.root else ""
            found = [f"--namespace {name[1:]}" if name else "no --namespace" for name in self._roots()]
            others = f"; there is a swarm with {', '.join(found)}" if found else ""
            return False, f"NOT CONFIRMED: no swarm heard{where} within {patience:g} s (ROS_DOMAIN_ID {self.domain}){others}"
        return False, f"NOT CONFIRMED by {', '.join(sorted({*missing(), *self._unheard()})) or 'anybody that commands robots'}"

    def _roots(self) -> list[str]:
        """Below what there are other swarms in the graph."""
        spaces = {space.rstrip("/") for name, space in self.get_node_names_and_namespaces() if name in COMMANDING}
        return sorted({space.rpartition("/")[0] for space in spaces} - {self.root})

    def _unheard(self) -> list[str]:
        """Nodes that command robots and for which nobody has answered; a guard answers for its namespace."""
        spaces: dict[str, set[str]] = {}
        for name, space in ((name, space.rstrip("/")) for name, space in self.get_node_names_and_namespaces()):
            if name in COMMANDING and space.rpartition("/")[0] == self.root:
                spaces.setdefault(space.removeprefix(self.root), set()).add(name)
        return [f"{space}/{name}" for space, names in spaces.items() for name in names if not self._answered(space, names)]

    def _answered(self, space: str, names: set[str]) -> bool:
        by = "guard" if "guard" in names else "motion_model"
        said = self.state.others.get(f"{space}/{by}")
        return said is not None and said.answers
