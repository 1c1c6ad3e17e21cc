"""Starts the planned node processes, restarts those that die, and stops them all. Needs no ROS itself."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from swarm_control.errors import Failed
from swarm_control.ros.graph.spec import PARENT, NodeSpec

GRACE = 2.0
"""Time (s) that processes have to end by themselves."""

Launch = Callable[[NodeSpec], Any]
"""Starts a node's process: ``subprocess.Popen``, or what can be used like it."""

QUICK, MOST_QUICK = 10.0, 3
"""A process that ends by itself within ``QUICK`` (s) of its start this many times in a row is given up."""


def launched(spec: NodeSpec) -> "subprocess.Popen[bytes]":
    """Start a node's process, in a session of its own so that Ctrl-C reaches it only through the supervisor."""
    environment = {**os.environ, PARENT: str(os.getpid()), "PYTHONUNBUFFERED": "1", "RCUTILS_COLORIZED_OUTPUT": "0"}
    return subprocess.Popen(
        spec.command(), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip


class Supervised:
    """One node process, started by ``launch``."""

    def __init__(self, spec: NodeSpec, say: Callable[[str], None], launch: Launch = launched) -> None:
        self.spec = spec
        self._say, self._launch = say, launch
        self.quick = 0
        self.last_line = ""
        self.start()

    def start(self) -> None:
        """Start the process, and read what it says."""
        self.began = time.monotonic()
        self.process = self._launch(self.spec)
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
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Supervisor:
    """Keeps the processes of a plan running. Call :meth:`poll` often, :meth:`stop` at the end; ``say`` gets lines for the user.

    ``launch`` starts a node's process. ``over``: whether a simulator of another package has ended by itself, as when its window was
    closed.
    """

    def __init__(self, specs: Sequence[NodeSpec], say: Callable[[str], None], launch: Launch = launched) -> None:
        self._specs = specs
        self._say, self._start_process = say, launch
        self.over = False
        self.nodes: list[Supervised] = []

    def start(self) -> None:
        """Start all the project's own nodes."""
        self._launch([spec for spec in self._specs if spec.own])

    def release(self) -> None:
        """Start the rest: a simulator of another package, whose time runs from then on."""
        self._launch([spec for spec in self._specs if not spec.own])

    def _launch(self, specs: Sequence[NodeSpec]) -> None:
        for spec in specs:
            self.nodes.append(Supervised(spec, lambda line: self._say(line), self._start_process))

    def poll(self) -> None:
        """Restart what has died, with a notice; ``Failed`` when a node will not run, or a simulator of another package has failed."""
        for node in self.nodes:
            status = node.process.poll()
            if status is None:
                continue
            if status == 0 and not node.spec.own:
                self.over = True
                continue
            how = f"died ({signal.Signals(-status).name})" if status < 0 else f"ended (status {status})"
            node.reader.join(0.5)
            by_itself = -status not in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
            node.quick = node.quick + 1 if by_itself and time.monotonic() - node.began < QUICK else 0
            if status == 2 or node.quick >= MOST_QUICK or not node.spec.own:
                raise Failed(f"{node.spec.full_name} {how}: {node.last_line or 'no reason given'}")
            node.start()
            self._say(f"swarm: {node.spec.full_name} {how}, restarted")

    def stop(self) -> None:
        """End all processes: asked first, after a grace period without asking."""
        for node in self.nodes:
            node.signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for node in self.nodes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                node.process.wait(max(deadline - time.monotonic(), 0.0))
        for node in self.nodes:
            node.signal(signal.SIGKILL)
            node.process.wait()
            node.reader.join(0.5)
