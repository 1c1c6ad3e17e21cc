"""The reference firmware in C, compiled for this computer: its board, and a robot's end of the wheel protocol for the emulator."""

import math
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from swarm_control.errors import Failed
from swarm_control.sim.hardware.base import SlippingBase

FOLDER = Path(__file__).resolve().parents[2] / "firmware"
"""Where the firmware and its host are."""

STEP = 5
"""Longest time (ms) in which a base is taken to go an arc."""

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", f"-I{FOLDER}")


def compiler() -> str:
    """The C compiler; ``Failed`` when there is none."""
    found = shutil.which("cc")
    if found is None:
        raise Failed("cc: no C compiler found, expected one on the PATH")
    return found


def build(folder: Path) -> Path:
    """Compile the firmware and its host in ``folder``; the program."""
    words = [compiler(), *FLAGS, *(str(FOLDER / name) for name in ("wheel_firmware.c", "host/host.c")), "-lm", "-o", str(folder / "host")]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr)
    return folder / "host"


@dataclass(frozen=True)
class Answer:
    """What the board has come to: ``angles`` (rad) and ``rates`` (rad/s) of the wheels, left and right; ``duties`` −10000 … 10000;
    ``currents`` (mA), the largest since the last answer; ``limited``: held back by its current; ``bad`` and ``old`` lines; ``heard``,
    −1: none; ``command`` (mrad/s); ``sent``: the bytes sent since the last answer.
    """

    angles: tuple[float, float]
    rates: tuple[float, float]
    duties: tuple[int, int]
    currents: tuple[float, float]
    stopped: bool
    fault: bool
    limited: tuple[bool, bool]
    bad: int
    old: int
    heard: int
    command: tuple[int, int]
    sent: bytes


class HostedBoard:
    """The compiled program, run as ``firmware/host/host.c`` says; time passes for it only in :meth:`run`. Use it as a context."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "HostedBoard":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def start(self, boot: int = 0, ms: int = 0, left: int = 0, right: int = 0) -> Answer:
        """Start the board ``ms`` after the epoch of its clock, encoders at ``left`` and ``right``."""
        return self._ask(f"n {boot} {ms % 2**32} {left % 2**32} {right % 2**32}")

    def motors(self, free_left: float = 25.0, free_right: float = 25.0, drag: float = 0.0, limit: int = 1500) -> Answer:
        """Rates (rad/s) at full duty, the duty that friction takes, and the current limit (mA)."""
        return self._ask(f"m {free_left} {free_right} {drag} {limit}")

    def wheels(self, left: int, right: int) -> Answer:
        """1: free, 0: held."""
        return self._ask(f"w {left} {right}")

    def encoders(self, left: int, right: int) -> Answer:
        """1, 0: broken, −1: reversed."""
        return self._ask(f"c {left} {right}")

    def battery(self, low: bool) -> Answer:
        """Whether it is low."""
        return self._ask(f"b {low:d}")

    def run(self, ms: int, data: bytes = b"") -> Answer:
        """Let so many ms pass, then let the board have ``data``."""
        return self._ask(f"t {ms} {data.hex() or '-'}")

    def _ask(self, request: str) -> Answer:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()
        words = self._process.stdout.readline().split()
        if not words:
            raise Failed(f"the compiled firmware has ended at {request[:80]!r}")
        real = [float(word) for word in words[:8]]
        flags = [word == "1" for word in words[8:12]]
        bad, old, heard, left, right = (int(word) for word in words[12:17])
        duties = int(real[4]), int(real[5])
        sent = b"" if words[17] == "-" else bytes.fromhex(words[17])
        return Answer(
            (real[0], real[1]), (real[2], real[3]), duties, (real[6], real[7]), flags[0], flags[1], (flags[2], flags[3]),
            bad, old, heard, (left, right), sent,
        )  # fmt: skip


class CompiledFirmware:
    """A started ``board`` on a ``base``, for :class:`~swarm_control.sim.hardware.emulator.Emulator` in place of the one in Python.

    The base goes as the board's motors turn its wheels. Times are in s on any clock that does not step; it starts ``now``. ``track`` (time,
    x, y, yaw) is where it has been every :data:`STEP`, also when its caller was late.
    """

    def __init__(self, board: HostedBoard, base: SlippingBase, now: float) -> None:
        self.board, self._base, self._began = board, base, now
        self._ms, self._lines = 0, list[bytes]()
        self.track: list[tuple[float, float, float, float]] = []
        self._take(board.run(0))

    @property
    def where(self) -> tuple[float, float, float]:
        """Where the robot truly is: x, y (m) and yaw (rad)."""
        return self._base.where()

    @property
    def rates(self) -> tuple[float, float]:
        """Rates at which the wheels now turn, rad/s."""
        return self.answer.rates

    @property
    def stopped(self) -> bool:
        """Whether the deadman holds the wheels."""
        return self.answer.stopped

    @property
    def bad(self) -> int:
        """Lines that could not be read."""
        return self.answer.bad

    def hear(self, line: bytes, now: float) -> None:
        """Take a line, without its line feed."""
        self._run(now, line + b"\n")

    def tell(self, now: float) -> bytes | None:
        """The newest line that has been due, if there is one. As in the emulator, a caller that is late does not get those before it."""
        self._run(now)
        newest, self._lines = self._lines[-1:], []
        return newest[0] if newest else None

    def _run(self, now: float, data: bytes = b"") -> None:
        ms = max(math.floor(1e3 * (now - self._began)) - self._ms, 0)
        while ms > 0:
            step = min(ms, STEP)
            ms, before = ms - step, self.answer.angles
            self._take(self.board.run(step))
            left, right = (1e3 * (after - angle) / step for after, angle in zip(self.answer.angles, before))
            self._base.step(1e-3 * step, left, right)
            self._ms += step
            self.track.append((self._began + 1e-3 * self._ms, *self._base.where()))
        if data:
            self._take(self.board.run(0, data))

    def _take(self, answer: Answer) -> None:
        self.answer = answer
        self._lines += answer.sent.splitlines(keepends=True)
