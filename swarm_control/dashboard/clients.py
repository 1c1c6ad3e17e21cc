"""One page that is looking on: what is still to be sent to it, and how much it takes."""

import asyncio
import contextlib
import json
import time
from collections import deque
from typing import Any

from swarm_control.dashboard.frames import Frame
from swarm_control.dashboard.security import Bucket

AHEAD = 2
"""Frames that may be under way to a page that has not confirmed them."""

MESSAGES, BURST = 200.0, 400.0
"""Messages per second that a page may send, in the long run and at once."""


class Client:
    """Outbox of one websocket. It holds one frame, the newest; of anything else the newest of its kind; and some answers.

    All of it happens on the server's loop. A page that does not read only makes its own frames drop.
    """

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.robot: int | None = None
        self.everybody = False
        self.heard = time.monotonic()
        self.bucket = Bucket(MESSAGES, BURST)
        self._frame: tuple[int, Frame] | None = None
        self._news: dict[str, str | bytes] = {}
        self._answers: deque[str] = deque(maxlen=64)
        self._sent = self._confirmed = 0
        self._wake = asyncio.Event()

    def show(self, sequence: int, frame: Frame) -> None:
        """A newer frame takes the place of one that has not been sent yet."""
        self._frame = sequence, frame
        self._wake.set()

    def tell(self, key: str, data: str | bytes) -> None:
        """News takes the place of older news called ``key``."""
        self._news.pop(key, None)
        self._news[key] = data
        self._wake.set()

    def answer(self, message: dict[str, Any]) -> None:
        """Answers come in their order; the oldest are dropped when the page does not read them."""
        self._answers.append(json.dumps(message))
        self._wake.set()

    def confirm(self, sequence: int) -> bool:
        """The page has got frames up to ``sequence``; returns whether that is news."""
        if not self._confirmed < sequence <= self._sent:
            return False
        self._confirmed = sequence
        self._wake.set()
        return True

    def watch(self, robot: int, everybody: bool) -> None:
        """Which robot's details the page wants, −1: none's, and whether it wants everybody's arrows."""
        self.robot, self.everybody = robot if robot >= 0 else None, everybody

    async def send(self) -> None:
        """Send what there is, for as long as the page is there."""
        under_way: deque[int] = deque()
        with contextlib.suppress(ConnectionError, RuntimeError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._answers:
                    await self.socket.send_str(self._answers.popleft())
                while self._news:
                    data = self._news.pop(next(iter(self._news)))
                    await (self.socket.send_str(data) if isinstance(data, str) else self.socket.send_bytes(data))
                while under_way and under_way[0] <= self._confirmed:
                    under_way.popleft()
                if self._frame is not None and len(under_way) < AHEAD:
                    (sequence, frame), self._frame = self._frame, None
                    self._sent = sequence
                    under_way.append(sequence)
                    await self.socket.send_bytes(frame.pack(sequence, self.robot, self.everybody))
