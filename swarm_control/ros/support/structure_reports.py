"""What the nodes that keep formations say of them, wherever they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.convert import Rows
from swarm_control.runtime.task_orders import FormationNews

PROBLEM = "problem_of_flock_"
"""Keys of a node's status begin so; the flock's number follows."""


class StructureReports:
    """Hears the topic ``structure`` in all ``spaces``. ``heard`` is called with the time (s) of each message; it says whether it counts."""

    def __init__(self, node: Any, spaces: Sequence[str], heard: Any) -> None:
        self._rows: dict[tuple[str, int], Rows] = {}
        self._problems: dict[tuple[str, str], str] = {}
        self._heard = heard
        for space in spaces:
            topic = replace(topics.STRUCTURE, name=f"{space}/structure")
            topics.subscribe(node, topic, partial(self._hear, space), raw=True)

    def forget(self) -> None:
        """Time was set back."""
        self._rows.clear()

    def note_status(self, status: Mapping[str, tuple[str, str, dict[str, str]]]) -> None:
        """What nodes have said of themselves: of those that keep formations, what their problem is."""
        for name, (_, _, values) in status.items():
            said = {(name, key.removeprefix(PROBLEM)): text for key, text in values.items() if key.startswith(PROBLEM)}
            self._problems.update(said)

    def progress(self, flock: int, total: int, sent: int | None) -> tuple[int, int, int]:
        """How many of the ``total`` of goals are behind the flock (its number), by who has come least far; that total; and how many were
        given up. Of a flock that was ``sent`` to a goal (its number): 1 of 1 when all have reached it.
        """
        said = self._of(flock)
        if sent is not None:
            reached = [rows["sent"][0] == sent and rows["visits"][0] >= rows["goals"][0] for rows in said]
            return int(bool(reached) and all(reached)), 1, 0
        visits, missed = ([int(rows[name][0]) for rows in said] for name in ("visits", "missed"))
        return min(visits, default=0), total, max(missed, default=0)

    def news(self, flock: int) -> FormationNews | None:
        """How the formation of the flock stands; None: nobody has said so yet."""
        said = self._of(flock)
        if not said:
            return None
        pose = np.array([float(said[0][name][0]) for name in ("x", "y", "yaw")])
        problem = next((text for (_, number), text in self._problems.items() if text and number == str(flock)), "")
        error = max(float(rows["error"].max()) for rows in said)
        return FormationNews(pose, max(len(rows) for rows in said), all(bool(rows["rest"].all()) for rows in said), problem, error)

    def _of(self, flock: int) -> list[Rows]:
        return [rows for (_, number), rows in self._rows.items() if number == flock]

    def _hear(self, space: str, data: bytes) -> None:
        stamp, rows = cdr.read_cloud(data)
        if self._heard(stamp):
            for flock in np.unique(rows["flock"]):
                self._rows[space, int(flock)] = rows[rows["flock"] == flock]
