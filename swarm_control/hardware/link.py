"""Links to robots: serial lines, TCP and UDP, behind one protocol; reading and writing never block."""

import os
import socket
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import SplitResult, parse_qs, urlsplit

from swarm_control.errors import InputError
from swarm_control.hardware.protocol import LONGEST

CONNECT = 2.0
"""Time (s) that a TCP connection has to come about."""

CHUNK, CHUNKS = 4096, 16
"""A link is read in so many bytes at a time, and so many times on end, so that a flood of one robot does not silence the others."""

EXPECTED = "serial:///dev/ttyUSB0?baud=115200, tcp://HOST:PORT or udp://HOST:PORT"


class Link(Protocol):
    """A way to a robot. Everything but ``open`` returns at once; ``OSError`` when the link is gone."""

    url: str

    def open(self) -> None:
        """Open it; may take as long as names and connections take."""

    def fileno(self) -> int:
        """A descriptor that a selector can wait for."""

    def read_lines(self) -> list[bytes]:
        """The lines that have come, without their line feeds."""

    def write_line(self, line: bytes) -> bool:
        """Send a line that ends with a line feed; false when there is no room for it, as an old command is worth nothing."""

    def close(self) -> None:
        """Close it; it can be opened again."""


class Lines:
    """Cuts a stream of bytes into lines. What is too long for a line comes as one bad line, up to the next line feed."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that ``data`` completes, without their line feeds; empty ones are left out."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if lines and self._skipping:
            lines, self._skipping = lines[1:], False
        if len(self._rest) > LONGEST:
            lines += [] if self._skipping else [self._rest]
            self._rest, self._skipping = b"", True
        return [line for line in lines if line]


class FileLink:
    """A link over whatever ``opener`` opens: an object with ``fileno`` and ``close`` whose descriptor does not block.

    ``ends``: reading nothing means that the other end has closed it. ``datagrams``: each read is a whole number of lines.
    """

    def __init__(self, url: str, opener: Callable[[], Any], *, ends: bool = False, datagrams: bool = False) -> None:
        self.url = url
        self._opener, self._ends, self._datagrams = opener, ends, datagrams
        self._file: Any = None
        self._lines, self._unsent = Lines(), b""

    def open(self) -> None:
        """Open it."""
        self._file = self._opener()
        self._lines, self._unsent = Lines(), b""

    def fileno(self) -> int:
        """The descriptor."""
        return int(self._file.fileno())

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""
        found: list[bytes] = []
        for _ in range(CHUNKS):
            try:
                data = os.read(self.fileno(), CHUNK)
            except BlockingIOError:
                break
            except ConnectionRefusedError:  # nobody is at the datagrams' other end, at present
                break
            if not data and self._ends:
                raise ConnectionResetError("closed by the robot")
            if not data:
                break
            found += self._lines.feed(data + b"\n" if self._datagrams else data)
        return found

    def write_line(self, line: bytes) -> bool:
        """Send a line, and before it what is left of one that did not fit; a line is sent whole or not at all."""
        if self._unsent and not self._push(b""):
            return False
        return self._push(line)

    def _push(self, line: bytes) -> bool:
        data = self._unsent + line
        try:
            sent = os.write(self.fileno(), data)
        except (BlockingIOError, ConnectionRefusedError):
            return False
        self._unsent = b"" if self._datagrams else data[sent:]
        return not self._unsent or bool(line)

    def close(self) -> None:
        """Close it."""
        if self._file is not None:
            self._file.close()
        self._file = None


def make_link(url: str) -> Link:
    """The link that ``url`` names; ``InputError`` when it names none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _unusable(url) from None
    if parts.scheme == "serial" and parts.path and not parts.netloc:
        baud = _baud(url, parts)
        return FileLink(url, lambda: _open_serial(parts.path, baud))
    if parts.scheme in ("tcp", "udp") and parts.hostname and port and not (parts.path or parts.query):
        host, kind = parts.hostname, socket.SOCK_STREAM if parts.scheme == "tcp" else socket.SOCK_DGRAM
        stream = kind == socket.SOCK_STREAM
        return FileLink(url, lambda: _open_socket(host, port, kind), ends=stream, datagrams=not stream)
    raise _unusable(url)


def urls(pattern: str, robots: Mapping[int, str]) -> list[str]:
    """The links of ``robots`` (index → name): ``pattern`` with each one's ``{name}`` and ``{index}``; ``InputError`` when two share one."""
    try:
        found = [pattern.format(name=name, index=index) for index, name in robots.items()]
    except (LookupError, TypeError, ValueError, AttributeError):
        raise InputError("hardware.wheels.link", f"{pattern!r} found, expected no more than {{index}} and {{name}} in braces") from None
    if len(set(found)) < len(found):
        raise InputError("hardware.wheels.link", f"{pattern!r} found, the same link for all robots; expected {{index}} or {{name}} in it")
    return found


def _baud(url: str, parts: SplitResult) -> int:
    query = parse_qs(parts.query, keep_blank_values=True)
    text = query.pop("baud", ["115200"])[-1]
    if query or not (text.isascii() and text.isdigit() and 50 <= int(text) <= 10_000_000):
        raise _unusable(url)
    return int(text)


def _unusable(url: str) -> InputError:
    return InputError("hardware.wheels.link", f"{url!r} found, expected {EXPECTED}")


def _open_serial(path: str, baud: int) -> Any:
    try:
        import serial
    except ImportError:
        raise OSError("serial links need pyserial") from None
    return serial.Serial(path, baud, timeout=0, write_timeout=0, exclusive=True)


def _open_socket(host: str, port: int, kind: socket.SocketKind) -> socket.socket:
    """Connect to whichever address of ``host`` answers first; a datagram's socket is connected at once."""
    error: OSError = OSError(f"{host} has no address")
    for family, _, _, _, address in socket.getaddrinfo(host, port, type=kind):
        found = socket.socket(family, kind)
        try:
            found.settimeout(CONNECT)
            found.connect(address)
            found.setblocking(False)
            if kind == socket.SOCK_STREAM:
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return found
        except OSError as caught:
            found.close()
            error = caught
    raise error
