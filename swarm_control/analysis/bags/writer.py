"""Writing a bag: standard ROS 2 messages in one MCAP file (profile ``ros2``: CDR messages, ``ros2msg`` definitions)."""

import contextlib
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError

ABOUT = "swarm_control"
"""Name of the metadata record that says what was recorded."""

CHUNK = 0.5
"""Time (s) after which what was written is made a chunk of the file, however little it is."""

QOS = """- history: keep_last
  depth: 1
  reliability: reliable
  durability: {durability}
  deadline: {{sec: 9223372036, nsec: 854775807}}
  lifespan: {{sec: 9223372036, nsec: 854775807}}
  liveliness: automatic
  liveliness_lease_duration: {{sec: 9223372036, nsec: 854775807}}
  avoid_ros_namespace_conventions: false
"""
"""Quality of service as rosbag2 writes it, so that ``ros2 bag play`` offers latched topics latched."""


class OnDisk:
    """What is appended waits in a nameless file in ``folder`` until it is gone through."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 — it is open as long as this is there
        self._count = 0

    def append(self, item: object) -> None:
        """Put one more at the end."""
        pickle.dump(item, self._file)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        return (pickle.load(self._file) for _ in range(self._count))


class BagWriter:
    """Writes messages to the new file ``path``; ``about``: texts by name that :class:`~swarm_control.analysis.bags.reader.Bag` gives back.

    ``InputError`` when the file exists already or cannot be made. What was written more than :data:`CHUNK` before is in the file, and can
    be read, even if it is never closed. When the disk is full the recording ends: ``say`` gets one line, further messages are dropped.
    """

    def __init__(self, path: Path, about: Mapping[str, str], say: Callable[[str], object]) -> None:
        from mcap.writer import Writer
        from rosbags.typesys import Stores, get_typestore

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb")
            self._writer: Any = Writer(self._file)
            # a private place, but in memory the index of chunks grows by 1.4 GB a day with 50 robots
            vars(self._writer)["_Writer__chunk_indices"] = OnDisk(path.parent)
            self._writer.start(profile="ros2", library="swarm_control")
            self._writer.add_metadata(ABOUT, dict(about))
            self._writer.flush()  # type: ignore[no-untyped-call]
        except FileExistsError:
            raise InputError(str(path), "is there already, expected the name of a new file") from None
        except OSError as error:
            raise InputError(str(path), f"cannot be made ({error.strerror}), expected a file for the recording") from None
        self._path, self._say = path, say
        self._ended, self._flushed = False, time.monotonic()
        self._store = get_typestore(Stores.LATEST)
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self.messages = 0

    def write(self, topic: str, kind: str, when: float, data: bytes, latched: bool = False) -> None:
        """Add a message of type ``kind`` (``nav_msgs/msg/Odometry``), heard at ``when`` (s), as its CDR bytes."""
        if self._ended:
            return
        try:
            if topic not in self._channels:
                self._channels[topic] = self._channel(topic, kind, latched)
            stamp = round(when * 1e9)
            self._writer.add_message(self._channels[topic], stamp, data, stamp, sequence=self.messages & 0xFFFFFFFF)
            self.messages += 1
            if time.monotonic() - self._flushed >= CHUNK:
                self._writer.flush()
                self._flushed = time.monotonic()
        except OSError as error:
            self._end(error)

    def close(self) -> None:
        """Write the index and close the file."""
        if self._ended:
            return
        try:
            self._writer.finish()
            self._file.close()
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> None:
        """Record no more; what is in the file can be read."""
        self._ended = True
        with contextlib.suppress(OSError):  # what was not written cannot be written now, either
            self._file.close()
        self._say(f"{self._path}: cannot be written ({error.strerror or error}); the recording ends here")

    def _channel(self, topic: str, kind: str, latched: bool) -> int:
        if kind not in self._schemas:
            definition, _ = self._store.generate_msgdef(kind, ros_version=2)
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", definition.encode())
        qos = QOS.format(durability="transient_local" if latched else "volatile")
        return self._writer.register_channel(topic, "cdr", self._schemas[kind], {"offered_qos_profiles": qos})
