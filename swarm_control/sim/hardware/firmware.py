"""The robot's end of the protocol, as its microcontroller would have it: commands in, encoder readings out, a deadman between. No I/O."""

import math

from swarm_control.hardware.protocol import NUMBERS, STOPPED, TICKS, Bad, Encoders, WheelSpeeds, decode, encode, newer, wrap_ticks
from swarm_control.sim.hardware.base import Base


class Firmware:
    """Drives ``base`` as it is told; times are in s on any clock that does not step, ``now`` is when the robot starts.

    ``boot`` tells this start from others. An encoder reading is due every ``period`` (s). ``ticks`` (left, right) is where the counters
    start. ``bad`` and ``old`` count lines that could not be read or came too late.
    """

    def __init__(
        self, base: Base, ticks_per_turn: int, boot: int, now: float, *, period: float = 0.02, ticks: tuple[int, int] = (0, 0)
    ) -> None:  # fmt: skip
        self._base, self._per_radian, self._boot, self._period = base, ticks_per_turn / (2.0 * math.pi), boot, period
        self._began = self._now = now
        self._due, self._number, self._first = now, -1, ticks
        self._angles = base.step(0.0, 0.0, 0.0)
        self._command: WheelSpeeds | None = None
        self._deadline = -math.inf
        self.bad = self.old = 0

    @property
    def stopped(self) -> bool:
        """Whether the wheels stand because no command has come in time."""
        return self._now >= self._deadline

    @property
    def rates(self) -> tuple[float, float]:
        """Rates at which the wheels now turn, rad/s."""
        if self._command is None or self.stopped:
            return 0.0, 0.0
        return 1e-3 * self._command.left, 1e-3 * self._command.right

    @property
    def where(self) -> tuple[float, float, float]:
        """Where the robot truly is: x, y (m) and yaw (rad)."""
        return self._base.where()

    def hear(self, line: bytes, now: float) -> None:
        """Take a line. One whose number is not newer is left out, unless the wheels stand for want of commands."""
        self.step(now)
        message = decode(line)
        if isinstance(message, Bad) or not isinstance(message, WheelSpeeds):
            self.bad += 1
        elif self._command is not None and not self.stopped and not newer(message.number, self._command.number):
            self.old += 1
        else:
            self._command, self._deadline = message, now + 1e-3 * message.deadman

    def step(self, now: float) -> None:
        """Drive up to ``now``, and no longer than the deadman allows."""
        for end in (min(self._deadline, now), now):
            if end > self._now:
                self._angles = self._base.step(end - self._now, *self.rates)
                self._now = end

    def tell(self, now: float) -> bytes | None:
        """The line that is due ``now``, if one is."""
        self.step(now)
        if now < self._due:
            return None
        self._due = max(self._due + self._period, now)
        self._number = (self._number + 1) % NUMBERS
        left, right = (
            wrap_ticks(first + math.floor(angle * self._per_radian)) for first, angle in zip(self._first, self._angles)
        )  # fmt: skip
        heard = -1 if self._command is None else self._command.number
        time = round(1e3 * (now - self._began)) % TICKS
        return encode(Encoders(self._number, self._boot, time, left, right, STOPPED * self.stopped, heard))
