"""A node does not outlive the process that started it."""

import ctypes
import os
import signal
import sys

from swarm_control.ros.graph.spec import PARENT


def follow_parent() -> None:
    """End when the process that started this one ends, where Linux can do that."""
    parent = os.environ.get(PARENT)
    if parent is None or not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != int(parent):
        sys.exit(1)
