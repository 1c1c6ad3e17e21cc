"""Between messages' rows and the arrays of ``core``: nothing but renaming, frames and index bookkeeping."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.core.state import Accumulated, Neighbourhoods, SwarmState
from swarm_control.ros.messages.rotations import yaw_of

Rows = NDArray[Any]
"""Points of a cloud: a structured array."""

FARTHEST = 1e7
"""Numbers (m, m/s, …) that are larger make no sense, as those do that are not finite."""

POSE = ("x", "y", "yaw", "vx", "vy", "wz")


def _kind(integers: tuple[str, ...], numbers: tuple[str, ...], more: tuple[str, ...] = ()) -> np.dtype[Any]:
    names = [*integers, *numbers, *more]
    return np.dtype({"names": names, "formats": ["<i4"] * len(integers) + ["<f8"] * len(numbers) + ["<i4"] * len(more)}, align=True)


SWARM_STATE = _kind(("id",), (*POSE, "stamp"), ("collisions", "fallen"))
DEVIATION = ("deviation", "deviation_yaw")
UNCERTAIN_STATE = _kind(("id",), (*POSE, "stamp", *DEVIATION), ("collisions", "fallen"))
"""Rows of ``swarm_state`` where what odometry says of its own error is used."""

TWIST = ("forward", "left", "turn")
TARGETS = _kind(("id", "part"), ("x", "y", *TWIST))
STRUCTURE = _kind(("flock", "part", "visits", "missed", "goals", "rest", "robots"), ("x", "y", "yaw", "error"), ("sent",))
NEIGHBOURS = _kind(("observer", "id"), POSE, ("fallen",))
GOALS = _kind(("id",), ("x", "y"), ("goal", "lag"))
UNCOUNTED = -1
"""``collisions`` in rows of ``swarm_state`` of who does not know them."""

FLOCK = -1
"""The ``id`` of the row of ``goals`` that carries the first flock's target; the next one's is below."""


def acceleration_kind(names: tuple[str, ...]) -> np.dtype[Any]:
    """Type of the rows of ``acceleration``: the total and each active behaviour's share."""
    return _kind(("id",), ("ax", "ay", *(f"{name}_{axis}" for name in names for axis in "xy")))


def _table(rows: Rows, names: tuple[str, ...]) -> Array:
    """Columns of ``rows`` as an array (n, len(names))."""
    return sensible(np.column_stack([rows[name] for name in names]).astype(float)) if len(rows) else np.empty((0, len(names)))


def sensible(values: Array) -> Array:
    """The ``values``, with NaN in place of those that are too large to make sense."""
    return np.where(np.abs(values) <= FARTHEST, values, np.nan)


def _filled(kind: np.dtype[Any], columns: dict[str, Any], n: int) -> Rows:
    rows = np.zeros(n, kind)
    for name, values in columns.items():
        rows[name] = values
    return rows


def _down(fallen: BoolArray | None, robots: int) -> BoolArray:
    return np.zeros(robots, bool) if fallen is None else fallen


def _motion(pose: Array, velocity: Array) -> dict[str, Array]:
    return dict(zip(POSE, (*pose.T, *velocity.T)))


def state_rows(
    state: SwarmState, collisions: IntArray | None, measured: Array | None = None, deviation: Array | None = None
) -> Rows:  # fmt: skip
    """Rows of ``swarm_state``: one per robot, ``measured`` (N,) s at its stamp, None: now; one without valid odometry has NaN.

    ``collisions`` (N,): contact episodes so far; None: nobody knows. ``deviation`` (N, 2): standard deviations of position (m) and heading
    (rad) that odometry tells of itself; None: not used.
    """
    counted = UNCOUNTED if collisions is None else collisions
    columns = {"id": np.arange(len(state)), "collisions": counted, "fallen": _down(state.fallen, len(state))}
    motion = _motion(state.pose, state.velocity)
    said = {} if deviation is None else dict(zip(DEVIATION, deviation.T))
    kind = SWARM_STATE if deviation is None else UNCERTAIN_STATE
    rows = _filled(kind, {**columns, **motion, "stamp": state.time if measured is None else measured, **said}, len(state))
    for name in POSE:
        rows[name][~state.valid] = np.nan
    return rows


def collisions_of(rows: Rows) -> int | None:
    """Contact episodes so far of all robots in rows of ``swarm_state``; None where nobody knows."""
    return None if (rows["collisions"] < 0).any() else int(rows["collisions"].sum())


