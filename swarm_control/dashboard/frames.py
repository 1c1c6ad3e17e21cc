"""What the page draws, as bytes. Little endian throughout; ``page/frames.js`` reads the same layout.

Every message begins with :data:`HEAD`: magic ``SWRM``, version, kind, sequence number, number of tables, time (s). A frame goes on with
its tables, each :data:`TABLE` (which table, columns, rows) and the values as float32, row by row. A map goes on with :data:`MAP` (rows,
columns, x0, y0, resolution) and one bit per cell, row 0 at the lowest y, highest bit first.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid

MAGIC = b"SWRM"
VERSION = 1
HEAD = struct.Struct("<4sHHIId")
TABLE = struct.Struct("<HHI")
MAP = struct.Struct("<IIddd")
FRAME_KIND, MAP_KIND = 1, 2


class Table(IntEnum):
    """Tables of a frame. World frame, SI units; NaN: unknown."""

    ROBOTS = 1  # x, y, yaw, vx, vy, turn rate, flags
    GOALS = 2  # x, y, radius of arrival, robot (−1: the flock's)
    METRICS = 3  # one row in the order of METRICS
    TARGETS = 4  # robot, x, y: its point in the formation
    STRUCTURE = 5  # x, y, yaw, formation error: a row for each formation
    RINGS = 6  # x, y, radius, group: where a law's force vanishes
    NEIGHBOURS = 7  # observer, robot, x, y as perceived
    ARROWS = 8  # robot, behaviour (−1: the total), ax, ay


COLUMNS = {
    Table.ROBOTS: 7, Table.GOALS: 4, Table.METRICS: 7, Table.TARGETS: 3, Table.STRUCTURE: 4, Table.RINGS: 4, Table.NEIGHBOURS: 4,
    Table.ARROWS: 4,
}  # fmt: skip

METRICS = ("order", "gap", "collisions", "formation_error", "speed", "lateness", "real_time_factor")
VALID, LEADER, FALLEN = 1, 2, 4
"""Bits of a robot's flags."""


@dataclass(frozen=True)
class Frame:
    """The swarm at ``time`` (s). ``tables`` everybody gets; of ``details`` a page gets the rows of the robot that it has picked.

    ``details`` have the number of the robot in their first column.
    """

    time: float
    tables: Mapping[Table, Array]
    details: Mapping[Table, Array] = field(default_factory=dict)

    @cached_property
    def _common(self) -> bytes:
        return b"".join(_table(kind, rows) for kind, rows in self.tables.items())

    def pack(self, sequence: int, picked: int | None = None, everybody: bool = False) -> bytes:
        """The message for a page that has ``picked`` a robot, or that wants ``everybody``'s details."""
        chosen = []
        for kind, rows in self.details.items():
            if everybody and kind is Table.ARROWS:
                chosen.append(_table(kind, rows))
            elif picked is not None:
                chosen.append(_table(kind, rows[rows[:, 0] == picked]))
        head = HEAD.pack(MAGIC, VERSION, FRAME_KIND, sequence & 0xFFFFFFFF, len(self.tables) + len(chosen), self.time)
        return b"".join((head, self._common, *chosen))


def pack_map(grid: Grid) -> bytes:
    """The message for a map."""
    rows, columns = grid.occupied.shape
    head = HEAD.pack(MAGIC, VERSION, MAP_KIND, 0, 0, 0.0)
    return b"".join((head, MAP.pack(rows, columns, *grid.origin, grid.resolution), np.packbits(grid.occupied).tobytes()))


def _table(kind: Table, rows: Array) -> bytes:
    assert rows.ndim == 2 and rows.shape[1] == COLUMNS[kind], f"{kind.name}: {rows.shape}"
    return TABLE.pack(kind, rows.shape[1], len(rows)) + np.ascontiguousarray(rows, "<f4").tobytes()
