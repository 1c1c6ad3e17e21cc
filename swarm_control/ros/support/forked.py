"""Node processes that are forked from one in which everything is imported, :mod:`swarm_control.ros.support.fork_server`.

They are processes like all others: each has its own ROS context and session, can be killed, and is started again by the supervisor.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence

from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.ros.support.forker import WAKING, Forker
from swarm_control.ros.support.processes import lives


class ForkServer:
    """The process that nodes of these ``kinds`` are forked from. It starts with the first of them, and again when it has ended.

    ``within``: words before its command line, which have it run elsewhere, such as ``ip netns exec NAME``.
    """

    def __init__(self, kinds: Sequence[str], within: Sequence[str] = ()) -> None:
        self._kinds, self._within = kinds, within
        self._server: Forker | None = None

    def start(self, spec: NodeSpec, environment: dict[str, str]) -> "Forked":
        """Start a node's process."""
        if self._server is None or self._server.over:
            self.end()
            self._server = Forker(self._kinds, self._within)
        return Forked(spec, environment, self._server)

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The server's process."""
        assert self._server is not None, "no node has been started"
        return self._server.process

    def wake_if_late(self) -> bool:
        """Let a server go on that has been waited for longer than :data:`WAKING`; whether it has."""
        late = self._server is not None and self._server.silence > WAKING
        if late:
            self.wake()
        return late

    def wake(self) -> None:
        """Let a server go on that is held still, so that it hears of nodes' ends."""
        if self._server is not None:
            self._server.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End the server, and all nodes that are still there."""
        if self._server is not None:
            self._server.end()
            self._server = None


class Forked:
    """A node's process, with the interface of :class:`subprocess.Popen` as far as it is used. ``process``: its number, None before the
    server has told; a signal then ends the server. ``began``: when that was (s), inf before: a server's start is not the node's.
    """

    def __init__(self, spec: NodeSpec, environment: dict[str, str], server: Forker) -> None:
        (said, into), (self._status, ends) = os.pipe(), os.pipe()
        self.args = spec.command()
        self.returncode: int | None = None
        self.process: int | None = None
        self._server, self.began = server, float("inf")
        request = {"module": spec.module, "arguments": self.args[3:], "environment": environment}
        server.ask(self, request, [into, ends])
        os.close(into)
        os.close(ends)
        self.stdout = os.fdopen(said, "rb")

    @property
    def pid(self) -> int:
        """The process's number, waited for if it has to be."""
        while self.process is None:
            if self.poll() is not None:
                raise ProcessLookupError(f"{self.args[2]}: the process that it was to be forked from has ended")
            time.sleep(0.005)
        return self.process

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status; ``TimeoutExpired`` after ``timeout`` (s)."""
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while self._look(min(max(deadline - time.monotonic(), 0.0), 0.1)) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def _look(self, patience: float) -> int | None:
        """The exit status, waited for this long (s). Where the server has ended, the process has been told to by SIGTERM."""
        if self.returncode is not None:
            return self.returncode
        if self.process is None:
            self._server.look()
        if select.select([self._status], [], [], patience)[0]:
            said = os.read(self._status, 20)
            if not said and self.process is not None and lives(self.process):
                time.sleep(min(patience, 0.02))
                return None
            self.returncode = int(said or (1 if self.process is None else -signal.SIGTERM))
            self._server.gone = float("inf")
            os.close(self._status)
        elif self.process is not None and not lives(self.process):
            self._server.gone = min(self._server.gone, time.monotonic())
            self._server.look()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process and all it has started, if they are still there."""
        if self.process is None:
            self._server.look()
        if self.process is None:
            self._server.end()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process, number)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

