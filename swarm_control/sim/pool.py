"""Worker processes for many runs at once."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor


def workers(jobs: int | None = None) -> ProcessPoolExecutor:
    """As many worker processes as there are cores, or ``jobs``; interrupts are left to the parent.

    They are started afresh, not forked: threads of compiled kernels do not survive that.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context, initializer=_leave_interrupts_to_parent)


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
