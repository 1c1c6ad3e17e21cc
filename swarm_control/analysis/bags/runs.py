"""A run out of a bag: from ``swarm_state`` where it was recorded, else from every ``nav_msgs/Odometry``."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.bags.meaning import Unread, cloud, stamp, timely
from swarm_control.analysis.bags.reader import Bag, Message
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

FARTHEST = 1e7
"""Greatest coordinate (m) and speed (m/s) that is believed."""

MOST_ROBOTS = 1_000_000


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
    unread = Unread(path)
    found = _of_states(bag, states, names, unread) if states is not None else _of_odometry(bag, sorted(odometry), unread)
    shares, grid, mission = _shares(bag, unread), _grid(bag, unread), _mission(bag, unread)
    return BagRun(*_whole(*found), settings, shares, grid, mission, (*bag.notices, *unread.lines))


def _of_states(bag: Bag, topic: str, names: list[str], unread: Unread) -> Motion:
    heard = timely([(topic, one) for topic, one in unread.read(bag, [topic], _rows)], unread)
    if not heard:
        raise InputError(str(bag.path), f"no message found that makes sense ({'; '.join(unread.lines)})")
    tables = [rows for _, (_, rows) in heard]
    robots = max(len(names), *(int(rows["id"].max(initial=-1)) + 1 for rows in tables))
    values = np.full((len(tables), robots, 6), np.nan)
    for k, rows in enumerate(tables):
        rows = rows[rows["id"] >= 0]
        values[k, rows["id"]] = np.column_stack([rows[name] for name in MOTION])
    names += [f"robot_{k}" for k in range(len(names), robots)]
    return np.array([time for _, (time, _) in heard]), values, names


def _rows(message: Message, decoded: Any) -> tuple[float, Any]:
    """When a ``swarm_state`` was (s), and its rows; ``ValueError`` when robots' motion is not in it."""
    rows = cloud(decoded)
    if not {"id", *MOTION} <= set(rows.dtype.names or ()):
        raise ValueError(f"fields {', '.join(rows.dtype.names or ())} found, expected id, {', '.join(MOTION)}")
    if int(rows["id"].max(initial=-1)) >= MOST_ROBOTS:
        raise ValueError(f"robot {rows['id'].max()} found, expected at most {MOST_ROBOTS} robots")
    return stamp(decoded), rows


def _of_odometry(bag: Bag, topics: list[str], unread: Unread) -> Motion:
    """All robots at common instants, as far apart as odometry usually is; in between motion is taken as even."""
    found = unread.read(bag, topics, lambda message, decoded: (stamp(decoded) or message.time, *_motion(decoded)))
    heard: dict[str, list[tuple[float, ...]]] = {}
    for topic, one in timely(list(found), unread):
        heard.setdefault(topic, []).append(one)
    if not heard:
        raise InputError(str(bag.path), f"no message found that makes sense ({'; '.join(unread.lines)})")
    tables = {topic: np.array(sorted(rows)) for topic, rows in heard.items()}
    begin, end = min(table[0, 0] for table in tables.values()), max(table[-1, 0] for table in tables.values())
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


def _shares(bag: Bag, unread: Unread) -> dict[str, Array]:
    """Mean magnitude of each behaviour's share, from ``acceleration`` where it was recorded."""
    series, first = Series(), float("nan")
    topics = [topic for topic, kind in bag.kinds.items() if kind == CLOUD and topic.endswith("/acceleration")]
    for _, (time, values) in timely(list(unread.read(bag, topics, _mean_shares)), unread):
        first = time if math.isnan(first) else first
        series.add(time - first, values)
    return series.arrays() if len(series.time) else {}


def _mean_shares(message: Message, decoded: Any) -> tuple[float, dict[str, float]]:
    """When accelerations were told (s), and each behaviour's mean magnitude."""
    rows = cloud(decoded)
    names = [name[:-2] for name in rows.dtype.names or () if name.endswith("_x")]
    sizes = {f"share/{name}": float(np.hypot(rows[f"{name}_x"], rows[f"{name}_y"]).mean()) for name in names if len(rows)}
    return stamp(decoded), sizes


def _mission(bag: Bag, unread: Unread) -> MissionState | None:
    """The newest state of the mission."""
    topics = [topic for topic, kind in bag.kinds.items() if kind == TEXT and topic.endswith("/mission")]
    states = [state for _, state in unread.read(bag, topics, lambda message, decoded: MissionState.from_text(decoded.data))]
    return max(states, key=lambda state: state.number, default=None)


def _grid(bag: Bag, unread: Unread) -> Grid | None:
    """The last map."""
    topics = [topic for topic, kind in bag.kinds.items() if kind == MAP]
    return next((grid for _, grid in reversed(list(unread.read(bag, topics, _grid_of))) if grid is not None), None)


def _grid_of(message: Message, decoded: Any) -> Grid | None:
    cells = np.asarray(decoded.data, np.int8).reshape(decoded.info.height, decoded.info.width)
    origin = decoded.info.origin.position
    return Grid((cells >= 50) | (cells < 0), (origin.x, origin.y), float(decoded.info.resolution)) if cells.size else None
