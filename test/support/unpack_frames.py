"""Reads the dashboard's frames, as the page does."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.dashboard.frames import FRAME_KIND, HEAD, MAGIC, TABLE, VERSION, Table


def unpack(data: bytes) -> tuple[int, float, dict[Table, Array]]:
    """Sequence, time and tables of a frame."""
    magic, version, kind, sequence, count, time = HEAD.unpack_from(data)
    if (magic, version, kind) != (MAGIC, VERSION, FRAME_KIND):
        raise ValueError("not a frame of this version")
    at, tables = HEAD.size, {}
    for _ in range(count):
        name, columns, rows = TABLE.unpack_from(data, at)
        values = np.frombuffer(data, "<f4", rows * columns, at + TABLE.size)
        tables[Table(name)] = values.reshape(rows, columns).astype(float)
        at += TABLE.size + values.nbytes
    return sequence, time, tables
