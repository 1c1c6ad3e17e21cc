"""ORCA by pyrvo, which wraps the RVO2 library of its inventors."""

import numpy as np

from swarm_control.core.geometry import Array

from .course import Course
from .rival import NEIGHBOURS, SIGHT

HORIZON = 2.0
"""Seconds for which discs keep clear of one another and of walls; the library has no value of its own. Less: more contacts; more: jams."""


class PyrvoOrca:
    """ORCA as in RVO2. Raises ``ImportError`` without pyrvo."""

    def __init__(self, course: Course) -> None:
        from pyrvo import RVOSimulator

        self._discs = len(course.start)
        limits = SIGHT, NEIGHBOURS, HORIZON, HORIZON, course.radius, course.speed
        self._simulator = RVOSimulator(course.period, *limits)
        for place in course.start.tolist():
            self._simulator.add_agent(place)
        for x0, y0, x1, y1 in course.walls.tolist():
            self._simulator.add_obstacle([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        self._simulator.process_obstacles()

    def tell(self, wish: Array) -> None:
        """See :class:`~.rival.Rival`."""
        for k, velocity in enumerate(wish.tolist()):
            self._simulator.set_agent_pref_velocity(k, velocity)

    def step(self) -> None:
        """See :class:`~.rival.Rival`."""
        self._simulator.do_step()

    def places(self) -> Array:
        """See :class:`~.rival.Rival`."""
        found = [self._simulator.get_agent_position(k) for k in range(self._discs)]
        return np.array([(place.x, place.y) for place in found], float)
