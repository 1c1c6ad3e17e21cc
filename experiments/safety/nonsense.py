"""Messages that make no sense: bytes that are no message, and messages that are well formed and absurd.

The same seed gives the same messages, but for the padding between fields, which the middleware does not clear.
"""

import fnmatch
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rcl_interfaces.msg import ParameterEvent
from rclpy.serialization import serialize_message
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Bool, String

from swarm_control.ros.graph import policy, topics
from swarm_control.ros.graph.spec import HOSTED
from swarm_control.ros.graph.topics import Topic
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.sent_rows import SENT
from swarm_control.ros.messages.word_rows import WORD
from swarm_control.runtime.mission_state import MissionState
from swarm_control.runtime.task import Task

NUMBERS = (math.nan, math.inf, -math.inf, 1e300, -1e300, 1e18, -1.0, 0.0, 5e-324)
TEXTS = ("", " ", "nowhere", "/", "map\n", "\u2028ü✗", "x" * 100_000, "null", "[" * 5_000, '{"name": 1}', "NaN")
VALUES: tuple[Any, ...] = (None, True, -1, 1 << 70, math.nan, "", "x" * 10_000, [], [[]], [1, 2], {}, {"": None})
"""What may stand in JSON where something else is expected."""

SIZES = (0, 1, 3, 1_000)
LENGTHS = (0, 1, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF)
"""What a length or a count (uint32) may be said to be."""

_ROWS = {
    "swarm_state": convert.SWARM_STATE, "neighbours": convert.NEIGHBOURS, "acceleration": convert.acceleration_kind(("seek",)),
    "targets": convert.TARGETS, "commanded": convert.TARGETS, "commands": convert.TARGETS, "structure": convert.STRUCTURE,
    "goals": convert.GOALS, "word": WORD, "sent_goals": SENT,
}  # fmt: skip
_RECORD = [["/swarm/guard.1.ab", 1, 1]]
_TEXTS = {
    "mission": MissionState().to_text(),
    "task": Task("a", "go", goals=((900.0, 0.0, 0.0),), settings={"shape": "line"}).to_text(),
    "/swarm/stop_state": json.dumps({"node": "/swarm/guard", "answers": True, "held": True, "record": _RECORD}),
    "lease/request": json.dumps(
        {"name": "anybody", "beat": 1, "duration": 0.3, "record": _RECORD, "topics": ["/robot_0/cmd_vel"], "frames": [""]}
    ),
    "lease/grant": json.dumps({"name": "anybody", "beat": 1, "record": _RECORD, "topics": 1, "by": "guard"}),
}
"""Texts that make sense, by topic; one value of each is replaced by another that does not."""


@dataclass(frozen=True)
class BadMessage:
    """A message for ``name``, a topic of this type and quality of service: what is wrong with it, and its bytes."""

    topic: Topic
    name: str
    what: str
    data: bytes


def read_topics() -> tuple[Topic, ...]:
    """The topics that nodes read and know the meaning of: of the table, and the one on which nodes tell of their parameters."""
    rules = [rule for spec in policy.nodes() for rule in policy.rules(spec)["subscribe"] if rule != "/*"]
    known = [topic for topic in topics.TABLE if any(fnmatch.fnmatchcase(absolute(topic, policy.ROBOT), rule) for rule in rules)]
    return (*known, Topic("/parameter_events", ParameterEvent, lossy=False, depth=100))


def absolute(topic: Topic, robot: str) -> str:
    """The topic's full name for hosted nodes, or for one robot."""
    name = topic.of(robot)
    return name if name.startswith("/") else f"{HOSTED}/{name}"


def bad_messages(random: np.random.Generator, robots: Sequence[str], count: int) -> Iterator[BadMessage]:
    """``count`` messages for each topic that nodes read, in turns; of robots' topics, for one of ``robots`` at random."""
    for _ in range(count):
        for topic in read_topics():
            makers = _makers(topic)
            what, make = makers[random.integers(len(makers))]
            yield BadMessage(topic, absolute(topic, str(random.choice(robots))), what, make(random, topic))


Make = Callable[[np.random.Generator, Topic], bytes]


def _makers(topic: Topic) -> list[tuple[str, Make]]:
    found: list[tuple[str, Make]] = [("bytes", broken), ("bytes", broken)]
    if topic.kind is Bool:
        return found  # every Bool makes sense
    found.append(("fields", lambda random, topic: serialize_message(absurd(random, topic.kind))))
    if topic.kind is PointCloud2:
        found += [("rows", absurd_rows), ("rows", absurd_rows), ("columns", absurd_columns)]
    if topic.kind is String:
        found += [("text", absurd_text), ("text", absurd_text)]
    return found


