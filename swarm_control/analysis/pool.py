"""Worker processes for many runs at once."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor


def workers(jobs: int | None = None, prepare: Callable[[], object] | None = None) -> ProcessPoolExecutor:
    """As many worker processes as there are cores, or ``jobs``; each calls ``prepare`` first. Interrupts are left to the parent.

    They are started afresh, not forked: threads of compiled kernels do not survive that.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context, initializer=_begin, initargs=(prepare,))


def _begin(prepare: Callable[[], object] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if prepare is not None:
        prepare()
