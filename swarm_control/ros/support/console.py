"""Lines on a terminal below which one line of progress is kept up to date."""

import sys
import threading
from typing import TextIO

from swarm_control.terminal import tell


class Console:
    """Prints lines, and progress: in place on a terminal, as plain lines elsewhere. Threads may share it."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self.live = self._stream.isatty()
        self._shown = ""
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        """Print a line above the progress."""
        with self._lock:
            self._clear()
            self._write(line + "\n" + self._shown)

    def progress(self, line: str) -> None:
        """Show progress."""
        with self._lock:
            self._clear()
            self._shown = line if self.live else ""
            self._write(line if self.live else line + "\n")

    def end(self) -> None:
        """Leave the progress where it is and go on below it."""
        with self._lock:
            if self._shown:
                self._write("\n")
            self._shown = ""

    def _clear(self) -> None:
        if self._shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        tell(text, self._stream, end="")
