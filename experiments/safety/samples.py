"""Sound samples of what people give to commands, and what reads them: the stuff of :mod:`.damage`."""

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from swarm_control.analysis.bags.reader import Bag
from swarm_control.analysis.simulation import Simulation
from swarm_control.analysis.tuning.journal import Journal
from swarm_control.cli.main import main
from swarm_control.dashboard import protocol as page_protocol
from swarm_control.errors import InputError
from swarm_control.hardware.protocol import Encoders, Message, WheelSpeeds, decode, encode
from swarm_control.paths import scenarios, share
from swarm_control.scenario.loader import load_prepared

Make = Callable[[Path], None]
"""Fills a folder with a sound sample."""

Use = Callable[[Path, np.random.Generator], None]
"""Gives a folder, damaged by now, to what reads it."""

SCENARIOS = ("migrate_boxes", "formation_gap", "formation_obstacles", "cluster", "traffic_crossing", "herd_points")


def command(*words: str) -> None:
    """Run a command; ``AssertionError`` unless it works, or ends with status 2 and one line why."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        status = main(list(words))
    lines = [line for line in err.getvalue().splitlines() if line.startswith("swarm: ")]
    if status not in (0, 1, 2) or (status == 2 and len(lines) != 1):
        raise AssertionError(f"status {status} with {err.getvalue()[:300]!r}")


def _results(folder: Path) -> None:
    Simulation("migrate_boxes", robots=3, duration=2.0).save(folder)


def _report(folder: Path, random: np.random.Generator) -> None:
    command("report", str(folder), "--out", str(folder.parent / "report"))


def _scenario(folder: Path) -> None:
    for name in SCENARIOS:
        source = scenarios().get(name)
        if source is not None:
            shutil.copy(source, folder / f"{name}.yaml")


def _load(folder: Path, random: np.random.Generator) -> None:
    for file in sorted(folder.glob("*.yaml")):
        with contextlib.suppress(InputError):
            load_prepared(str(file), ["duration=0.1"])


def _world(folder: Path) -> None:
    shutil.copytree(share() / "worlds", folder, dirs_exist_ok=True)


def _image(folder: Path) -> None:
    _world(folder)
    for path in [*folder.glob("*.py"), *folder.glob("*.inc")]:
        path.unlink()
    for path in folder.glob("*.world"):
        if path.stem not in ("boxes", "walls", "maze_simple"):
            path.unlink()
            (folder / "maps" / f"{path.stem}.png").unlink(missing_ok=True)


def _load_world(folder: Path, random: np.random.Generator) -> None:
    worlds = sorted(folder.glob("*.world"))
    file = worlds[random.integers(len(worlds))]
    command("simulate", "flock_frame", "--world", str(file), "--duration", "0.1", "--robots", "2", "--out", str(folder.parent / "out"))


def _load_worlds(folder: Path, random: np.random.Generator) -> None:
    """One of the worlds is likely to use the image that is damaged."""
    for file in sorted(folder.glob("*.world")):
        command("simulate", "flock_frame", "--world", str(file), "--duration", "0.1", "--robots", "2", "--out", str(folder.parent / "out"))


def _bag(folder: Path) -> None:
    words = ("--robots", "3", "--duration", "2", "--record", str(folder / "run.mcap"), "--out", str(folder.parent / "out"))
    command("simulate", "flock_frame", *words)


def _report_bag(folder: Path, random: np.random.Generator) -> None:
    command("report", str(folder / "run.mcap"), "--out", str(folder.parent / "report"))


def _bag_folder(folder: Path) -> None:
    """As ``ros2 bag record`` makes it by default on older distributions: SQLite."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    _bag(folder)
    bag, store = Bag(folder / "run.mcap"), get_typestore(Stores.ROS2_HUMBLE)
    with Writer(folder / "bag", version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        known = {topic: kind for topic, kind in bag.kinds.items() if kind in store.fielddefs}
        topics = {topic: writer.add_connection(topic, kind, typestore=store) for topic, kind in known.items()}
        for message in bag.messages(set(topics)):
            writer.write(topics[message.topic], int(message.time * 1e9), message.data)
    (folder / "run.mcap").unlink()


def _report_bag_folder(folder: Path, random: np.random.Generator) -> None:
    command("report", str(folder / "bag"), "--out", str(folder.parent / "report"))


def _page(folder: Path) -> None:
    (folder / "page.json").write_text(json.dumps({"type": "place", "robot": 1, "x": 0.0, "y": 1.0, "yaw": 0.5}))


def _parse(folder: Path, random: np.random.Generator) -> None:
    with contextlib.suppress(ValueError, OSError):
        page_protocol.parse((folder / "page.json").read_text(errors="replace"))


def _wheel_lines(folder: Path) -> None:
    lines: list[Message] = [WheelSpeeds(7, -300, 4000, 300), Encoders(9, 77, 123_456, -5, 2**31 - 1, 4, -1)]
    (folder / "wheels.txt").write_bytes(b"".join(encode(line) for line in lines))


def _decode(folder: Path, random: np.random.Generator) -> None:
    with contextlib.suppress(OSError):
        for line in (folder / "wheels.txt").read_bytes().split(b"\n"):
            decode(line)


def _tuning(folder: Path) -> None:
    journal = Journal(folder / "runs.jsonl", {"parameters": ["separation.weight"]})
    for k in range(5):
        journal.add({"separation.weight": 0.1 * k}, k, {"arrival_time": 10.0 + k, "collisions": 0})
    journal.close()


def _go_on(folder: Path, random: np.random.Generator) -> None:
    with contextlib.suppress(InputError):
        journal = Journal(folder / "runs.jsonl", {"parameters": ["separation.weight"]})
        journal.get({"separation.weight": 0.0}, 0)
        journal.close()


SAMPLES: dict[str, tuple[Make, Use]] = {
    "results": (_results, _report), "scenario": (_scenario, _load), "world": (_world, _load_world), "image": (_image, _load_worlds),
    "bag": (_bag, _report_bag), "bag folder": (_bag_folder, _report_bag_folder), "page": (_page, _parse),
    "wheel lines": (_wheel_lines, _decode), "tuning": (_tuning, _go_on),
}  # fmt: skip
"""By kind of input, a sound sample and what reads it."""
