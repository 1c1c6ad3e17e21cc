"""What recorded messages mean, and which of them mean nothing."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from swarm_control.analysis.bags.reader import Bag, Message

LONGEST = 1e7
"""Longest recording (s)."""

Found = TypeVar("Found")

TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
"""numpy's names of PointField's types."""


class Unread:
    """Messages of the bag at ``path`` that make no sense: nodes drop them, and so does who reads what was recorded."""

    def __init__(self, path: Path) -> None:
        self._path, self._reasons, self._counts = path, dict[str, str](), Counter[str]()

    def add(self, topic: str, reason: object) -> None:
        """Count one."""
        self._reasons.setdefault(topic, " ".join(str(reason).split())[:100])
        self._counts[topic] += 1

    def read(self, bag: Bag, topics: list[str], how: Callable[[Message, Any], Found]) -> Iterator[tuple[str, Found]]:
        """Topic and meaning, as ``how`` tells it of a message and its decoded form, of all messages of ``topics`` that have one."""
        for message in bag.messages(topics):
            try:
                yield message.topic, how(message, bag.decode(message))
            except Exception as error:  # whatever messages that make no sense lead to
                self.add(message.topic, str(error).removeprefix(f"{bag.path}: {message.topic}: "))

    @property
    def lines(self) -> list[str]:
        """What was left out, for the user."""
        counts = {topic: f"{count} message{'s' * (count > 1)}" for topic, count in self._counts.items()}
        return [f"{self._path}: {topic}: {counts[topic]} left out: {reason}" for topic, reason in self._reasons.items()]


def cloud(message: Any) -> Any:
    """The points of a decoded ``PointCloud2`` as a structured array."""
    order = ">" if message.is_bigendian else "<"
    formats = [f"({f.count},){order}{TYPES[f.datatype]}" if f.count > 1 else order + TYPES[f.datatype] for f in message.fields]
    layout = {"names": [f.name for f in message.fields], "formats": formats, "offsets": [f.offset for f in message.fields]}
    kind = np.dtype({**layout, "itemsize": message.point_step})  # type: ignore[call-overload]
    if any(offset + of.itemsize > kind.itemsize for of, offset, *_ in (kind.fields or {}).values()):  # numpy reads there, near 2³¹
        raise ValueError(f"fields beyond the {kind.itemsize} bytes of a row")
    return np.frombuffer(bytes(message.data), kind, message.width * message.height)


def stamp(message: Any) -> float:
    """Time (s) in a decoded message's header."""
    return float(message.header.stamp.sec + message.header.stamp.nanosec / 1e9)


def timely(heard: list[tuple[str, Any]], unread: Unread) -> list[tuple[str, Any]]:
    """Those of ``heard`` (topic, (time, …)) that are within :data:`LONGEST` of most."""
    middle = float(np.median([one[0] for _, one in heard])) if heard else 0.0
    for topic, (time, *_) in heard:
        if abs(time - middle) > LONGEST:
            unread.add(topic, f"a stamp of {time:g} s found, expected one within {LONGEST:g} s of {middle:g} s, as most are")
    return [(topic, one) for topic, one in heard if abs(one[0] - middle) <= LONGEST]
