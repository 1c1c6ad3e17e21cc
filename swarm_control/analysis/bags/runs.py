"""A run out of a bag: from ``swarm_state`` where it was recorded, else from every ``nav_msgs/Odometry``."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.bags.reader import Bag
from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.series import Series
from swarm_control.core.geometry import Array, rotate
from swarm_control.core.grid import Grid
from swarm_control.errors import InputError
from swarm_control.runtime.mission_state import MissionState
from swarm_control.scenario.yaml_text import parse_yaml

CLOUD, ODOMETRY, MAP = "sensor_msgs/msg/PointCloud2", "nav_msgs/msg/Odometry", "nav_msgs/msg/OccupancyGrid"
TEXT = "std_msgs/msg/String"
MOTION = ("x", "y", "yaw", "vx", "vy", "wz")
Motion = tuple[Array, Array, list[str]]
"""Instants (T,) s, motion (T, N, 6) as in :data:`MOTION`, NaN where unknown, and the robots' names."""

LONGEST = 1e7
"""Longest recording (s)."""

FARTHEST = 1e7
"""Greatest coordinate (m) and speed (m/s) that is believed."""

MOST_ROBOTS = 1_000_000

TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
"""numpy's names of PointField's types."""


@dataclass(frozen=True)
class BagRun:
    """What a bag tells of a run. ``begin`` (s): the trajectory's time 0, as the bag counts; ``settings``: the resolved scenario.

    ``mission``: its last state, None where it was not recorded.
    """

    trajectory: Trajectory
    begin: float
    settings: dict[str, Any]
    series: dict[str, Array]
    grid: Grid | None
    mission: MissionState | None
    notices: tuple[str, ...]


def read_bag(path: Path) -> BagRun:
    """Read the bag at ``path``; ``InputError`` when no robot's motion is in it, or when it is damaged."""
    try:
        return _run_of(Bag(path), path)
    except InputError:
        raise
    except Exception as error:  # whatever messages that make no sense lead to
        raise InputError(str(path), f"is damaged ({type(error).__name__}: {' '.join(str(error).split())[:100]})") from None


def _run_of(bag: Bag, path: Path) -> BagRun:
    settings = parse_yaml(bag.about.get("scenario", "{}"), str(path))
    states = next((topic for topic, kind in bag.kinds.items() if kind == CLOUD and topic.endswith("swarm_state")), None)
    odometry = [topic for topic, kind in bag.kinds.items() if kind == ODOMETRY]
    if states is None and not odometry:
        there = ", ".join(sorted(bag.kinds)[:6])
        raise InputError(str(path), f"no robot's motion found among {there}; expected swarm_state or nav_msgs/Odometry")
    names = bag.about.get("robots", "").split()
    found = _of_states(bag, states, names) if states is not None else _of_odometry(bag, sorted(odometry))
    shares, grid = _shares(bag), _grid(bag)
    mission, unread = _mission(bag)
    return BagRun(*_whole(*found), settings, shares, grid, mission, (*bag.notices, *unread))


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


def _of_states(bag: Bag, topic: str, names: list[str]) -> Motion:
    time, tables = [], []
    for message in bag.messages([topic]):
        decoded = bag.decode(message)
        rows = cloud(decoded)
        if not {"id", *MOTION} <= set(rows.dtype.names or ()):
            raise InputError(str(bag.path), f"{topic}: fields {', '.join(rows.dtype.names or ())} found, expected id, {', '.join(MOTION)}")
        time.append(stamp(decoded))
        tables.append(rows)
    robots = max(len(names), *(int(rows["id"].max(initial=-1)) + 1 for rows in tables))
    if robots > MOST_ROBOTS:
        raise InputError(str(bag.path), f"{topic}: robot {robots - 1} found, expected at most {MOST_ROBOTS} robots")
    values = np.full((len(time), robots, 6), np.nan)
    for k, rows in enumerate(tables):
        rows = rows[rows["id"] >= 0]
        values[k, rows["id"]] = np.column_stack([rows[name] for name in MOTION])
    names += [f"robot_{k}" for k in range(len(names), robots)]
    return np.array(time), values, names


