"""Who may talk to the server, and how much."""

import hmac
import ipaddress
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from swarm_control.errors import InputError

COOKIE = "swarm_dashboard"
"""Name of the cookie with the token; the port is added, as browsers do not tell ports apart."""
TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{15,127}")

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
}  # fmt: skip
"""Sent with every answer."""


@dataclass(frozen=True)
class Access:
    """Where the server listens. Without ``token`` it must be this machine alone, and only pages of this machine are listened to."""

    host: str = "127.0.0.1"
    port: int = 8765
    token: str = ""

    def __post_init__(self) -> None:
        if self.token and not TOKEN.fullmatch(self.token):
            raise InputError("token", "expected 16 to 128 letters, digits, _ and -, beginning with a letter")
        if not is_local(self.host) and not self.token:
            raise InputError("token", f"none found, expected one, as {self.host} is not this machine alone")
        if not 0 <= self.port <= 65535:
            raise InputError("port", f"{self.port} found, expected a number from 0 to 65535")

    @property
    def parameters(self) -> dict[str, str | int]:
        """What the dashboard's node is to be told."""
        return {name: value for name, value in vars(self).items() if value != ""}

    def address(self, port: int) -> str:
        """What to type into a browser."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        return f"http://{host}:{port}/" + (f"?token={self.token}" if self.token else "")

    def known(self, cookie: str, query: str) -> bool:
        """Whether a request carries the token, where one is needed."""
        given = query or cookie
        return not self.token or hmac.compare_digest(given.encode(), self.token.encode())

    def meant(self, host: str) -> bool:
        """Whether the header ``Host`` names this server: without a token, names that others let point here are refused."""
        return bool(self.token) or is_local(urlsplit(f"//{host}").hostname or "")

    def own(self, headers: Mapping[str, str]) -> bool:
        """Whether a websocket is asked for by a page of this very server."""
        origin = urlsplit(headers.get("Origin", ""))
        return origin.scheme in ("http", "https") and origin.netloc == headers.get("Host", "") != ""


def is_local(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A token that nobody guesses."""
    return "t" + secrets.token_hex(16)


class Bucket:
    """Lets through ``rate`` (1/s) in the long run and ``burst`` at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        """Whether one more may pass."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._rate, self._burst)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def give_back(self) -> None:
        """What was let through last does not count."""
        self._left += 1.0


class Buckets:
    """One bucket for each address, of the last ``size`` addresses."""

    def __init__(self, rate: float, burst: float, size: int = 256) -> None:
        self._rate, self._burst, self._size = rate, burst, size
        self._of: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether one more may pass from this address."""
        bucket = self._of.pop(address, None) or Bucket(self._rate, self._burst)
        self._of[address] = bucket
        if len(self._of) > self._size:
            self._of.popitem(last=False)
        return bucket.take()
