"""``swarm`` for tests that call it often: its process is forked from one in which all is imported and the common loops are loaded.

``[*forked_swarm(), "simulate", ...]`` is a command line, and :func:`path` a ``PATH`` on which a shell finds ``swarm``. The process has the
arguments, folder, environment and files of its caller, is told the signals that its caller's child is told, and ends with its status.
Tests of how ``swarm`` starts, or of what the environment changes in an import, start it afresh.
"""

import atexit
import contextlib
import gc
import importlib
import importlib.util
import json
import multiprocessing
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from swarm_control.ros.support import fork_server, forker

CLIENT = Path(__file__).with_name("swarm_client.py")
LONGEST = 1 << 20
NODES = ("guard", "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "simulator", "aggregator")


_server = None


def forked_swarm():
    """Words that begin a command line of ``swarm``. The first call starts the server, and so does one that finds it ended."""
    return (str(_folder() / "swarm"),)


def path():
    """The environment's ``PATH`` with this ``swarm`` in front."""
    return os.pathsep.join((str(_folder()), str(Path(sys.executable).parent), os.environ["PATH"]))


def _folder():
    global _server
    if _server is not None and _server.process.poll() is not None:
        print(f"the server of swarm has ended ({_server.process.returncode}):\n{_server.said.read_text()}", file=sys.stderr)
        _server = None
    _server = _server or _Server()
    return _server.folder


class _Server:
    """The process that forks. What it says itself is kept in a file: it outlives what a test's output is captured in."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="swarm_commands_"))
        self.said = self.folder / "said"
        program, at = self.folder / "swarm", str(self.folder / "socket")
        program.write_text(f"#!{sys.executable} -IS\n{CLIENT.read_text()}".replace("SOCKET", at), encoding="utf-8")
        program.chmod(0o755)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door, self.said.open("w") as said:
            door.bind(at)
            door.listen(64)
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(door.fileno())], pass_fds=[door.fileno()], start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip
        self._owner = os.getpid()
        atexit.register(self._end)

    def _end(self):
        if os.getpid() == self._owner:
            self.process.kill()
            self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def serve(door):
    """Fork for each caller at the ``door``, until the process that has started this one ends."""
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
                if process := fork(caller, [door, ended, ring, caller, *running]):
                    running[caller] = process
                    ready.register(caller, selectors.EVENT_READ)
                else:
                    caller.close()
            elif key.fileobj is ended:
                ended.recv(4096)
            else:  # the caller has been killed
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running[key.fileobj].pid, signal.SIGKILL)
                ready.unregister(key.fileobj)
        for caller, process in list(running.items()):
            if process.exitcode is not None:
                with contextlib.suppress(OSError):
                    caller.send(str(process.exitcode).encode())
                with contextlib.suppress(KeyError):
                    ready.unregister(caller)
                caller.close()
                del running[caller]


def fork(caller, inherited):
    """The process for a ``caller``, which has been told its number; None where the caller has been killed before it has asked."""
    try:
        request, files, _, _ = socket.recv_fds(caller, LONGEST, 3)
    except OSError:
        return None
    if not request:
        return None
    process = multiprocessing.get_context("fork").Process(target=live, args=(json.loads(request), files, inherited))
    process.start()
    for file in files:
        os.close(file)
    with contextlib.suppress(OSError):  # killed meanwhile, as is seen next
        caller.send(str(process.pid).encode())
    return process


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
    forker.Forker.begin = staticmethod(NodeServer)
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
        sys.argv = [forker.SERVER, *words]
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
    with (
        tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere),
    ):  # fmt: skip
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
