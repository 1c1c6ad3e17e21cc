"""Forks node processes from one in which everything is imported. Run by :mod:`swarm_control.ros.support.forker`, which asks over a socket.

::

    python -m swarm_control.ros.support.fork_server SOCKET [KIND ...] ROOM

A request is one packet of JSON (``module``, ``arguments``, ``environment``) with two files: where the node's words go, and where its exit
status is written. The answer is the process's number. Such a node is there in a quarter of a second, where one that imports and loads
everything itself takes three, and it shares that memory with the others. The server ends with the process that started it, and when the
socket is closed, and its nodes end with it.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from swarm_control.ros.graph.spec import PARENT
from swarm_control.ros.support.parent import begin_with_parent

try:
    from setproctitle import setproctitle
except ImportError:  # nodes work, but all are called as the server is

    def setproctitle(title: str) -> None:
        """What a process is called stays as it is."""


LONGEST = 1 << 20
"""Longest request, bytes."""

FORMING = "virtual_structure"
"""The kind of node whose part of the controller only scenarios with a formation have."""


def main() -> None:
    """Import what nodes of the given kinds need, and serve."""
    begin_with_parent()
    setproctitle(" ".join([sys.executable, "-m", "swarm_control.ros.support.fork_server"]))
    with contextlib.suppress(ImportError):  # whatever is not there, the node that needs it says so
        warm(sys.argv[2:-1])
    serve(socket.socket(fileno=int(sys.argv[1])))


def warm(kinds: Sequence[str]) -> None:
    """Import and load what nodes of these kinds need: their modules, message types, and compiled loops, which have to run for it."""
    from rclpy.type_support import check_for_type_support

    from swarm_control.analysis.simulation import simulate
    from swarm_control.ros.graph import topics
    from swarm_control.scenario.loader import load_prepared

    for kind in kinds:
        with contextlib.suppress(ImportError):
            importlib.import_module(f"swarm_control.ros.nodes.{kind}")
    for topic in topics.TABLE:
        check_for_type_support(topic.kind)
    for scenario in ("migrate_boxes", *(["formation_translate"] if FORMING in kinds else [])):
        simulate(*load_prepared(scenario, ("duration=0.2", "separation_filter.enabled=true")))
    gc.collect()
    gc.freeze()


def serve(link: socket.socket) -> None:
    """Fork on request; tell the exit status of what has ended."""
    ended, ring = os.pipe()
    for file in (ended, ring):
        os.set_blocking(file, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(ring)
    told: dict[int, int] = {}
    while True:
        ready = select.select([link.fileno(), ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            tell(told)
        if link.fileno() in ready:
            data, files, _, _ = socket.recv_fds(link, LONGEST, 2)
            if not data:
                return
            process = os.fork()
            if process == 0:
                signal.set_wakeup_fd(-1)
                link.close()
                for file in (ended, ring, files[1], *told.values()):
                    os.close(file)
                live(json.loads(data), files[0])
            told[process] = files[1]
            os.close(files[0])
            link.send(str(process).encode())


def tell(told: dict[int, int]) -> None:
    """Write the status of the processes that have ended to the files that are ``told``."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            file = told.pop(process)
            with contextlib.suppress(BrokenPipeError):
                os.write(file, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(file)


def live(request: dict[str, Any], said: int) -> NoReturn:
    """Be the node, in the process that has been forked for it, until it ends. Its words go to the file ``said``."""
    for number in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    for stream in (1, 2):
        os.dup2(said, stream)
    os.close(said)
    os.environ.clear()
    os.environ.update(request["environment"], **{PARENT: str(os.getppid())})
    begin_with_parent()
    sys.argv = [request["module"], *request["arguments"]]
    setproctitle(" ".join([sys.executable, "-m", *sys.argv]))
    end(importlib.import_module(request["module"]).main)


def end(main: Callable[[], int]) -> NoReturn:
    """End as a program does after ``main``, but leave what the interpreter would clear to the system: it shares most of it with others."""
    status = 1
    try:
        status = main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
