"""The robot's end of a link: where an emulated robot listens for its host. Nothing here blocks."""

import contextlib
import os
import socket
from pathlib import Path
from typing import Protocol

from swarm_control.errors import InputError
from swarm_control.hardware.link import CHUNK, CHUNKS, Lines


class Port(Protocol):
    """Where a robot listens."""

    url: str
    """What a host's link has to be."""

    @property
    def connected(self) -> bool:
        """Whether there is a host to talk to, as far as can be known."""

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""

    def write(self, data: bytes) -> None:
        """Send bytes, or drop them."""

    def hang_up(self) -> None:
        """Lose the connection, where there is one."""

    def close(self) -> None:
        """Close it."""


class TcpPort:
    """Waits for a host's connection; a new one takes the place of the old one, which may be half dead."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._server = _bound(socket.SOCK_STREAM, host, port)
        self._server.listen(1)
        self.url = f"tcp://{host}:{self._server.getsockname()[1]}"
        self._host: socket.socket | None = None
        self._lines = Lines()

    @property
    def connected(self) -> bool:
        """Whether a host is connected."""
        return self._host is not None

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""
        with contextlib.suppress(BlockingIOError):
            host, _ = self._server.accept()
            host.setblocking(False)
            host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.hang_up()
            self._host, self._lines = host, Lines()
        if self._host is None:
            return []
        try:
            lines, ended = _read(self._host.fileno(), self._lines)
        except OSError:
            lines, ended = [], True
        if ended:
            self.hang_up()
        return lines

    def write(self, data: bytes) -> None:
        """Send bytes; a host that does not take them loses some, or its connection."""
        if self._host is not None:
            try:
                self._host.send(data)
            except BlockingIOError:
                pass
            except OSError:
                self.hang_up()

    def hang_up(self) -> None:
        """Close the connection."""
        if self._host is not None:
            self._host.close()
        self._host = None

    def close(self) -> None:
        """Close everything."""
        self.hang_up()
        self._server.close()


class UdpPort:
    """Hears whoever sends a datagram, and answers the last one who did."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._socket = _bound(socket.SOCK_DGRAM, host, port)
        self.url = f"udp://{host}:{self._socket.getsockname()[1]}"
        self._host: object = None

    @property
    def connected(self) -> bool:
        """Whether a host has ever been heard."""
        return self._host is not None

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""
        found: list[bytes] = []
        for _ in range(CHUNKS):
            try:
                data, self._host = self._socket.recvfrom(CHUNK)
            except OSError:
                break
            found += Lines().feed(data + b"\n")
        return found

    def write(self, data: bytes) -> None:
        """Send bytes to the last host that was heard."""
        if self._host is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto(data, self._host)  # type: ignore[call-overload]

    def hang_up(self) -> None:
        """Forget the host."""
        self._host = None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class PtyPort:
    """A pseudo-terminal, which looks like a serial line; ``name`` is a link to its device, as that one's name changes."""

    def __init__(self, name: Path | None = None) -> None:
        import tty

        self._master, self._device = os.openpty()
        tty.setraw(self._device)
        os.set_blocking(self._master, False)
        path = os.ttyname(self._device)
        self._name = name
        if name is not None:
            _link(name, path)
        self.url = f"serial://{name.absolute() if name else path}"
        self._lines = Lines()

    @property
    def connected(self) -> bool:
        """A serial line cannot tell."""
        return True

    def read_lines(self) -> list[bytes]:
        """The lines that have come."""
        return _read(self._master, self._lines)[0]

    def write(self, data: bytes) -> None:
        """Send bytes; they are lost when nobody reads."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def hang_up(self) -> None:
        """A serial line has no connection."""

    def close(self) -> None:
        """Close it and remove its link."""
        os.close(self._master)
        os.close(self._device)
        if self._name is not None:
            self._name.unlink(missing_ok=True)


def _read(descriptor: int, lines: Lines) -> tuple[list[bytes], bool]:
    """The lines that a descriptor has, and whether its other end has closed it."""
    found: list[bytes] = []
    for _ in range(CHUNKS):
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return found, False
        if not data:
            return found, True
        found += lines.feed(data)
    return found, False


def _bound(kind: socket.SocketKind, host: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, kind)
    if kind == socket.SOCK_STREAM:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise InputError(f"port {port} of {host}", f"{error.strerror or error}; expected one that is free") from None
    made.setblocking(False)
    return made


def _link(name: Path, path: str) -> None:
    try:
        if name.is_symlink():
            name.unlink()
        name.symlink_to(path)
    except OSError as error:
        raise InputError(str(name), f"{error.strerror}; expected a name that is free") from None
