"""Rows of the topic ``sent_goals``: where operators have sent flocks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from swarm_control.ros.messages.convert import FARTHEST, Rows
from swarm_control.scenario.schema import Goal

SENT: np.dtype[Any] = np.dtype([("flock", "<i4"), ("number", "<i4"), ("x", "<f8"), ("y", "<f8"), ("yaw", "<f8")], align=True)
"""The ``number`` of the goal to which the ``flock`` (its number) was sent last, and the pose that a formation has there, m and rad."""


def sent_rows(sent: Mapping[int, tuple[int, Goal]]) -> Rows:
    """A row for each flock that was ever sent anywhere: its goal, and that one's number."""
    rows = np.zeros(len(sent), SENT)
    for row, (flock, (number, goal)) in zip(rows, sorted(sent.items())):
        row["flock"], row["number"], row["x"], row["y"], row["yaw"] = flock, number, *goal.position, np.deg2rad(goal.heading)
    return rows


def sent_of(rows: Rows, flocks: int) -> dict[int, tuple[int, Goal]]:
    """Where which of the ``flocks`` (their count) were sent; rows that make no sense are passed over."""
    known = (row for row in rows if 0 <= row["flock"] < flocks and row["number"] > 0)
    return {
        int(row["flock"]): (int(row["number"]), Goal(position=(float(row["x"]), float(row["y"])), heading=float(np.rad2deg(row["yaw"]))))
        for row in known if (np.abs([row["x"], row["y"], row["yaw"]]) <= FARTHEST).all()
    }  # fmt: skip
