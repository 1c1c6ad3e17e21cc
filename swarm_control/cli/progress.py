"""How long work is getting on: a bar on standard error."""

import sys
import time

from swarm_control.terminal import tell


class ProgressBar:
    """Shows how many pieces of work are done, and how long the rest will take: once a second, every 20 s where nobody looks.

    ``what`` the pieces are: runs; ``at_most`` says that it may end sooner.
    """

    def __init__(self, what: str = "runs", at_most: bool = False) -> None:
        self._what, self._left = what, "at most {:.0f} s left" if at_most else "{:.0f} s left"
        self._began = self._shown = time.monotonic()
        self._first: int | None = None

    def __call__(self, done: int, total: int, further: str = "") -> None:
        """Show it; ``further`` is more to say."""
        self._first = done if self._first is None else self._first
        now, live = time.monotonic(), sys.stderr.isatty()
        if not total or (now - self._shown < (1.0 if live else 20.0) and done < total):
            return
        self._shown = now
        made, bar = done - self._first, ("█" * (24 * done // total)).ljust(24, "·")
        left = f", {self._left.format((now - self._began) / made * (total - done))}" if made and done < total else ""
        text = f"{bar} {done} of {total} {self._what}{left}{further}"
        tell(f"\r{text} " if live else text, sys.stderr, end="" if live and done < total else "\n")