def _of_odometry(bag: Bag, topics: list[str]) -> Motion:
    """All robots at common instants, as far apart as odometry usually is; in between motion is taken as even."""
    heard: dict[str, list[tuple[float, ...]]] = {}
    for message in bag.messages(topics):
        decoded = bag.decode(message)
        heard.setdefault(message.topic, []).append((stamp(decoded) or message.time, *_motion(decoded)))
    tables = {topic: np.array(sorted(rows)) for topic, rows in heard.items()}
    begin, end = min(table[0, 0] for table in tables.values()), max(table[-1, 0] for table in tables.values())
    if not 0.0 <= end - begin <= LONGEST:
        raise InputError(str(bag.path), f"odometry from {begin:g} s to {end:g} s found, expected stamps within {LONGEST:g} s")
    steps = np.concatenate([np.diff(table[:, 0]) for table in tables.values()])
    period = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 1.0
    time = begin + period * np.arange(math.floor((end - begin) / period + 1e-6) + 1)
    values = np.stack([_at(time, table) for table in tables.values()], axis=1)
    return time, values, [topic.strip("/").removesuffix("/odom").replace("/", ".") or topic for topic in tables]


def _motion(message: Any) -> tuple[float, ...]:
    """x, y, yaw, vx, vy, ω in the frame of the odometry's pose."""
    q, twist = message.pose.pose.orientation, message.twist.twist
    yaw = math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))
    vx, vy = rotate(np.array([twist.linear.x, twist.linear.y]), np.array(yaw))
    return message.pose.pose.position.x, message.pose.pose.position.y, yaw, float(vx), float(vy), twist.angular.z


def _at(time: Array, table: Array) -> Array:
    """Motion (T, 6) at ``time``, between the rows (time, motion) of ``table``."""
    columns = [np.unwrap(column) if k == 2 else column for k, column in enumerate(table[:, 1:].T)]
    return np.column_stack([np.interp(time, table[:, 0], column) for column in columns])


def _whole(time: Array, values: Array, names: list[str]) -> tuple[Trajectory, float]:
    """The trajectory with time from 0, and when that was; robots not heard of stay where they were last, or will be first, heard of.

    Those that were never heard of are left out.
    """
    order = np.argsort(time, kind="stable")
    time, values = time[order], values[order]
    known = np.all(np.isfinite(values) & (np.abs(values) <= FARTHEST), axis=2)
    heard = np.flatnonzero(known.any(axis=0))
    if len(heard) == 0:
        raise InputError("the bag", "no message with a robot's motion found")
    known, values, names = known[:, heard], values[:, heard], [names[k] for k in heard]
    index = np.where(known, np.arange(len(time))[:, None], 0)
    last = np.maximum.accumulate(index, axis=0)
    last = np.where(np.maximum.accumulate(known, axis=0), last, np.argmax(known, axis=0)[None])
    values = np.take_along_axis(values, last[:, :, None], axis=0)
    return Trajectory(time - time[0], values[:, :, :3], values[:, :, 3:], tuple(names)), float(time[0])


def _shares(bag: Bag) -> dict[str, Array]:
    """Mean magnitude of each behaviour's share, from ``acceleration`` where it was recorded."""
    series, first = Series(), None
    topics = [topic for topic, kind in bag.kinds.items() if kind == CLOUD and topic.endswith("/acceleration")]
    for message in bag.messages(topics):
        decoded = bag.decode(message)
        rows = cloud(decoded)
        first = stamp(decoded) if first is None else first
        names = [name[:-2] for name in rows.dtype.names or () if name.endswith("_x")]
        values = {f"share/{name}": float(np.hypot(rows[f"{name}_x"], rows[f"{name}_y"]).mean()) for name in names if len(rows)}
        series.add(stamp(decoded) - first, values)
    return series.arrays() if len(series.time) else {}


def _mission(bag: Bag) -> tuple[MissionState | None, tuple[str, ...]]:
    """The newest state of the mission, and what was wrong with states that cannot be read."""
    found, unread = None, dict[str, None]()
    for message in bag.messages([topic for topic, kind in bag.kinds.items() if kind == TEXT and topic.endswith("/mission")]):
        try:
            state = MissionState.from_text(bag.decode(message).data)
        except ValueError as error:
            unread[f"{bag.path}: {message.topic}: {error}"] = None
        else:
            found = state if found is None or state.number > found.number else found
    return found, tuple(unread)


def _grid(bag: Bag) -> Grid | None:
    found = None
    for message in bag.messages([topic for topic, kind in bag.kinds.items() if kind == MAP]):
        map_ = bag.decode(message)
        cells = np.asarray(map_.data, np.int8).reshape(map_.info.height, map_.info.width)
        origin = map_.info.origin.position
        found = Grid((cells >= 50) | (cells < 0), (origin.x, origin.y), float(map_.info.resolution)) if cells.size else found
    return found
