"""Emulated robots that speak the wheel protocol over links that lose, spoil and break."""

import selectors
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from swarm_control.sim.hardware.emulated_floor import EmulatedFloor
from swarm_control.sim.hardware.ports import Port

TURN = 0.005
"""Time (s) from one look at the links to the next."""

OUTAGE = 1.0
"""How long (s) a disconnected robot can be neither heard nor reached."""


class RobotEnd(Protocol):
    """The robot's end of the protocol, see :class:`~swarm_control.sim.hardware.firmware.Firmware`; times are in s."""

    @property
    def where(self) -> tuple[float, float, float]:
        """Where the robot truly is: x, y (m) and yaw (rad)."""

    @property
    def rates(self) -> tuple[float, float]:
        """Rates at which the wheels now turn, rad/s."""

    @property
    def stopped(self) -> bool:
        """Whether the wheels stand because no command has come in time."""

    @property
    def bad(self) -> int:
        """Lines that could not be read."""

    def hear(self, line: bytes, now: float) -> None:
        """Take a line, without its line feed."""

    def tell(self, now: float) -> bytes | None:
        """The line that is due, if one is."""


class Spoiler:
    """Drops a share ``drop`` of the lines that go through it, and garbles a share ``garble`` of the others."""

    def __init__(self, drop: float, garble: float, rng: np.random.Generator) -> None:
        self._drop, self._garble, self._rng = drop, garble, rng
        self.lines = self.dropped = self.garbled = 0

    def spoil(self, line: bytes) -> bytes | None:
        """What is left of a line: itself, something else, or nothing."""
        self.lines += 1
        if self._rng.random() < self._drop:
            self.dropped += 1
            return None
        if line and self._rng.random() < self._garble:
            self.garbled += 1
            return self._garbled(line)
        return line

    def _garbled(self, line: bytes) -> bytes:
        """A byte changed, a piece missing, or the end cut off, its line feed included."""
        at = int(self._rng.integers(len(line)))
        how = self._rng.integers(3)
        if how == 0:
            return line[:at] + bytes([line[at] ^ int(self._rng.integers(1, 256))]) + line[at + 1 :]
        return line[:at] + line[at + int(self._rng.integers(1, 8)) :] if how == 1 else line[:at]


class Emulator:
    """A robot at a port. ``disconnect``: how often in a second its link breaks for :data:`OUTAGE`."""

    def __init__(
        self, name: str, firmware: RobotEnd, port: Port, *, drop: float, garble: float, disconnect: float, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self.name, self.firmware, self.port = name, firmware, port
        self.into, self.out = Spoiler(drop, garble, rng), Spoiler(drop, garble, rng)
        self.outages = 0
        self._disconnect, self._rng = disconnect, rng
        self._breaks: float | None = None
        self._mended = -np.inf

    def serve(self, now: float) -> None:
        """Hear, drive, tell; to be called often. ``now`` is in s."""
        lines, away = self.port.read_lines(), self._away(now)
        for line in lines:
            heard = None if away else self.into.spoil(line)
            if heard:
                self.firmware.hear(heard, now)
        told = self.firmware.tell(now)
        if told is not None and not away:
            sent = self.out.spoil(told)
            if sent:
                self.port.write(sent)

    def _away(self, now: float) -> bool:
        """Whether the link is broken."""
        if self._disconnect == 0.0:
            return False
        if self._breaks is None:
            self._breaks = now + self._rng.exponential(1.0 / self._disconnect)
        if now >= self._breaks:
            self.outages += 1
            self._mended = now + OUTAGE
            self._breaks = self._mended + self._rng.exponential(1.0 / self._disconnect)
        if now < self._mended:
            self.port.hang_up()
        return bool(now < self._mended)


def emulate(robots: Sequence[Emulator], floor: EmulatedFloor, told: Callable[[], bool], watch: Callable[[float], None]) -> None:
    """Serve robots on their ``floor`` in real time until ``told`` to stop; ``watch`` is called after every turn with the time, s."""
    with selectors.DefaultSelector() as pause:
        while not told():
            now = time.monotonic()
            for robot in robots:
                robot.serve(now)
            floor.settle()
            watch(now)
            pause.select(TURN)
