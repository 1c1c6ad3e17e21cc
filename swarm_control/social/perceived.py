"""The resultant of the forces of robots that are perceived, at the places where they are perceived: rows of neighbours, not all pairs."""

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.state import Neighbourhoods
from swarm_control.social.pairs import pull
from swarm_control.social.table import LawTable


def perceived_forces(seen: Neighbourhoods, kind: IntArray, table: LawTable, core: float) -> Array:
    """Resultant (N, 2) m/s², world frame, on each robot of those whom it has ``seen``.

    Equation: ``F_i = Σ_{j seen by i} f(‖o_ij‖)·o_ij/‖o_ij‖`` with o_ij the perceived offset, which may be late or noisy. ``kind`` (N,) are
    kinds of the ``table``; within ``core`` (m) forces fall linearly to zero.
    """
    rows = len(seen.start) - 1
    x, y = np.ascontiguousarray(seen.offset[:, 0]), np.ascontiguousarray(seen.offset[:, 1])
    result: Array = _felt(rows, seen.start, seen.index, x, y, kind, core, table.arrays)
    return result


def _felt_loop(start, index, x, y, kind, core, table):  # type: ignore[no-untyped-def]
    """Neighbours of one kind that stand in a row are summed in one go."""
    first, root, whole, broken, terms, near, far = table
    n = len(start) - 1
    result = np.zeros((n, 2))
    for i in prange(n):
        low, end = start[i], start[i + 1]
        while low < end:
            of, high = kind[index[low]], low + 1
            while high < end and kind[index[high]] == of:
                high += 1
            for e in range(first[kind[i], of], first[kind[i], of + 1]):
                fx, fy = pull(0.0, 0.0, x, y, low, high, core, e, root, whole, broken, terms, near, far)
                result[i, 0] += fx
                result[i, 1] += fy
            low = high
    return result


_felt = Kernel(_felt_loop)
