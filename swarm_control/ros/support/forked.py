"""Node processes that are forked from one in which everything is imported, :mod:`swarm_control.ros.support.fork_server`.

They are processes like all others: each has its own ROS context and session, can be killed, and is started again by the supervisor.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from swarm_control.ros.graph.spec import PARENT, NodeSpec
from swarm_control.ros.support.session import lives

SILENT = 10.0
"""Longest time (s) that a server takes to fork when it is ready, or to tell that a node has ended. One that takes longer is ended."""


SERVER = "swarm_control.ros.support.fork_server"
"""The module that forks."""

ROOM = " " * 2000
"""A last argument of the server's, which leaves room for its nodes' command lines where other programs look for them."""


class ForkServer:
    """The process that nodes of these ``kinds`` are forked from. It starts with the first of them, and again when it has ended.

    ``within``: words before its command line, which have it run elsewhere, such as ``ip netns exec NAME``.
    """

    def __init__(self, kinds: Sequence[str], within: Sequence[str] = ()) -> None:
        self._kinds, self._within = kinds, within
        self._server: _Server | None = None

    def start(self, spec: NodeSpec, environment: dict[str, str]) -> "Forked":
        """Start a node's process."""
        if self._server is None or self._server.over:
            self.end()
            self._server = _Server(self._kinds, self._within)
        return Forked(spec, environment, self._server)

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The server's process."""
        assert self._server is not None, "no node has been started"
        return self._server.process

    def wake(self) -> None:
        """Let a server go on that is held still, so that it hears of nodes' ends."""
        if self._server is not None:
            self._server.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End the server, and all nodes that are still there."""
        if self._server is not None:
            self._server.end()
            self._server = None


class _Server:
    """One process that forks."""

    @staticmethod
    def begin(words: Sequence[str], **how: Any) -> "subprocess.Popen[bytes]":
        """Start it; ``how``: options of :class:`subprocess.Popen`."""
        return subprocess.Popen(words, **how)

    def __init__(self, kinds: Sequence[str], within: Sequence[str]) -> None:
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {**os.environ, PARENT: str(os.getpid()), "PYTHONUNBUFFERED": "1", "RCUTILS_COLORIZED_OUTPUT": "0"}
        environment["SPT_NOENV"] = "1"  # setproctitle is to use that room, and leave alone what tells a process's environment
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self.process = self.begin(
            [*within, sys.executable, "-m", SERVER, str(theirs.fileno()), *kinds, ROOM],
            pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self.ready = False
        self._asked: deque[Forked] = deque()
        self._heard = 0.0

    @property
    def over(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def ask(self, node: "Forked", request: dict[str, Any], files: Sequence[int]) -> None:
        """Ask for a process for ``node``; it is there as soon as the server is ready."""
        if not self._asked:
            self._heard = time.monotonic()
        with contextlib.suppress(OSError):  # the server has just died: the node's process ends at once
            socket.send_fds(self.link, [json.dumps(request).encode()], files)
        self._asked.append(node)

    def look(self) -> None:
        """Hear what has been forked; end a server that hangs."""
        while self._asked and select.select([self.link], [], [], 0.0)[0]:
            with contextlib.suppress(ConnectionResetError):
                if answer := self.link.recv(100):
                    self.ready, self._heard = True, time.monotonic()
                    node = self._asked.popleft()
                    node.process, node.began = int(answer), self._heard
                    continue
            return
        if self._asked and self.ready and time.monotonic() - self._heard > SILENT:
            self.end()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        self.link.close()
        self._asked.clear()


class Forked:
    """A node's process, with the interface of :class:`subprocess.Popen` as far as it is used. ``process``: its number, None before the
    server has told; a signal then ends the server. ``began``: when that was (s), inf before: a server's start is not the node's.
    """

    def __init__(self, spec: NodeSpec, environment: dict[str, str], server: _Server) -> None:
        (said, into), (self._status, ends) = os.pipe(), os.pipe()
        self.args = spec.command()
        self.returncode: int | None = None
        self.process: int | None = None
        self._server, self._gone, self.began = server, float("inf"), float("inf")
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
            os.close(self._status)
        elif self.process is not None and not lives(self.process):
            self._gone = min(self._gone, time.monotonic())
            if time.monotonic() - self._gone > SILENT:
                self._server.end()
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

