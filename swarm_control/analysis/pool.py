"""Worker processes for many runs at once."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor


def workers(jobs: int | None = None, prepare: Callable[[], object] | None = None) -> ProcessPoolExecutor:
    """As many worker processes as there are cores, or ``jobs``; each calls ``prepare`` first. Interrupts are left to the parent,
    with which they end, however it does.

    They are forked and have what is imported already. Where this process has threads, such as those of compiled kernels, which do not
    survive that, they are forked from another one, in which runs are imported once; its environment is that of the first call.
    """
    context = multiprocessing.get_context("forkserver" if _threads() else "fork")
    context.set_forkserver_preload(["swarm_control.analysis.simulation"])
    return ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context, initializer=_begin, initargs=(prepare,))


def _threads() -> bool:
    """Whether this process has threads besides the main one, or Linux does not tell."""
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:
        return True


def _begin(prepare: Callable[[], object] | None) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if callable(signal.getsignal(number)):  # the parent's
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
