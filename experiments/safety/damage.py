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

from swarm_control.analysis.simulation import Simulation
from swarm_control.cli.main import main
from swarm_control.dashboard import protocol as page_protocol
from swarm_control.errors import InputError
from swarm_control.hardware import protocol as wheel_protocol
from swarm_control.paths import scenarios
from swarm_control.scenario.loader import load_prepared

LIMIT = 20
"""Longest time (s) that a command may take for a damaged input."""

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, -1e308, float("nan"), float("inf"), 10**30, "", "x", "<script>", "\x00", [], {}, [[]], [None] * 3,
    {"a": {"b": []}},
)  # fmt: skip
"""Values in place of sensible ones."""


@dataclass(frozen=True)
class Unrefused:
    """A damaged input that was not refused properly: of which kind, from which seed, and what happened."""

    kind: str
    seed: int
    text: str


def campaign(kind: str, count: int, seed: int, folder: Path) -> list[Unrefused]:
    """Give ``count`` damaged inputs of a kind of :data:`KINDS` to what reads them; those that were not refused as they must be.

    They are made in ``folder``.
    """
    sample = folder / f"sample_{kind}"
    make, use = KINDS[kind]
    if not sample.exists():
        sample.mkdir(parents=True)
        make(sample)
    found = []
    for k in range(count):
        random, place = np.random.default_rng([seed, k]), folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(sample, place)
        damage(place, random)
        text = _tried(lambda place=place, random=random: use(place, random))  # type: ignore[misc]
        if text:
            found.append(Unrefused(kind, k, text))
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
        return f"not done after {LIMIT} s"
    except SystemExit:
        pass
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return ""


def _command(*words: str) -> None:
    """Run a command; with status 2 it must say why in one line."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        status = main(list(words))
    lines = [line for line in err.getvalue().splitlines() if line.startswith("swarm: ")]
    if status not in (0, 1, 2) or (status == 2 and len(lines) != 1):
        raise AssertionError(f"status {status} with {err.getvalue()[:300]!r}")


def _results(folder: Path) -> None:
    Simulation("migrate_boxes", robots=3, duration=2.0).save(folder)


def _report(folder: Path, random: np.random.Generator) -> None:
    _command("report", str(folder), "--out", str(folder.parent / "report"))


def _scenario(folder: Path) -> None:
    names = ("migrate_boxes", "formation_gap", "cluster", "traffic_crossing", "herd_points")
    for name in names:
        source = scenarios().get(name)
        if source is not None:
            shutil.copy(source, folder / f"{name}.yaml")


def _world(folder: Path) -> None:
    source = Path(str(load_prepared("migrate_boxes")[0].source)).parents[2] / "worlds"
    for path in sorted(source.iterdir()):
        if path.is_file() and path.stat().st_size < 1_000_000:
            shutil.copy(path, folder / path.name)


def _load(folder: Path, random: np.random.Generator) -> None:
    for file in sorted(folder.glob("*.yaml")):
        with contextlib.suppress(InputError):
            load_prepared(str(file), ["duration=0.1"])


def _load_world(folder: Path, random: np.random.Generator) -> None:
    worlds = sorted(folder.glob("*.world"))
    for file in worlds[: 1 + int(random.integers(2))]:
        _command("simulate", "flock_frame", "--world", str(file), "--duration", "0.1", "--robots", "2", "--out", str(folder.parent / "out"))


def _bag(folder: Path) -> None:
    words = ("--robots", "3", "--duration", "2", "--record", str(folder / "run.mcap"), "--out", str(folder.parent / "out"))
    _command("simulate", "flock_frame", *words)


def _report_bag(folder: Path, random: np.random.Generator) -> None:
    _command("report", str(folder / "run.mcap"), "--out", str(folder.parent / "report"))


def _lines(folder: Path) -> None:
    (folder / "wheel.txt").write_bytes(b"\n".join([wheel_protocol.__doc__.encode()[:200], b"$E,1,2,3*00", b"$W,0.5,0.5*11"]))
    (folder / "page.json").write_text(json.dumps({"type": "place", "robot": 1, "x": 0.0, "y": 1.0, "yaw": 0.5}))


def _parse(folder: Path, random: np.random.Generator) -> None:
    with contextlib.suppress(ValueError, OSError):
        page_protocol.parse((folder / "page.json").read_text(errors="replace"))


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path, np.random.Generator], None]]] = {
    "results": (_results, _report), "scenario": (_scenario, _load), "world": (_world, _load_world), "bag": (_bag, _report_bag),
    "page": (_lines, _parse),
}  # fmt: skip
"""How a sound sample is made, and what reads it."""
