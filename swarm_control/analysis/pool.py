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

    They are started afresh, not forked: threads of compiled kernels do not survive that.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context, initializer=_begin, initargs=(prepare,))


def _begin(prepare: Callable[[], object] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
