"""Starts the planned node processes, restarts those that die or hang, and stops them all. Needs no ROS itself."""

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import IO

from swarm_control.errors import Failed, InputError
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.spec import PARENT, SESSION, TETHER, NodeSpec
from swarm_control.ros.support.forked import Forked, ForkServer
from swarm_control.ros.support.session import LOOK, Session

GRACE = 2.0
"""Time (s) that processes have to end by themselves."""

QUICK, MOST_QUICK = 10.0, 3
"""A process that ends by itself within ``QUICK`` (s) of its start this many times in a row is given up."""


class Launched(subprocess.Popen[bytes]):
    """A node's process, in a session of its own so that Ctrl-C reaches it only through the supervisor."""

    def __init__(self, spec: NodeSpec) -> None:
        tether = [] if spec.own else [sys.executable, *TETHER]
        super().__init__(
            [*tether, *spec.command()], env=_environment(spec), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.began = time.monotonic()

    def send_signal(self, number: int) -> None:
        """Send a signal to the process and all it has started, if they are still there."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)


class Starter:
    """Starts the processes of nodes. Nodes of the duties ``apart``, and programs of others, have processes that share nothing; the others
    are forked from one that has imported what nodes of these ``kinds`` need.
    """

    def __init__(self, kinds: Iterable[str], apart: Sequence[str] = ("safety",)) -> None:
        self._apart = apart
        self.server = ForkServer([kind for kind in dict.fromkeys(kinds) if self._forks(kind)])

    def __call__(self, spec: NodeSpec) -> "Launched | Forked":
        """Start a node's process."""
        return self.server.start(spec, _environment(spec)) if spec.own and self._forks(spec.executable) else Launched(spec)

    def _forks(self, kind: str) -> bool:
        return sys.platform.startswith("linux") and not (kind in KINDS and KINDS[kind].duty in self._apart)


def _environment(spec: NodeSpec) -> dict[str, str]:
    return {**os.environ, PARENT: str(os.getpid()), "PYTHONUNBUFFERED": "1", "RCUTILS_COLORIZED_OUTPUT": "0", **dict(spec.environment)}


class Supervised:
    """One node process, started by ``start_process``."""

    def __init__(self, spec: NodeSpec, say: Callable[[str], None], start_process: Starter) -> None:
        self.spec = spec
        self._say, self._start_process = say, start_process
        self.quick = 0
        self.given_up = False
        self.last_line = ""
        self.start()

    def start(self) -> None:
        """Start the process, and read what it says."""
        self.process = self._start_process(self.spec)
        assert self.process.stdout is not None
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode(errors="replace").rstrip()
            if text:
                self.last_line = text
                self._say(f"[{self.spec.full_name}] {text}")

    def signal(self, number: int) -> None:
        """Send a signal to the process and all it has started."""
        self.process.send_signal(number)

    @property
    def observing(self) -> bool:
        """Whether the run goes on without it."""
        return self.spec.own and self.spec.executable in KINDS and KINDS[self.spec.executable].duty == "observing"


class Supervisor:
    """Keeps the processes of a plan running. Call :meth:`poll` often, :meth:`stop` at the end; ``say`` gets lines for the user.

    ``starter`` starts nodes' processes, if not one of the supervisor's own that ends with it. ``over``: whether a simulator of another
    package has ended by itself, as when its window was closed. ``moving``: to be set once robots are under way: from then on a node that
    only looks on never ends the run.
    """

    def __init__(self, specs: Sequence[NodeSpec], say: Callable[[str], None], starter: Starter | None = None) -> None:
        if importlib.util.find_spec("rclpy") is None:
            raise InputError("swarm", "no rclpy found, expected ROS 2's Python packages to be installed")
        self.session = Session.new()
        shared = ((SESSION, str(self.session.path)),)
        self._specs = [replace(spec, environment=(*spec.environment, *shared)) for spec in specs]
        self._say, self._own = say, starter is None
        self.starter = starter or Starter(node.executable for spec in specs if spec.own for node in spec.each)
        self.over = self.moving = self._waking = False
        self.nodes: list[Supervised] = []
        self._looked = 0.0

    def start(self) -> None:
        """Start all the project's own nodes."""
        self._launch([spec for spec in self._specs if spec.own])

    def release(self) -> None:
        """Start the rest: a simulator of another package, whose time runs from then on."""
        self._launch([spec for spec in self._specs if not spec.own])

    def _launch(self, specs: Sequence[NodeSpec]) -> None:
        for spec in specs:
            self.nodes.append(Supervised(spec, lambda line: self._say(line), self.starter))

    def poll(self) -> None:
        """Restart what has died or hangs, with a notice; ``Failed`` when a node will not run, or another package's simulator has failed."""
        if time.monotonic() - self._looked > LOOK:
            self._looked = time.monotonic()
            if self.session.renew():
                self._say(f"swarm: {self.session.path} had been removed by somebody; made again")
            for hung in self.session.end_hung():
                self._say(f"swarm: {hung.name} has not answered for {hung.silence:.1f} s, ended")
            numbers = {node.process.process if isinstance(node.process, Forked) else node.process.pid: node for node in self.nodes}
            for held in self.session.held_still(number for number in numbers if number is not None):
                self._say(f"swarm: {numbers[held].spec.full_name} is held still and has never answered, ended")
                numbers[held].signal(signal.SIGKILL)
            before, self._waking = self._waking, self.starter.server.wake_if_late()
            if self._waking and not before:
                self._say("swarm: the process that nodes are forked from does not answer; told to go on")
        for node in self.nodes:
            status = None if node.given_up else node.process.poll()
            if status is not None:
                self._ended(node, status)

    def _ended(self, node: Supervised, status: int) -> None:
        """A process has ended: start it again, or give it up."""
        if status == 0 and not node.spec.own:
            self.over = True
            return
        how = f"died ({signal.Signals(-status).name})" if status < 0 else f"ended (status {status})"
        node.reader.join(0.5)
        by_itself = -status not in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
        node.quick = node.quick + 1 if by_itself and time.monotonic() - node.process.began < QUICK else 0
        if status == 2 or node.quick >= MOST_QUICK or not node.spec.own:
            reason = f"{node.spec.full_name} {how}: {node.last_line or 'no reason given'}"
            if not (node.observing and self.moving):
                raise Failed(reason)
            node.given_up = True
            self._say(f"swarm: {reason}; the run goes on without it")
            return
        node.start()
        self._say(f"swarm: {node.spec.full_name} {how}, restarted")

    def stop(self) -> None:
        """End all processes, the guards last: asked first, after a grace period without asking. Those that are held still are not asked."""
        self.session.end_members("Tt")
        self.starter.server.wake()
        guards = [node for node in self.nodes if node.spec.executable == "guard"]
        _end([node for node in self.nodes if node not in guards])
        _end(guards)
        if self._own:
            self.starter.server.end()
        self.session.end()


def _end(nodes: Sequence[Supervised]) -> None:
    for node in nodes:
        node.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    for node in nodes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            node.process.wait(max(deadline - time.monotonic(), 0.0))
    for node in nodes:
        node.signal(signal.SIGKILL)
        node.process.wait()
        node.reader.join(0.5)
