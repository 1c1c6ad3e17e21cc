"""Forks node processes from one in which everything is imported; started by :mod:`warm`, which asks over a socket.

A request is a line of JSON (the node's module and arguments, and the environment) with two files: where the node's words go, and where
its exit status is written. The answer is the process's number. It ends, and all nodes with it, when the socket is closed.
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

from swarm_control.analysis.simulation import simulate
from swarm_control.ros.graph.spec import PARENT
from swarm_control.scenario.loader import load_prepared

NODES = ("guard", "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "simulator", "aggregator")
SCENARIOS = ("migrate_boxes", "formation_translate")
LONGEST = 1 << 20


def warm():
    """Import and load what nodes need: their modules, message types, and compiled loops, which have to run for it."""
    from rclpy.type_support import check_for_type_support

    from swarm_control.ros.graph import topics

    for name in NODES:
        importlib.import_module(f"swarm_control.ros.nodes.{name}")
    for topic in topics.TABLE:
        check_for_type_support(topic.kind)
    for scenario in SCENARIOS:
        simulate(*load_prepared(scenario, ("duration=0.2", "separation_filter.enabled=true")))
    gc.collect()
    gc.freeze()


def serve(link):
    """Fork on request; tell the exit status of what has ended."""
    ended, ring = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(ring, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(ring)
    told = {}
    while True:
        ready = select.select([link, ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            tell(told)
        if link in ready:
            data, files, _, _ = socket.recv_fds(link, LONGEST, 2)
            if not data:
                return
            process = os.fork()
            if process == 0:
                link.close()
                live(json.loads(data), *files)
            told[process] = files[1]
            os.close(files[0])
            link.send(str(process).encode())


def tell(told):
    """Write the status of the processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            file = told.pop(process)
            with contextlib.suppress(BrokenPipeError):
                os.write(file, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(file)


def live(request, said, status):
    """Be the node, in the process that has been forked for it."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    os.close(status)
    for number in (1, 2):
        os.dup2(said, number)
    os.close(said)
    os.environ.clear()
    os.environ.update(request["environment"], **{PARENT: str(os.getppid())}, RCUTILS_COLORIZED_OUTPUT="0")
    sys.argv = [request["module"], *request["arguments"]]
    sys.exit(importlib.import_module(request["module"]).main())


if __name__ == "__main__":
    warm()
    serve(socket.socket(fileno=int(sys.argv[1])))
