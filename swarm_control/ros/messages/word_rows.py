"""Rows of the topic ``structure/word``: what a robot that keeps a formation by itself tells those that hear it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array
from swarm_control.ros.messages.convert import FARTHEST, Rows
from swarm_control.runtime.goal_list import NewGoal
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.word import PartWord, Word

_WHOLE = ("speaker", "id", "flock", "part", "degree", "lost", "dropped")
_PART = ("visits", "attempt", "origin", "goal_visits")
_PLACE, _OUTSET, _GOAL = ("place_x", "place_y", "place_yaw"), ("outset_x", "outset_y", "outset_yaw"), ("goal_x", "goal_y", "goal_yaw")
_NUMBERS = (
    "failing", *_PLACE, "place_stamp", "ready", "informed", "x", "y", "yaw", "clock", "span", *_OUTSET, "outset_time", *_GOAL, "goal_time",
)  # fmt: skip

WORD: np.dtype[Any] = np.dtype([(name, "<i4") for name in (*_WHOLE, *_PART)] + [(name, "<f8") for name in _NUMBERS], align=True)
"""A row for each robot ``id``, with what is said of it. The first rows, whose ``part`` is not 0, carry the structures, too."""

NO_ATTEMPT = -1
"""``attempt`` of a structure for which nothing has been planned yet."""


def word_rows(word: Word, flock: int) -> Rows:
    """Rows of what a robot says of the formation of the ``flock`` (its number)."""
    rows = np.zeros(len(word.places), WORD)
    rows["speaker"], rows["id"], rows["flock"], rows["failing"] = word.speaker, np.arange(len(rows)), flock, word.failing
    rows["degree"], rows["lost"], rows["dropped"] = word.degree, word.lost, word.dropped
    rows["ready"], rows["informed"] = word.ready, word.informed
    _put(rows, (*_PLACE, "place_stamp"), word.places)
    first = next((part.outset for part in word.parts if part.outset is not None), None)
    if first is not None:
        _put(rows, _OUTSET, first.pose)
    for k, part in enumerate(word.parts[: len(rows)]):
        row, outset, goal = rows[k : k + 1], part.outset, part.goal
        _put(row, ("x", "y", "yaw", "clock", "span"), np.array([[*part.pose, part.clock, part.span]]))
        _put(row, (*_GOAL, "goal_time"), np.array([[*goal.pose, goal.time]]))
        row["part"], row["visits"], row["goal_visits"], row["attempt"] = k + 1, part.visits, goal.visits, NO_ATTEMPT
        if outset is not None:
            row["attempt"], row["origin"], row["outset_time"] = outset.attempt, outset.origin, outset.time
    return rows


def word_of_rows(time: float, rows: Rows, robots: int) -> tuple[int, Word]:
    """The number of the flock, and what one of its ``robots`` (their count) said at ``time`` (s)."""
    if len(rows) != robots or not np.array_equal(rows["id"], np.arange(robots)) or not 0 <= rows["speaker"][0] < robots:
        raise ValueError(f"a word of {len(rows)} rows found, expected one for each of {robots} robots, in their order")
    places = _table(rows, (*_PLACE, "place_stamp"))
    if (np.abs(places[:, :3]) > FARTHEST).any():
        raise ValueError("a word of places beyond any world found, expected finite numbers")
    parts = tuple(_part(row, _table(rows, _OUTSET)) for row in rows[rows["part"] > 0])
    word = Word(
        int(rows["speaker"][0]), time, int(rows["degree"][0]), bool(rows["lost"][0]), float(rows["failing"][0]), parts,
        rows["dropped"] != 0, places, rows["ready"].astype(float), rows["informed"].astype(float),
    )  # fmt: skip
    return int(rows["flock"][0]), word


def _part(row: Any, outset: Array) -> PartWord:
    pose, (clock, span) = _sensible(row, ("x", "y", "yaw")), _sensible(row, ("clock", "span"))
    planned = None
    if row["attempt"] != NO_ATTEMPT:
        if not (np.abs(outset) <= FARTHEST).all():
            raise ValueError("a word whose plan begins nowhere found, expected finite numbers")
        planned = Outset(int(row["visits"]), int(row["attempt"]), float(row["outset_time"]), int(row["origin"]), outset)
    goal = NewGoal(float(row["goal_time"]), int(row["goal_visits"]), np.array([float(row[name]) for name in _GOAL]))
    if np.isfinite(goal.time) and not (np.abs(goal.pose) <= FARTHEST).all():
        raise ValueError(f"goal {goal.pose} found, expected finite numbers")
    return PartWord(pose, float(clock), int(row["visits"]), float(span), planned, goal)


def _sensible(row: Any, names: tuple[str, ...]) -> Array:
    values = np.array([float(row[name]) for name in names])
    if not (np.abs(values) <= FARTHEST).all():
        raise ValueError(f"{', '.join(names)} = {values} found, expected finite numbers")
    return values


def _table(rows: Rows, names: tuple[str, ...]) -> Array:
    return np.column_stack([rows[name] for name in names]).astype(float)


def _put(rows: NDArray[Any], names: tuple[str, ...], values: Array) -> None:
    for name, column in zip(names, values.T):
        rows[name] = column
