"""The resultant of all pairs' forces: summed pair by pair, or for many robots by a tree whose far cells act as a whole."""

import numpy as np

from swarm_control.core.compiled import Kernel, jit, prange
from swarm_control.core.geometry import Array, IntArray
from swarm_control.social.far import TERMS, add_cell, value
from swarm_control.social.pairs import pull
from swarm_control.social.table import LawTable
from swarm_control.social.tree import LEAF, make_tree

METHODS = ("auto", "direct", "tree")

TREE_FROM = 4_000_000
"""Number of pairs from which the tree pays."""

ROW = 1024
"""Points near a leaf that are summed in one go."""


def forces(
    position: Array, kind: IntArray, source: Array, source_kind: IntArray, table: LawTable, core: float, method: str = "auto",
    opening: float = 0.4,
) -> Array:  # fmt: skip
    """Resultant (N, 2) m/s² on robots at ``position`` (N, 2) m of the points ``source`` (M, 2) m; no distance is too far.

    ``kind`` (N,) and ``source_kind`` (M,) are kinds of the ``table``. Within ``core`` (m) forces fall linearly to zero; of a point at the
    same place nothing is felt, so that robots may be among their own sources. ``method`` is one of :data:`METHODS`; the tree's error
    is that of :func:`~swarm_control.social.far.error_bound` for the ``opening``.
    """
    position = np.ascontiguousarray(position, float)
    if by_tree(method, len(position), len(source)):
        return _by_tree(position, kind, source, source_kind, table, core, opening)
    result: Array = _direct(len(position) * len(source) // 100, position, kind, source, source_kind, core, table.arrays)
    return result


def by_tree(method: str, robots: int, sources: int) -> bool:
    """Whether the ``method`` makes a tree of so many points."""
    return method == "tree" or (method == "auto" and robots * sources >= TREE_FROM)


def _by_tree(
    position: Array, kind: IntArray, source: Array, source_kind: IntArray, table: LawTable, core: float, opening: float
) -> Array:  # fmt: skip
    """One tree for each kind of targets and of sources; those of the same points are one."""
    result = np.zeros((len(position), 2))
    rows = [np.flatnonzero(kind == k) for k in range(len(table.first))]
    sources = [source[source_kind == k] for k in range(len(table.first))]
    trees = {k: make_tree(points) for k, points in enumerate(sources) if len(points) and (np.diff(table.first)[:, k] > 0).any()}
    for on in np.flatnonzero([len(mine) for mine in rows]):
        mine = position[rows[on]]
        same = on in trees and np.array_equal(mine, sources[on])
        target = trees[int(on)] if same else make_tree(mine)
        force = np.zeros((len(mine), 2))
        for of in np.flatnonzero(np.diff(table.first[on]) > 0):
            for e in range(table.first[on, of], table.first[on, of + 1]) if of in trees else ():
                _sum(len(mine), target.arrays, trees[int(of)].arrays, e, table.arrays[1:], core, opening, force)
        result[rows[on][target.order]] = force
    return result


def _direct_loop(position, kind, source, source_kind, core, table):  # type: ignore[no-untyped-def]
    first, root, whole, broken, terms, near, far = table
    n = len(position)
    x, y, start = _by_kind(source, source_kind, len(first))
    result = np.zeros((n, 2))
    for i in prange(n):
        for of in range(len(start) - 1):
            for e in range(first[kind[i], of], first[kind[i], of + 1]):
                fx, fy = pull(
                    position[i, 0], position[i, 1], x, y, start[of], start[of + 1], core, e, root, whole, broken, terms, near, far
                )
                result[i, 0] += fx
                result[i, 1] += fy
    return result


@jit
def _by_kind(source, kind, kinds):  # type: ignore[no-untyped-def]
    """Points in the order of their kinds, as x (M,) and y (M,), and where each kind starts (kinds + 1,)."""
    start = np.zeros(kinds + 1, np.int64)
    for k in kind:
        start[k + 1] += 1
    for k in range(kinds):
        start[k + 1] += start[k]
    x, y, place = np.empty(len(source)), np.empty(len(source)), start.copy()
    for j in range(len(source)):
        at = place[kind[j]]
        x[at], y[at] = source[j, 0], source[j, 1]
        place[kind[j]] += 1
    return x, y, start


def _sum_loop(target, source, e, laws, core, opening, force):  # type: ignore[no-untyped-def]
    """Add to ``force`` (n, 2) what the ``source`` tree exerts on each leaf of the ``target`` tree by entry ``e``."""
    cells = len(target[2])
    for leaf in prange(cells // 2, cells):
        _sum_leaf(leaf, target, source, e, laws, core, opening, force)


@jit
def _sum_leaf(leaf, target, source, e, laws, core, opening, force):  # type: ignore[no-untyped-def]
    """Go down the tree until cells are far enough, or leaves: those are put in a row and summed pair by pair."""
    x, y, bounds, middle, reach, moment = source
    root, whole, broken, terms, near, far = laws
    cx, cy = target[3][leaf, 0], target[3][leaf, 1]
    local, stack, top = np.zeros(TERMS), np.zeros(64, np.int64), 1
    row_x, row_y, held = np.empty(ROW), np.empty(ROW), 0
    while top > 0:
        top -= 1
        cell = stack[top]
        dx, dy = middle[cell, 0] - cx, middle[cell, 1] - cy
        distance, size = np.sqrt(dx * dx + dy * dy), reach[cell] + target[4][leaf]
        if distance - size > far[e] or distance + size < near[e]:
            pass
        elif size <= opening * distance and distance - size >= max(core, near[e]) and distance + size <= far[e]:
            add_cell(local, dx, dy, float(bounds[cell, 1] - bounds[cell, 0]), moment[cell], e, root, whole, broken, terms)
        elif 2 * cell + 1 < len(reach):
            stack[top], stack[top + 1] = 2 * cell + 1, 2 * cell + 2
            top += 2
        else:
            for j in range(bounds[cell, 0], bounds[cell, 1]):
                row_x[held], row_y[held] = x[j], y[j]
                held += 1
        if held > ROW - LEAF or top == 0:
            _add_row(leaf, target, row_x, row_y, held, e, laws, core, force)
            held = 0
    for i in range(target[2][leaf, 0], target[2][leaf, 1]):
        fx, fy = value(local, target[0][i] - cx, target[1][i] - cy)
        force[i, 0] += fx
        force[i, 1] += fy


@jit
def _add_row(leaf, target, x, y, held, e, laws, core, force):  # type: ignore[no-untyped-def]
    """Add to the ``force`` on the targets of a leaf that of the first ``held`` points of a row."""
    root, whole, broken, terms, near, far = laws
    for i in range(target[2][leaf, 0], target[2][leaf, 1]):
        fx, fy = pull(target[0][i], target[1][i], x, y, 0, held, core, e, root, whole, broken, terms, near, far)
        force[i, 0] += fx
        force[i, 1] += fy


_direct = Kernel(_direct_loop)
_sum = Kernel(_sum_loop)
