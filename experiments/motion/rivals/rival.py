"""What a rival is, and how one is run on a course."""

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from swarm_control.core.geometry import Array, norm

from .course import Course, Wishes

SIGHT, NEIGHBOURS = 3.0, 12
"""How far (m) rivals see, and of how many others those by ORCA keep clear: with the 40 of ours they take longer, and touch as often."""

STUCK = 20.0
"""Seconds after which a run ends in which nobody has got on by as much as a radius."""


class Rival(Protocol):
    """Holonomic discs on a course, moved by somebody else's library."""

    def tell(self, wish: Array) -> None:
        """Say which velocities (N, 2) m/s they would have were each of them alone."""

    def step(self) -> None:
        """Let one period pass; this alone is timed."""

    def places(self) -> Array:
        """Where they are, (N, 2) m."""


def race(course: Course, rival: Rival, limit: float) -> tuple[Array, Array]:
    """Run a rival; see :func:`run`."""
    wishes = Wishes(course)

    def step() -> float:
        rival.tell(wishes.at(rival.places()))
        began = time.perf_counter()
        rival.step()
        return time.perf_counter() - began

    return run(course, step, rival.places, limit)


def run(course: Course, step: Callable[[], float], places: Callable[[], Array], limit: float) -> tuple[Array, Array]:
    """Call ``step``, which returns how long it took, until all are at their goals, nobody gets on, or ``limit`` (s).

    Returns the places (T, N, 2) m at the start and after each period, and the seconds (T − 1,) that the steps took.
    """
    position, seconds = [places()], []
    patience, still = round(STUCK / course.period), 0
    anchor = position[0]
    for _ in range(round(limit / course.period)):
        seconds.append(step())
        position.append(places())
        if not np.isfinite(position[-1]).all():
            return np.array(position[:-1]), np.array(seconds[:-1])
        away = norm(position[-1] - course.goal) > course.goal_radius
        moved = norm(position[-1] - anchor) > course.radius
        anchor, still = (position[-1], 0) if (moved & away).any() else (anchor, still + 1)
        if not away.any() or still >= patience:
            break
    return np.array(position), np.array(seconds)
