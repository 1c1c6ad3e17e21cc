"""Node processes that are forked from one in which everything is imported: such a node is there in a quarter of a second, not in three.

They are processes like all others: each has its own ROS context, can be killed, and is restarted by the supervisor. How nodes start from
nothing is proved where tests call ``swarm run``.
"""

import atexit
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

from swarm_control.ros.support.supervisor import launched


def forked(spec):
    """Start a node's process, for :class:`Supervisor`."""
    return Forked(spec) if spec.own else launched(spec)


class Forked:
    """A node's process, with the interface of :class:`subprocess.Popen` as far as it is used."""

    def __init__(self, spec):
        (said, into), (status, ends) = os.pipe(), os.pipe()
        request = {"module": spec.module, "arguments": spec.command()[3:], "environment": {**os.environ, **dict(spec.environment)}}
        link = _server()
        socket.send_fds(link, [json.dumps(request).encode()], [into, ends])
        os.close(into)
        os.close(ends)
        answer = link.recv(100)
        assert answer, "the process from which nodes are forked has ended"
        self.pid, self.args, self.returncode = int(answer), spec.command(), None
        self.stdout, self._status = os.fdopen(said, "rb"), status

    def poll(self):
        return self._look(0.0)

    def wait(self, timeout=None):
        if self._look(timeout) is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def _look(self, timeout):
        """The exit status, waited for this long (s)."""
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int(os.read(self._status, 20) or -signal.SIGKILL)
            os.close(self._status)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


@functools.cache
def _server():
    """Start the process that forks; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, str(Path(__file__).with_name("warmed.py")), str(theirs.fileno())]
    environment = {**os.environ, "PYTHONPATH": path}
    server = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    theirs.close()
    atexit.register(lambda: (ours.close(), server.wait()))
    return ours