def state_of(time: float, rows: Rows, robots: int) -> SwarmState:
    """State of ``robots`` from rows of ``swarm_state``; those without a row are invalid, unknown ids are ignored."""
    rows = rows[(rows["id"] >= 0) & (rows["id"] < robots)]
    values, fallen = np.full((robots, 6), np.nan), np.zeros(robots, bool)
    values[rows["id"]], fallen[rows["id"]] = _table(rows, POSE), rows["fallen"] != 0
    return SwarmState.of(time, values[:, :3], values[:, 3:], fallen=fallen)


def neighbour_rows(state: SwarmState, seen: Neighbourhoods, served: IntArray) -> Rows:
    """Rows of ``neighbours``, sorted by observer: each valid robot of ``served`` perceives itself, then its neighbours."""
    observers = served[state.valid[served]]
    count = seen.count[observers] + 1
    first = np.cumsum(count) - count
    total = int(count.sum())
    observer = np.repeat(observers, count)
    others = np.ones(total, bool)
    others[first] = False
    pair = (np.arange(total) - np.repeat(first, count) - 1 + np.repeat(seen.start[observers], count))[others]
    who = observer.copy()
    who[others] = seen.index[pair]
    pose, velocity = state.pose[who], state.velocity[who]
    pose[others, :2] = state.pose[observer[others], :2] + seen.offset[pair]
    velocity[others, :2] = state.velocity[observer[others], :2] + seen.velocity[pair]
    fallen = _down(state.fallen, len(state))[who]
    return _filled(NEIGHBOURS, {"observer": observer, "id": who, **_motion(pose, velocity), "fallen": fallen}, total)


def neighbourhoods_of(time: float, rows: Rows, robots: int) -> tuple[SwarmState, Neighbourhoods]:
    """From rows of ``neighbours``: the observers' own state (others invalid) and whom they perceive."""
    known = (rows["observer"] >= 0) & (rows["observer"] < robots) & (rows["id"] >= 0) & (rows["id"] < robots)
    rows = rows[known]
    observer, who = rows["observer"].astype(np.int64), rows["id"].astype(np.int64)
    values = _table(rows, POSE)
    own = observer == who
    table, fallen = np.full((robots, 6), np.nan), np.zeros(robots, bool)
    table[who[own]], fallen[who[own]] = values[own], rows["fallen"][own] != 0
    state = SwarmState.of(time, table[:, :3], table[:, 3:], fallen=fallen)
    pairs = ~own & state.valid[observer] & np.isfinite(values).all(axis=1)
    pairs = np.flatnonzero(pairs)[np.argsort(observer[pairs], kind="stable")]
    observer, values = observer[pairs], values[pairs]
    offset = values[:, :2] - state.pose[observer, :2]
    velocity = values[:, 3:5] - state.velocity[observer, :2]
    start = np.zeros(robots + 1, np.int64)
    np.cumsum(np.bincount(observer, minlength=robots), out=start[1:])
    return state, Neighbourhoods(start, who[pairs], offset, velocity, np.hypot(offset[:, 0], offset[:, 1]))


def acceleration_rows(accumulated: Accumulated, robots: IntArray) -> Rows:
    """Rows of ``acceleration`` for these ``robots``."""
    columns: dict[str, Any] = {"id": robots}
    columns["ax"], columns["ay"] = accumulated.total[robots].T
    for name, share in zip(accumulated.names, accumulated.share):
        columns[f"{name}_x"], columns[f"{name}_y"] = share[robots].T
    return _filled(acceleration_kind(accumulated.names), columns, len(robots))


def acceleration_of(rows: Rows, robots: int) -> tuple[IntArray, Array]:
    """Which robots have a row, and their accelerations (n, 2) m/s²."""
    rows = rows[(rows["id"] >= 0) & (rows["id"] < robots)]
    return rows["id"].astype(np.int64), _table(rows, ("ax", "ay"))


def target_rows(target: Array, twist: Array, part: IntArray, robots: IntArray) -> Rows:
    """Rows of ``targets`` for these ``robots``: ``target`` (N, 2) m, world frame, NaN for none, ``twist`` (N, 3), robots' frames, and the
    ``part`` (N,) of the formation that each is in, from 1; 0: in none.
    """
    columns = dict(zip(("part", "x", "y", *TWIST), (part[robots], *target[robots].T, *twist[robots].T)))
    return _filled(TARGETS, {"id": robots, **columns}, len(robots))


def twists_of(rows: Rows, robots: int) -> tuple[IntArray, Array]:
    """Which robots have a row of ``targets``, and their twists (n, 3)."""
    rows = rows[(rows["id"] >= 0) & (rows["id"] < robots)]
    return rows["id"].astype(np.int64), _table(rows, TWIST)


