"""Whether and where ``swarm run`` shows its dashboard."""

import argparse
import importlib.util
import socket
from typing import Any

from swarm_control.errors import InputError

PORT = 8765
TRIES = 32
"""How many ports are tried, from ``PORT`` on, when none is named."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the dashboard's options to the parser of a run."""
    parser.add_argument(
        "--dashboard", action=argparse.BooleanOptionalAction, help="show the run in a browser (run only; default: where one can be opened)"
    )
    parser.add_argument(
        "--dashboard-address", metavar="HOST:PORT", default="",
        help=f"where the dashboard listens (default: 127.0.0.1:{PORT} or the next free port); other machines need the printed token",
    )  # fmt: skip


def access(options: argparse.Namespace) -> Any:
    """The dashboard's ``Access``, with a port that is free now; None: no dashboard. ``InputError`` for an address that cannot be had."""
    from swarm_control.dashboard.browser import can_browse
    from swarm_control.dashboard.security import Access, is_local, new_token

    named = options.dashboard_address
    wanted = options.dashboard if options.dashboard is not None else bool(named) or can_browse()
    if not wanted:
        return None
    if importlib.util.find_spec("aiohttp") is None:
        if options.dashboard or named:
            raise InputError("--dashboard", "the Python package aiohttp is missing; expected swarm_control[dashboard] to be installed")
        return None
    host, port = split(named) if named else ("127.0.0.1", None)
    token = "" if is_local(host) else new_token()
    return Access(host, free_port(host, port), token)


def split(address: str) -> tuple[str, int | None]:
    """Host and port of ``HOST:PORT``, ``HOST`` or ``:PORT``."""
    host, colon, port = address.rpartition(":")
    if not colon or address.endswith("]"):
        host, port = address, ""
    host = host.strip("[]") or "127.0.0.1"
    if port and not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise InputError("--dashboard-address", f"port {port!r} found, expected a number from 1 to 65535")
    return host, int(port) if port else None


def free_port(host: str, port: int | None) -> int:
    """``port`` if it can be listened to, or, when none is named, the first from ``PORT`` on that can."""
    for candidate in [port] if port else range(PORT, PORT + TRIES):
        try:
            family, _, _, _, place = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
            return candidate
        except OSError as error:
            reason = error.strerror or str(error)
    raise InputError("--dashboard-address", f"{host}:{port or PORT} cannot be listened to: {reason}")
