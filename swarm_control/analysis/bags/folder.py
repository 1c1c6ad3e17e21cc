"""Folders and files of ``ros2 bag record``, also without the ``metadata.yaml`` that their reader wants to see."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError
from swarm_control.scenario.yaml_text import dump_yaml

METADATA = "metadata.yaml"

SQLITE = (".db3",)
"""Endings of SQLite recordings."""


def is_bag(path: Path) -> bool:
    """Whether a folder is a recording, or holds one."""
    return path.is_dir() and ((path / METADATA).is_file() or bool(_files(path)) or lone_mcap(path) is not None)


def lone_mcap(path: Path) -> Path | None:
    """The one MCAP file in a folder without ``metadata.yaml``; None where it is something else."""
    found = [] if not path.is_dir() or (path / METADATA).is_file() else sorted(path.glob("*.mcap"))
    return found[0] if len(found) == 1 else None


@contextmanager
def described(path: Path) -> Iterator[Path]:
    """A folder with ``metadata.yaml`` for the recording at ``path``: a folder, or a ``.db3`` file; made up where there is none."""
    folder = path if path.is_dir() else path.parent
    if (folder / METADATA).is_file() and (path.is_dir() or len(_files(folder)) == 1):
        yield folder
        return
    files = _files(path) if path.is_dir() else [path]
    if not files or any(file.suffix not in SQLITE for file in files):
        there = ", ".join(file.name for file in files[:3]) or "a recording"
        raise InputError(str(path), f"is no recording that can be read: no {METADATA} found, expected one beside {there}")
    with tempfile.TemporaryDirectory() as made:
        for file in files:
            (Path(made) / file.name).symlink_to(file.absolute())
        (Path(made) / METADATA).write_text(dump_yaml({"rosbag2_bagfile_information": _metadata(files)}), encoding="utf-8")
        yield Path(made)


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in SQLITE and file.is_file())


def _metadata(files: list[Path]) -> dict[str, Any]:
    """What SQLite recordings say of themselves."""
    topics: dict[str, dict[str, Any]] = {}
    begin, end, total = 2**63, 0, 0
    for file in files:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as base:
            rows = base.execute(
                "SELECT name, type, serialization_format, COUNT(m.id) FROM topics t LEFT JOIN messages m ON m.topic_id = t.id GROUP BY t.id"
            ).fetchall()
            first, last, count = base.execute("SELECT MIN(timestamp), MAX(timestamp), COUNT(*) FROM messages").fetchone()
        if count:
            begin, end, total = min(begin, first), max(end, last), total + count
        for name, kind, form, number in rows:
            about = {"name": name, "type": kind, "serialization_format": form, "offered_qos_profiles": ""}
            topic = topics.setdefault(name, {"topic_metadata": about, "message_count": 0})
            topic["message_count"] += number
    return {
        "version": 4, "storage_identifier": "sqlite3", "relative_file_paths": [file.name for file in files],
        "duration": {"nanoseconds": max(end - begin, 0)}, "starting_time": {"nanoseconds_since_epoch": begin if total else 0},
        "message_count": total, "topics_with_message_count": list(topics.values()), "compression_format": "", "compression_mode": "",
    }  # fmt: skip
