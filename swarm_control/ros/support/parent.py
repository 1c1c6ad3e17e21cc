"""A process does not outlive the one that started it.

``python -m swarm_control.ros.support.parent PROGRAM …`` runs a program of another package so.
"""

import ctypes
import os
import signal
import sys
import time

from swarm_control.ros.graph.spec import PARENT


def begin_with_parent() -> None:
    """While this process starts, die with the one that started it: nobody knows of it yet who could end it if it were held still. Ctrl-C
    ends it at once, without a traceback of what it was importing.
    """
    if os.environ.get(PARENT) == str(os.getppid()):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _die(signal.SIGKILL)


def follow_parent() -> None:
    """Be told by SIGTERM when the process that started this one ends, where Linux can do that; end at once if it has ended already."""
    parent = os.environ.get(PARENT)
    if parent is None:
        return
    _die(signal.SIGTERM)
    if os.getppid() != int(parent):
        sys.exit(1)


def _die(told_by: signal.Signals) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, int(told_by), 0, 0, 0)


def orphaned(patience: float = 0.0) -> bool:
    """Whether the process that started this one has ended, or does so within ``patience`` (s): its threads may end one after another."""
    parent, deadline = os.environ.get(PARENT), time.monotonic() + patience
    while parent is not None and os.getppid() == int(parent) and time.monotonic() < deadline:
        time.sleep(0.01)
    return parent is not None and os.getppid() != int(parent)


if __name__ == "__main__":
    follow_parent()
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error.strerror}")
