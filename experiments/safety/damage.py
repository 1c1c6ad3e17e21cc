"""Damaged inputs: files as people have them, changed at random, given to the commands that read them. One line each, never a traceback."""

import contextlib
import io
import json
import shutil
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from .samples import SAMPLES

LIMIT = 20
"""Longest time (s) that a command may take for a damaged input."""

LATE = f"not done after {LIMIT} s"

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, -1e308, float("nan"), float("inf"), 10**30, "", "x", "<script>", "\x00", [], {}, [[]], [None] * 3,
    {"a": {"b": []}},
)  # fmt: skip
"""Values in place of sensible ones."""


@dataclass(frozen=True)
class Unrefused:
    """A damaged input that was not refused properly: of which kind, from which draw, what happened, and whether it was ``late``."""

    kind: str
    seed: int
    text: str
    late: bool = False


def campaign(kind: str, count: int, seed: int, folder: Path) -> list[Unrefused]:
    """Give ``count`` damaged inputs of a kind of :data:`SAMPLES` to what reads them; those that were not refused as they must be.

    They are made in ``folder``.
    """
    sample = folder / f"sample_{kind}"
    make, use = SAMPLES[kind]
    if not sample.exists():
        sample.mkdir(parents=True)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            make(sample)
    found = []
    for k in range(count):
        random, place = np.random.default_rng([seed, k]), folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(sample, place)
        damage(place, random)
        text = _tried(lambda place=place, random=random: use(place, random))  # type: ignore[misc]
        if text:
            found.append(Unrefused(kind, k, text, text == LATE))
    return found


def damage(folder: Path, random: np.random.Generator) -> None:
    """Change one file of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    file = files[random.integers(len(files))]
    if file.suffix in (".json", ".yaml") and random.random() < 0.6:
        file.write_text(_odd_tree(file.read_text(), random), encoding="utf-8")
    elif random.random() < 0.05:
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes(_odd_bytes(file.read_bytes(), random))


def _odd_bytes(data: bytes, random: np.random.Generator) -> bytes:
    """Bytes with some changed, cut, doubled or taken out."""
    values, at = bytearray(data), int(random.integers(max(len(data), 1)))
    size = int(random.integers(1, 40))
    match int(random.integers(5)):
        case 0:
            return bytes(values[:at])
        case 1:
            return bytes(values[:at] + values[at + size :])
        case 2:
            return bytes(values[:at] + values[at : at + size] + values[at:])
        case 3:
            return bytes(values[:at] + random.bytes(size) + values[at + size :])
    for _ in range(size):
        values[int(random.integers(len(values)))] = int(random.integers(256))
    return bytes(values)


def _odd_tree(text: str, random: np.random.Generator) -> str:
    """A text of JSON or YAML with one value that makes no sense."""
    import yaml

    tree = yaml.safe_load(text)
    spots = list(_spots(tree))
    if not spots:
        return text
    inside, key = spots[random.integers(len(spots))]
    inside[key] = ODD[random.integers(len(ODD))]
    return json.dumps(tree)


def _spots(tree: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield tree, key
        yield from _spots(value)


def _tried(use: Callable[[], None]) -> str:
    """What was wrong with how a damaged input was refused; nothing if it was refused with one line, or made sense."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before, err = signal.signal(signal.SIGALRM, late), io.StringIO()
    signal.alarm(LIMIT)
    try:
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
            use()
    except TimeoutError:
        return LATE
    except SystemExit:
        pass
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return ""
