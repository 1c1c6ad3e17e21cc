"""Reading bags: MCAP files, whole or cut short, and the folders that ``ros2 bag record`` makes."""

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swarm_control.analysis.bags.folder import SQLITE, described, lone_mcap
from swarm_control.analysis.bags.writer import ABOUT
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe


@dataclass(frozen=True)
class Message:
    """A recorded message: its topic, type (``nav_msgs/msg/Odometry``), when it was heard (s), and its CDR bytes."""

    topic: str
    kind: str
    time: float
    data: bytes


class Bag:
    """A recording, read front to back as often as one likes. ``InputError`` when ``path`` is none.

    ``kinds``: type of each topic; ``about``: what :class:`BagWriter` was told; ``notices``: lines for the user, known after reading.
    """

    def __init__(self, path: Path) -> None:
        self.path = lone_mcap(path) or path
        self.about: dict[str, str] = {}
        self.notices: list[str] = []
        self.kinds: dict[str, str] = {}
        refuse_pipe(self.path)
        if not self.path.exists():
            raise InputError(str(path), "not found, expected an MCAP file or a folder made by ros2 bag record")
        for message in self.messages():
            self.kinds[message.topic] = message.kind
        if not self.kinds:
            raise InputError(str(path), "no ROS 2 messages found, expected a recording of some")
        self._store = self._typestore()

    def messages(self, topics: Collection[str] | None = None) -> Iterator[Message]:
        """The messages of these ``topics``, None: of all, in the order in which they were written."""
        self.notices = []
        if self.path.is_dir() or self.path.suffix in SQLITE:
            return self._folder(topics)
        return self._file(topics)

    def decode(self, message: Message) -> Any:
        """The message's fields, as attributes; ``InputError`` when its bytes are not of its type."""
        try:
            return self._store.deserialize_cdr(message.data, message.kind)
        except Exception as error:  # whatever damaged bytes make the decoder raise
            raise InputError(str(self.path), f"{message.topic}: not a {message.kind} ({type(error).__name__})") from None

    def _file(self, topics: Collection[str] | None) -> Iterator[Message]:
        from mcap.records import Channel, Metadata, Schema
        from mcap.records import Message as Record

        schemas: dict[int, Any] = {}
        channels: dict[int, Any] = {}
        for record in self._records():
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
                if record.message_encoding != "cdr":
                    self._notice(f"{record.topic}: {record.message_encoding or 'unknown'} found, expected cdr; left out")
            elif isinstance(record, Metadata) and record.name == ABOUT:
                self.about = dict(record.metadata)
            elif isinstance(record, Record):
                channel = channels.get(record.channel_id)
                if channel is None or channel.schema_id not in schemas:
                    self._notice("a message of no known topic or type found; left out")
                elif channel.message_encoding == "cdr" and (topics is None or channel.topic in topics):
                    yield Message(channel.topic, schemas[channel.schema_id].name, record.log_time / 1e9, record.data)
        self._definitions = {schema.name: schema for schema in schemas.values()}

    def _records(self) -> Iterator[Any]:
        """Records of an MCAP file as far as it is whole."""
        from mcap.exceptions import EndOfFile, InvalidMagic, McapError
        from mcap.stream_reader import StreamReader
        from zstandard import ZstdError

        whole = False
        try:
            with self.path.open("rb") as file:
                for record in StreamReader(file).records:
                    whole = whole or type(record).__name__ == "DataEnd"
                    yield record
        except InvalidMagic:
            raise InputError(str(self.path), "is no MCAP file, expected one, or a folder made by ros2 bag record") from None
        except OSError as error:
            raise InputError(str(self.path), f"cannot be read ({error.strerror or error})") from None
        except EndOfFile:
            pass
        except (McapError, ZstdError, struct.error, ArithmeticError, EOFError, LookupError, RuntimeError, ValueError) as error:
            self._notice(f"damaged ({type(error).__name__}); what comes before it is used")
            return
        if not whole:
            self._notice("cut short; what is there is used")

    def _folder(self, topics: Collection[str] | None) -> Iterator[Message]:
        from rosbags.rosbag2 import Reader

        self._definitions = {}
        try:
            with described(self.path) as folder, Reader(folder) as reader:
                chosen = [c for c in reader.connections if topics is None or c.topic in topics]
                if not chosen:  # the reader takes no topics for all
                    return
                for connection, nanoseconds, data in reader.messages(chosen):
                    yield Message(connection.topic, connection.msgtype, nanoseconds / 1e9, bytes(data))
        except InputError:
            raise
        except Exception as error:  # whatever a damaged folder makes its reader raise
            text = " ".join(str(error).split())[:120]
            raise InputError(str(self.path), f"is no recording that can be read ({type(error).__name__}: {text})") from None

    def _typestore(self) -> Any:
        """The types that the bag brings along, over the ones that everybody knows."""
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore

        store = get_typestore(Stores.LATEST)
        for name, schema in self._definitions.items():
            if name not in store.types and schema.encoding == "ros2msg":
                try:
                    found = get_types_from_msg(schema.data.decode(), name)
                    store.register({k: v for k, v in found.items() if k not in store.types})
                except Exception:  # whatever a damaged definition makes the parser raise
                    self._notice(f"{name}: its definition cannot be read")
        return store

    def _notice(self, text: str) -> None:
        line = f"{self.path}: {text}"
        if line not in self.notices:
            self.notices.append(line)