def broken(random: np.random.Generator, topic: Topic) -> bytes:
    """Bytes that are no message of the topic's type: a message cut off, with bits or a length changed, or noise."""
    whole = bytearray(serialize_message(absurd(random, topic.kind)))[:10_000]
    match random.integers(6):
        case 0:
            return bytes(whole[: random.integers(len(whole))])
        case 1:
            for place in random.integers(4, max(len(whole), 5), 8):
                whole[place % len(whole)] ^= 1 << int(random.integers(8))
        case 2:
            place = 4 * int(random.integers(1, max(len(whole) // 4, 2)))
            whole[place : place + 4] = int(random.choice(LENGTHS)).to_bytes(4, "little")
        case 3:
            whole[:4] = bytes(random.integers(0, 256, 4, np.uint8))
        case 4:
            return cdr.ENCAPSULATION + bytes(random.integers(0, 256, int(random.choice([0, 1, 7, 64, 5_000])), np.uint8))
        case _:
            return cdr.ENCAPSULATION + b"\xff" * int(random.choice([4, 16, 400]))
    return bytes(whole)


def absurd(random: np.random.Generator, kind: type, depth: int = 0) -> Any:
    """A message of this type, about half of whose fields are drawn from what nobody would send; lists inside of lists are short."""
    message = kind()
    for field, text in kind.get_fields_and_field_types().items():  # type: ignore[attr-defined]
        if random.random() < 0.4:
            continue
        before = getattr(message, field)
        if text.startswith("sequence<") or text.endswith("]"):
            setattr(message, field, _absurd_list(random, message, field, text, depth))
        elif isinstance(before, bool):
            setattr(message, field, bool(random.integers(2)))
        elif isinstance(before, float):
            setattr(message, field, float(random.choice(NUMBERS)) if "double" in text else float(random.choice([math.nan, -1.0, 1e30])))
        elif isinstance(before, int):
            setattr(message, field, int(random.choice(_ends(text))))
        elif isinstance(before, str):
            setattr(message, field, str(random.choice(np.array(TEXTS, object))))
        elif not isinstance(before, bytes):
            setattr(message, field, absurd(random, type(before), depth))
    return message


def _ends(text: str) -> tuple[int, ...]:
    """The least and the greatest number of an integer type, and some between."""
    bits = 8 if text in ("octet", "byte", "char") else int("".join(filter(str.isdigit, text)))
    return (0, 1, (1 << bits) - 1) if not text.startswith("int") else (-(1 << bits - 1), -1, 0, (1 << bits - 1) - 1)


def _absurd_list(random: np.random.Generator, message: Any, field: str, text: str, depth: int) -> Any:
    inner = text.removeprefix("sequence<").split("[")[0].removesuffix(">").split(",")[0]
    fixed = "[" in text
    n = len(getattr(message, field)) if fixed else int(random.choice(SIZES[: 3 if depth else 4]))
    if inner in ("double", "float"):
        return [float(random.choice([math.nan, -1.0, 1e30])) for _ in range(n)]
    if inner == "string":
        return [str(random.choice(np.array(TEXTS[:6], object))) for _ in range(n)]
    if inner == "boolean":
        return [bool(random.integers(2)) for _ in range(n)]
    if inner in ("octet", "byte"):
        return [bytes([random.integers(256)]) for _ in range(n)]
    if "/" not in inner:
        return [int(value) for value in random.choice(_ends(inner), n)]
    package, short = inner.split("/")
    kind = getattr(__import__(f"{package}.msg", fromlist=[short]), short)
    return [absurd(random, kind, depth + 1) for _ in range(min(n, 5))]


def absurd_rows(random: np.random.Generator, topic: Topic) -> bytes:
    """A cloud with the topic's columns, whose numbers, identities and stamp are absurd."""
    kind = _ROWS[topic.name.rpartition("/")[2]]
    rows = np.zeros(int(random.choice(SIZES)), kind)
    for name in kind.names or ():
        ends = _ends("int32") if kind[name].kind == "i" else NUMBERS
        rows[name] = random.choice(ends, len(rows))
    frame = str(random.choice(["map", "", "nowhere", "x" * 1_000]))
    return cdr.CloudWriter(frame, kind).write(float(random.choice([0.0, -1.0, 2e9, -2e9])), rows)


def absurd_columns(random: np.random.Generator, topic: Topic) -> bytes:
    """A cloud whose columns are not those of the topic: one is missing, has another type, or lies beyond the row."""
    kind = _ROWS[topic.name.rpartition("/")[2]]
    names = [name for name in kind.names or () if random.random() < 0.7]
    other = np.dtype([(name, random.choice(["i1", "<f4", "<f8", "<u4"])) for name in names])
    data = bytearray(cdr.CloudWriter("map", other).write(0.0, np.ones(int(random.choice(SIZES)), other)))
    if random.random() < 0.5:
        place = 4 * int(random.integers(4, 12))
        data[place : place + 4] = int(random.choice(LENGTHS)).to_bytes(4, "little")
    return bytes(data)


def absurd_text(random: np.random.Generator, topic: Topic) -> bytes:
    """The topic's JSON with one value replaced or taken away, or no JSON at all."""
    text = _TEXTS[topic.name]
    if random.random() < 0.3:
        return serialize_message(String(data=str(random.choice(np.array((*TEXTS, text[:-5]), object)))))
    data = json.loads(text)
    holder: Any = data
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = keys[random.integers(len(keys))]
        if not isinstance(holder[key], dict | list) or not holder[key] or random.random() < 0.4:
            break
        holder = holder[key]
    if random.random() < 0.2:
        del holder[key]
    else:
        holder[key] = VALUES[random.integers(len(VALUES))]
    return serialize_message(String(data=json.dumps(data)))
