"""Writing a bag: standard ROS 2 messages in one MCAP file (profile ``ros2``: CDR messages, ``ros2msg`` definitions)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError

ABOUT = "swarm_control"
"""Name of the metadata record that says what was recorded."""

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


class BagWriter:
    """Writes messages to the new file ``path``; ``about``: texts by name that :class:`~swarm_control.analysis.bags.reader.Bag` gives back.

    ``InputError`` when the file exists already or cannot be made. A file that was not closed can be read up to its last whole chunk.
    """

    def __init__(self, path: Path, about: Mapping[str, str]) -> None:
        from mcap.writer import Writer
        from rosbags.typesys import Stores, get_typestore

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb")
        except FileExistsError:
            raise InputError(str(path), "is there already, expected the name of a new file") from None
        except OSError as error:
            raise InputError(str(path), f"cannot be made ({error.strerror}), expected a file for the recording") from None
        self._writer: Any = Writer(self._file)
        self._writer.start(profile="ros2", library="swarm_control")
        self._writer.add_metadata(ABOUT, dict(about))
        self._store = get_typestore(Stores.LATEST)
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self.messages = 0

    def write(self, topic: str, kind: str, time: float, data: bytes, latched: bool = False) -> None:
        """Add a message of type ``kind`` (``nav_msgs/msg/Odometry``), heard at ``time`` (s), as its CDR bytes."""
        if topic not in self._channels:
            self._channels[topic] = self._channel(topic, kind, latched)
        nanoseconds = round(time * 1e9)
        self._writer.add_message(self._channels[topic], nanoseconds, data, nanoseconds, sequence=self.messages & 0xFFFFFFFF)
        self.messages += 1

    def close(self) -> None:
        """Write the index and close the file."""
        self._writer.finish()
        self._file.close()

    def _channel(self, topic: str, kind: str, latched: bool) -> int:
        if kind not in self._schemas:
            definition, _ = self._store.generate_msgdef(kind, ros_version=2)
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", definition.encode())
        qos = QOS.format(durability="transient_local" if latched else "volatile")
        return self._writer.register_channel(topic, "cdr", self._schemas[kind], {"offered_qos_profiles": qos})
