"""The terminal that a command runs in: the signals that end a run, and lines to a terminal that may be gone."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

PATIENCE = 5.0
"""How long (s) after a signal that is to end it a piece of work may go on that can be broken off."""


class Overdue(BaseException):
    """Work that has gone on for :data:`PATIENCE` after a signal that was to end it, and is broken off."""


@contextmanager
def signals(breakable: Callable[[], bool] | None = None) -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP in a list while in this context; none of them ends the process meanwhile.

    A SIGHUP that is ignored, as under ``nohup``, stays ignored. ``breakable``: whether what is done at the moment can be broken off;
    :data:`PATIENCE` after the first signal ``Overdue`` is raised in it.
    """
    told: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if breakable is not None and len(told) == 1:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE, 0.1)

    def late(number: int, frame: FrameType | None) -> None:
        if breakable is not None and breakable():
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise Overdue

    hangup = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM, *hangup)}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, late)
    try:
        yield told
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


def tell(text: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print ``text``, on standard output unless ``stream`` is another. It is dropped where nobody can hear it any more."""
    heard = sys.stdout if stream is None else stream
    try:
        print(text, file=heard, end=end, flush=True)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):  # else what waits in the stream fails again when the process ends
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, heard.fileno())
            os.close(nowhere)
