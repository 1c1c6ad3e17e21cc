"""The lines between a host and a differential-drive robot: pure encoding and decoding. ``docs/wheel_protocol.md`` specifies them.

A line is ASCII: a letter, whole numbers with single spaces before them, ``*``, four hexadecimal digits of checksum, and a line feed::

    V <number> <left> <right> <deadman>*<crc>                              host → robot
    E <number> <boot> <time> <left> <right> <status> <heard>*<crc>         robot → host
"""

import binascii
import re
from dataclasses import dataclass, fields
from typing import Any

from swarm_control.core.parameters import short

LONGEST = 96
"""Bytes that a line may have, its line feed included."""

NUMBERS = 1 << 16
"""Lines are numbered modulo this."""

TICKS = 1 << 32
"""Encoder counts and the robot's time wrap around modulo this."""

STOPPED, FAULT, BATTERY = 1, 2, 4
"""Bits of a robot's status: stopped by its deadman; motors off on account of a fault; battery low."""

_LINE = re.compile(rb"([A-Z])((?: (?:0|-?[1-9][0-9]{0,10}))+)\*([0-9A-F]{4})")


@dataclass(frozen=True)
class WheelSpeeds:
    """Host → robot: turn the wheels at ``left`` and ``right`` (mrad/s, positive: ahead), and stop ``deadman`` (ms) after the last one.

    ``number`` grows by one with each line, modulo 65536.
    """

    number: int
    left: int
    right: int
    deadman: int


@dataclass(frozen=True)
class Encoders:
    """Robot → host: at ``time`` (ms of the robot, modulo 2³²) the encoders read ``left`` and ``right`` (32 bit with sign, wrapping).

    ``number`` grows by one with each line, modulo 65536; ``boot`` is drawn when the robot starts; ``status`` has the bits
    :data:`STOPPED`, :data:`FAULT`, :data:`BATTERY`; ``heard`` is the number of the command that is obeyed, −1 for none since the start.
    """

    number: int
    boot: int
    time: int
    left: int
    right: int
    status: int
    heard: int


@dataclass(frozen=True)
class Bad:
    """A line that is none, and the reason."""

    reason: str


Message = WheelSpeeds | Encoders

BOUNDS: dict[type, dict[str, tuple[int, int]]] = {
    WheelSpeeds: {
        "number": (0, NUMBERS - 1), "left": (-1_000_000, 1_000_000), "right": (-1_000_000, 1_000_000), "deadman": (1, 10_000),
    },
    Encoders: {
        "number": (0, NUMBERS - 1), "boot": (0, NUMBERS - 1), "time": (0, TICKS - 1), "left": (-TICKS // 2, TICKS // 2 - 1),
        "right": (-TICKS // 2, TICKS // 2 - 1), "status": (0, 255), "heard": (-1, NUMBERS - 1),
    },
}  # fmt: skip
"""Least and greatest value of each number of a line, in their order."""

_LETTERS: dict[type, bytes] = {WheelSpeeds: b"V", Encoders: b"E"}
_KINDS: dict[bytes, Any] = {letter: kind for kind, letter in _LETTERS.items()}


def checksum(data: bytes) -> bytes:
    """CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) of ``data`` as four upper-case hexadecimal digits; ``123456789`` has 29B1."""
    return b"%04X" % binascii.crc_hqx(data, 0xFFFF)


def encode(message: Message) -> bytes:
    """The line of a message, with its line feed. ``ValueError`` when a number is out of its bounds."""
    values = [getattr(message, f.name) for f in fields(message)]
    wrong = _out_of_bounds(type(message), values)
    if wrong:
        raise ValueError(wrong)
    body = b" ".join((_LETTERS[type(message)], *(b"%d" % value for value in values)))
    return b"".join((body, b"*", checksum(body), b"\n"))


def decode(line: bytes) -> Message | Bad:
    """The message of a line without its line feed (a carriage return at its end is passed over), or why it is none; never raises."""
    line = line[:-1] if line.endswith(b"\r") else line
    if len(line) >= LONGEST:
        return Bad(f"a line of {len(line)} bytes found, expected at most {LONGEST - 1}")
    found = _LINE.fullmatch(line)
    if found is None:
        return Bad(f"{short(line)} found, expected a letter, numbers, * and four hexadecimal digits")
    letter, numbers, crc = found.groups()
    if crc != checksum(line[:-5]):
        return Bad(f"checksum {crc.decode()} found, expected {checksum(line[:-5]).decode()}")
    kind = _KINDS.get(letter)
    if kind is None:
        return Bad(f"a line {letter.decode()} found, expected {' or '.join(known.decode() for known in _KINDS)}")
    values = [int(part) for part in numbers.split()]
    wrong = _out_of_bounds(kind, values)
    return Bad(wrong) if wrong else kind(*values)


def newer(number: int, last: int) -> bool:
    """Whether ``number`` comes after ``last``, counted modulo 65536 (serial number arithmetic, RFC 1982)."""
    return 0 < (number - last) % NUMBERS < NUMBERS // 2


def wrap_ticks(count: int) -> int:
    """``count`` as a counter of 32 bits with sign holds it."""
    return (count + TICKS // 2) % TICKS - TICKS // 2


def _out_of_bounds(kind: type, values: list[int]) -> str:
    bounds = BOUNDS[kind]
    if len(values) != len(bounds):
        return f"{len(values)} numbers found, expected {len(bounds)}: {', '.join(bounds)}"
    for value, (name, (low, high)) in zip(values, bounds.items()):
        if not low <= value <= high:
            return f"{name} {value} found, expected {low} to {high}"
    return ""
