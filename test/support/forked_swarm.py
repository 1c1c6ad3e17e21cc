"""``swarm`` for tests that call it often: its process is forked from one in which all is imported and the common loops are loaded.

``[*forked_swarm(), "simulate", ...]`` is a command line, and :func:`path` a ``PATH`` on which a shell finds ``swarm``. The process has the
arguments, folder, environment and files of its caller, is told the signals that its caller's child is told, and ends with its status.
Tests of how ``swarm`` starts, or of what the environment changes in an import, start it afresh.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.util
import json
import multiprocessing
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from swarm_control.ros.support import fork_server, forked

CLIENT = Path(__file__).with_name("swarm_client.py")
LONGEST = 1 << 20
NODES = ("guard", "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "simulator", "aggregator")


@functools.cache
def forked_swarm():
    """Words that begin a command line of ``swarm``; the first call starts the server."""
    return (str(_folder() / "swarm"),)


def path():
    """The environment's ``PATH`` with this ``swarm`` in front."""
    return os.pathsep.join((str(_folder()), str(Path(sys.executable).parent), os.environ["PATH"]))


@functools.cache
def _folder():
    folder = Path(tempfile.mkdtemp(prefix="swarm_commands_"))
    program = folder / "swarm"
    program.write_text(f"#!{sys.executable} -IS\n{CLIENT.read_text()}".replace("SOCKET", str(folder / "socket")), encoding="utf-8")
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(folder / "socket"))
        door.listen(64)
        server = subprocess.Popen([sys.executable, __file__, str(door.fileno())], pass_fds=[door.fileno()], start_new_session=True)
    atexit.register(server.wait)
    atexit.register(server.kill)
    return folder


def serve(door):
    """Fork for each caller at the ``door``."""
    begin = multiprocessing.get_context("fork").Process
    ended, ring = socket.socketpair()
    for end in (ended, ring):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ring.fileno())
    ready = selectors.DefaultSelector()
    for file in (door, ended):
        ready.register(file, selectors.EVENT_READ)
    running = {}
    parent = os.getppid()
    while os.getppid() == parent:
        for key, _ in ready.select(1.0):
            if key.fileobj is door:
                caller = door.accept()[0]
                request, files, _, _ = socket.recv_fds(caller, LONGEST, 3)
                if not request:
                    caller.close()
                    continue
                process = begin(target=live, args=(json.loads(request), files, [door, ended, ring, caller, *running]))
                process.start()
                for file in files:
                    os.close(file)
                caller.send(str(process.pid).encode())
                running[caller] = process
                ready.register(caller, selectors.EVENT_READ)
            elif key.fileobj is ended:
                ended.recv(4096)
            elif key.fileobj in running:  # its caller has been killed
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running[key.fileobj].pid, signal.SIGKILL)
                ready.unregister(key.fileobj)
        for caller, process in list(running.items()):
            if process.exitcode is not None:
                with contextlib.suppress(OSError, KeyError):
                    caller.send(str(process.exitcode).encode())
                with contextlib.suppress(KeyError):
                    ready.unregister(caller)
                caller.close()
                del running[caller]


def live(request, files, inherited):
    """Be ``swarm`` for one caller."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for file in inherited:
        file.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = os.fdopen(0, closefd=False)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["swarm", *request["words"]]
    forked._Server.begin = staticmethod(NodeServer)
    sys.exit(importlib.import_module("swarm_control.cli.main").main())


class NodeServer:
    """The server of ``swarm run`` that forks nodes, forked itself; with the interface of :class:`subprocess.Popen` as far as it is used."""

    def __init__(self, words, env, pass_fds, **_):
        self._process = multiprocessing.get_context("fork").Process(target=self._serve, args=(words[3:], env, pass_fds))
        self._process.start()
        self.pid, self.kill = self._process.pid, self._process.kill

    @staticmethod
    def _serve(words, environment, files):
        os.setsid()
        os.closerange(3, min(files))
        os.closerange(max(files) + 1, 100)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [forked.SERVER, *words]
        fork_server.main()

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()

    def send_signal(self, number):
        os.kill(self.pid, number)


def warm():
    """Import what commands need, and load what a run, its picture and its nodes need."""
    from swarm_control.cli.main import COMMANDS, main

    for module, _ in COMMANDS.values():
        importlib.import_module(f"swarm_control.cli.{module}")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        main(["simulate", "migrate_boxes", "--duration", "0.2", "--out", folder])
    if importlib.util.find_spec("rclpy"):
        importlib.import_module("swarm_control.ros.support.observer")
        fork_server.warm(NODES)


if __name__ == "__main__":
    sys.path.pop(0)
    warm()
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
