"""The other end of :mod:`swarm_control.ros.support.fork_server`: it starts it, asks it for nodes' processes, and knows when it is late."""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from swarm_control.ros.graph.spec import PARENT

SILENT = 10.0
"""Longest time (s) that a server takes to fork when it is ready, or to tell that a node has ended. One that takes longer is ended."""

WAKING = 2.0
"""One that takes longer than this (s) is told to go on, in case that it is held still."""

SERVER = "swarm_control.ros.support.fork_server"
"""The module that forks."""

ROOM = " " * 2000
"""A last argument of the server's, which leaves room for its nodes' command lines where other programs look for them."""


class Forker:
    """The process that forks, and what it has been asked for: nodes with a ``process``, which it tells, and ``began``."""

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
        self._asked: deque[Any] = deque()
        self._heard, self.gone = 0.0, float("inf")

    @property
    def silence(self) -> float:
        """For how long (s) it has not forked what it was asked to, or not told that a node has ended."""
        since = self._heard if self._asked and self.ready else float("inf")
        return 0.0 if self.over else max(time.monotonic() - min(since, self.gone), 0.0)

    @property
    def over(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def ask(self, node: Any, request: dict[str, Any], files: Sequence[int]) -> None:
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
        if self.silence > SILENT:
            self.end()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        self.link.close()
        self._asked.clear()
