"""The terminal that a command runs in: the signals that end a run, and lines to a terminal that may be gone."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO


@contextmanager
def signals() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP in a list while in this context; none of them ends the process meanwhile.

    A SIGHUP that is ignored, as under ``nohup``, stays ignored.
    """
    told: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        told.append(number)

    hangup = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM, *hangup)}
    try:
        yield told
    finally:
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
