"""Words, numbers, strings and brackets of a Stage world file, each with the file and line where it stands."""

import math
import re
from pathlib import Path
from typing import Literal, NamedTuple

from swarm_control.errors import InputError

Kind = Literal["word", "number", "string", "punctuation"]

MAX_BYTES = 16_000_000

_PATTERN = re.compile(
    r"""(?P<newline>\n)
      | (?P<skip>[ \t\f\v]+|\#[^\n]*)
      | "(?P<string>[^"\n]*)"
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.+-]))
      | (?P<word>[A-Za-z_][A-Za-z0-9_.\-]*(?:\[\d+\])?)
      | (?P<punctuation>[()\[\]])""",
    re.VERBOSE | re.ASCII,
)


class Token(NamedTuple):
    """One piece of a world file: ``text`` without quotes, ``line`` from 1."""

    kind: Kind
    text: str
    file: str
    line: int

    @property
    def where(self) -> str:
        """Place for messages, ``file:line``."""
        return f"{self.file}:{self.line}"


def read_text(path: Path, where: str) -> str:
    """Text of a world file, lines ended by newlines; InputError at ``where`` if missing, too big, no text."""
    try:
        if not path.is_file():
            raise InputError(
                where, "no such world file" if not path.exists() else "expected a world file, not a folder"
            )
        if path.stat().st_size > MAX_BYTES:
            raise InputError(where, f"expected a world file of at most {MAX_BYTES // 1_000_000} MB")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(where, f"cannot read the world file ({error})") from error
    if b"\0" in data:
        raise InputError(where, "expected a world file in plain text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def tokenize(text: str, file: str) -> list[Token]:
    """Tokens of ``text`` in order; ``file`` is the name to show. InputError with ``file:line`` at a misfit.

    Follows Stage's lexer (worldfile.cc), with two more freedoms: exponents in numbers and ``key[0][…]``
    without a space.
    """
    tokens: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            raise InputError(f"{file}:{line}", _complaint(text, position))
        position = match.end()
        kind = match.lastgroup
        if kind == "newline":
            line += 1
        elif kind == "number" and not math.isfinite(float(match.group())):
            raise InputError(f"{file}:{line}", f"expected a finite number, found {match.group()[:40]}")
        elif kind in ("word", "number", "string", "punctuation"):
            tokens.append(Token(kind, match.group(kind), file, line))  # type: ignore[arg-type]
    return tokens


def _complaint(text: str, position: int) -> str:
    """What is wrong with the text that no token matches at ``position``."""
    rest = text[position : position + 40].split("\n")[0]
    if rest[0] == '"':
        return f"the string {rest} is not closed"
    if rest[0] in "+-.0123456789":
        return f"expected a number, found {rest.split()[0]}"
    return f"unexpected character {rest[0]!r}"
