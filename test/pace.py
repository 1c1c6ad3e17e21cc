"""A clock for limits on how long processes take, by which a busy machine is not held against them.

Linux counts for how long every thread was ready and had to wait for a processor (``/proc/PID/task/*/schedstat``). What the processes
concerned have waited does not count. On an idle machine that is less than a millisecond a second.
"""

import contextlib
import os
import time
from pathlib import Path

MOST = 2.5
"""However busy the machine, nothing may take longer than so many times its limit, and a minute."""


class Pace:
    """Time since it was made. ``processes()``: numbers of the processes that are waited for; this one is added."""

    def __init__(self, processes):
        self._processes = processes
        self._began, self._before = time.monotonic(), self._waits()

    def over(self, limit):
        """Whether ``limit`` (s) has passed for these processes."""
        passed = time.monotonic() - self._began
        return passed > limit and (passed - self.waited() > limit or passed > MOST * limit + 60.0)

    def waited(self):
        """For how long (s) the processes had to wait meanwhile, one after another."""
        return sum(max(wait - self._before.get(thread, 0.0), 0.0) for thread, wait in self._waits().items())

    def _waits(self):
        found = {}
        for process in (os.getpid(), *self._processes()):
            with contextlib.suppress(OSError):  # it has just ended
                for thread in os.listdir(f"/proc/{process}/task"):
                    found[thread] = int(Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()[1]) * 1e-9
        return found


def descendants():
    """Numbers of all processes that this one has started, and that these have started."""
    parents = {}
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]
