"""A link that is opened anew when it breaks or falls silent."""

import threading

from swarm_control.hardware.link import Link

SOONEST, LATEST = 0.1, 2.0
"""Pauses (s) before a link is opened again: the first, and the longest of those that double from it."""


class Connection:
    """Keeps a link open. Call :meth:`serve` often; times are in s on any clock that does not step.

    The link is opened in a thread, as names and connections take their time and the other robots cannot wait for them.
    ``opened`` counts how often it has been, ``error`` says why it last was not.
    """

    def __init__(self, link: Link, silence: float) -> None:
        self._link, self._silence = link, silence
        self._opening: _Opening | None = None
        self.up, self.opened, self.error = False, 0, ""
        self._pause, self._next, self._heard, self._silent = SOONEST, -float("inf"), 0.0, False

    @property
    def url(self) -> str:
        """Where the link leads."""
        return self._link.url

    def serve(self, now: float) -> list[bytes]:
        """Open what is to be opened; the lines that have come."""
        if not self.up:
            self._open(now)
            return []
        try:
            lines = self._link.read_lines()
        except OSError as error:
            self._drop(now, str(error))
            return []
        before, self._silent = self._silent, now - self._heard > self._silence
        if before and self._silent:  # what has come since was not understood
            self._drop(now, "silent")
            return []
        return lines

    def understood(self, now: float) -> None:
        """A line of the robot has been understood: the link is a good one."""
        self._heard, self._pause = now, SOONEST

    def send(self, line: bytes, now: float) -> bool:
        """Send a line; false when it cannot be."""
        if not self.up:
            return False
        try:
            return self._link.write_line(line)
        except OSError as error:
            self._drop(now, str(error))
            return False

    def close(self) -> None:
        """Close the link for good."""
        if self.up:
            self._link.close()
        self.up = False

    def _open(self, now: float) -> None:
        if self._opening is None and now >= self._next:
            self._opening = _Opening(self._link)
        if self._opening is None or self._opening.thread.is_alive():
            return
        self.error, self._opening = self._opening.error, None
        if self.error:
            self._wait(now)
        else:
            self.up, self._heard, self._silent = True, now, False
            self.opened += 1

    def _drop(self, now: float, why: str) -> None:
        self._link.close()
        self.up, self.error = False, why
        self._wait(now)

    def _wait(self, now: float) -> None:
        self._next, self._pause = now + self._pause, min(2.0 * self._pause, LATEST)


class _Opening:
    """Opens a link in a thread of its own."""

    def __init__(self, link: Link) -> None:
        self._link, self.error = link, ""
        self.thread = threading.Thread(target=self._open, daemon=True)
        self.thread.start()

    def _open(self) -> None:
        try:
            self._link.open()
        except (OSError, ValueError) as error:  # pyserial's own errors are OSErrors; ValueError: a baud rate that it does not know
            self.error = str(error) or type(error).__name__