def stamps_of(rows: Rows, robots: int) -> Array:
    """When the robots of rows of ``swarm_state`` were measured (robots,) s; −∞ for those without."""
    stamp = np.full(robots, -np.inf)
    rows = rows[(rows["id"] >= 0) & (rows["id"] < robots)]
    stamp[rows["id"]] = np.where(np.isfinite(rows["stamp"]), rows["stamp"], -np.inf)
    return stamp


def deviations_of(rows: Rows, robots: int) -> Array:
    """Standard deviations (robots, 2) of position (m) and heading (rad) in rows of ``swarm_state``; zero for those without."""
    found = np.zeros((robots, 2))
    if set(DEVIATION) <= set(rows.dtype.names or ()):
        rows = rows[(rows["id"] >= 0) & (rows["id"] < robots)]
        found[rows["id"]] = np.nan_to_num(_table(rows, DEVIATION))
    return found


def goal_rows(goal: Array, lag: IntArray, target: Array, index: IntArray, flock: IntArray) -> Rows:
    """Rows of ``goals``: one per robot that feels the urge, and one for each of F flocks' target, with the id −1 − its number.

    ``goal`` (N, 2) and ``target`` (F, 2) m, NaN for none; ``index`` (F,): the number of each flock's present goal, from 0, the column
    ``goal`` of its rows; ``flock`` (N,): whose robot each is; ``lag`` (N,) as in ``Surroundings``. A flock without a target has a row
    of NaN, which tells its number.
    """
    urged = np.flatnonzero(np.isfinite(goal).all(axis=1))
    points = np.vstack((goal[urged], target))
    ids = [*urged, *(FLOCK - np.arange(len(target)))]
    columns = {
        "id": ids, "x": points[:, 0], "y": points[:, 1], "goal": np.concatenate((index[flock[urged]], index)),
        "lag": np.concatenate((lag[urged], np.zeros(len(target), np.int64))),
    }  # fmt: skip
    return _filled(GOALS, columns, len(points))


def goals_of(rows: Rows, robots: int, flocks: int = 1) -> tuple[Array, IntArray, Array, IntArray]:
    """Goal of each robot (N, 2), m, how they lag (N,), each flock's target (F, 2), m, and the numbers of their present goals (F,).

    NaN where there is no goal.
    """
    table, (index, lag) = np.full((robots + flocks, 2), np.nan), np.zeros((2, robots + flocks), np.int64)
    rows = rows[(rows["id"] >= -flocks) & (rows["id"] < robots)]
    table[rows["id"]], index[rows["id"]] = _table(rows, ("x", "y")), rows["goal"]
    lag[rows["id"]] = rows["lag"] if "lag" in (rows.dtype.names or ()) else 0
    return table[:robots], lag[:robots], table[robots:][::-1], index[robots:][::-1]


def odometry_values(state: SwarmState) -> Array:
    """Numbers of ``Odometry`` (N, 13): the pose in the world frame, the twist in the robot's frame. The fallen lie on their right side."""
    half = 0.5 * state.pose[:, 2]
    body = rotate(state.velocity[:, :2], -state.pose[:, 2])
    zero, roll = np.zeros(len(state)), np.where(_down(state.fallen, len(state)), 0.25 * np.pi, 0.0)
    turn = np.cos(half) * np.sin(roll), np.sin(half) * np.sin(roll), np.sin(half) * np.cos(roll), np.cos(half) * np.cos(roll)
    return np.column_stack((state.position, zero, *turn, body, zero, zero, zero, state.velocity[:, 2]))


def fallen_of(values: Array) -> BoolArray:
    """Whether the robots of ``Odometry``'s numbers (N, 13) are tilted by more than 60°."""
    x, y = values[:, 3:5].T
    down: BoolArray = 1.0 - 2.0 * (x * x + y * y) < 0.5
    return down


def motion_of(values: Array) -> tuple[Array, Array]:
    """Pose (N, 3) and velocity (N, 3), world frame, from ``Odometry``'s numbers (N, 13)."""
    values = sensible(values)
    yaw = yaw_of(*values[:, 3:7].T)
    velocity = rotate(values[:, 7:9], yaw)
    return np.column_stack((values[:, :2], yaw)), np.column_stack((velocity, values[:, 12]))


def twist_values(twist: Array) -> Array:
    """Numbers of ``Twist`` (N, 6) from commands (N, 3)."""
    zero = np.zeros(len(twist))
    return np.column_stack((twist[:, :2], zero, zero, zero, twist[:, 2]))


def mask(indices: IntArray, n: int) -> BoolArray:
    """Boolean (n,) that is true at ``indices``."""
    result = np.zeros(n, bool)
    result[indices] = True
    return result
