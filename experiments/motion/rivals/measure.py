"""One measure for all: what a run came to, from where everybody was at the end of every period."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm

from .course import Course

DEPTH = 1e-3
"""Overlap (m) from which a contact counts."""
SETTING_OUT = 0.5
"""Seconds at the start that do not count for smoothness: some leap from rest to full speed, others may not."""


@dataclass(frozen=True)
class Outrun:
    """What a run came to.

    ``arrived``: share of the discs that are at their goals in the end; ``time`` (s) of the last arrival, None unless all are there;
    ``contacts``: pairs that ever overlap, and ``scrapes``: discs that ever are in a wall, by more than :data:`DEPTH`; ``acceleration``
    (m/s²) and ``jerk`` (m/s³): root mean squares over all discs, from :data:`SETTING_OUT` until each one's arrival; ``step`` (ms): median
    time for a step.
    """

    arrived: float
    time: float | None
    contacts: int
    scrapes: int
    acceleration: float
    jerk: float
    step: float


def outrun(course: Course, position: Array, seconds: Array) -> Outrun:
    """Measure a run: ``position`` (T, N, 2) m at the start and after each period, and how many ``seconds`` each step took, (T − 1,)."""
    at_goal = np.asarray(norm(position - course.goal) <= course.goal_radius)
    tick = _arrivals(at_goal)
    first = round(SETTING_OUT / course.period)
    acceleration, jerk = (_rms(np.diff(position, order, axis=0) / course.period**order, first, tick - order) for order in (2, 3))
    time = float(tick.max() * course.period) if at_goal[-1].all() else None
    return Outrun(
        float(at_goal[-1].mean()), time, contacts(position, course.radius), scrapes(position, course.walls, course.radius), acceleration,
        jerk, 1e3 * float(np.median(seconds)) if len(seconds) else np.nan,
    )  # fmt: skip


def _arrivals(at_goal: BoolArray) -> IntArray:
    """Instant (N,) from which on each disc stays at its goal; the last one for those that are not there in the end."""
    stays = np.logical_and.accumulate(at_goal[::-1], axis=0).sum(axis=0)
    last = len(at_goal) - 1
    return np.asarray(np.where(stays > 0, last + 1 - stays, last))


def _rms(values: Array, first: int, last: IntArray) -> float:
    """Root mean square of vectors (T, N, 2), of each disc's from the ``first`` one up to its ``last`` one, (N,)."""
    instant = np.arange(len(values))[:, None]
    counts = (first <= instant) & (instant <= last)
    return float(np.sqrt((values**2).sum(axis=-1)[counts].mean())) if counts.any() else np.nan


def contacts(position: Array, radius: float) -> int:
    """Pairs of discs that ever overlap by more than :data:`DEPTH`, on straight ways from each instant to the next."""
    from scipy.spatial import cKDTree

    touch, found = 2.0 * radius - DEPTH, set[tuple[int, int]]()
    for here, there in pairwise(position):
        move = there - here
        near = cKDTree(here).query_pairs(touch + 2.0 * float(norm(move).max()), output_type="ndarray")
        apart, passed = here[near[:, 1]] - here[near[:, 0]], move[near[:, 1]] - move[near[:, 0]]
        nearest = np.clip(-(apart * passed).sum(axis=1) / np.maximum((passed**2).sum(axis=1), 1e-18), 0.0, 1.0)
        found |= set(map(tuple, near[norm(apart + nearest[:, None] * passed) < touch].tolist()))
    return len(found)


def scrapes(position: Array, walls: Array, radius: float) -> int:
    """Discs that ever overlap one of the ``walls`` (k, 4) m by more than :data:`DEPTH`."""
    touched = np.zeros(position.shape[1], bool)
    for wall in walls:
        outside = np.maximum(np.maximum(wall[:2] - position, position - wall[2:]), 0.0)
        touched |= (norm(outside) < radius - DEPTH).any(axis=0)
    return int(touched.sum())
