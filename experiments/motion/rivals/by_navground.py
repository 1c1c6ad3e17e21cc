"""ORCA, HL and Social Force by navground."""

from functools import partial

import numpy as np

from swarm_control.core.geometry import Array

from .course import Course
from .rival import NEIGHBOURS, SIGHT

HORIZON = 2.0
"""Seconds for which ORCA keeps clear of others and of walls, as for pyrvo; with navground's own 10 s, which are 8 m, crowds jam."""
LENGTH, STRIDE = 0.05, 0.2
"""Social Force: reach of the forces between two (m), and how far ahead (s). With navground's own, 0.3 m and 1 s, made for people, robots
of a tenth of their size do not get through one another.
"""
WALL_LENGTH = LENGTH * 2.0 / 3.0
"""The same of the forces by walls (m), in navground's own proportion."""


class NavgroundCrowd:
    """Agents of one ``behaviour`` of navground. Raises ``ImportError`` without navground.

    Its world would push those apart that overlap; this is turned off, so that it shows.
    """

    def __init__(self, course: Course, behaviour: str) -> None:
        from navground import core, sim

        self._period = course.period
        self._world = sim.World()
        self._world.ignore_collisions = True
        for x0, y0, x1, y1 in course.walls.tolist():
            corners = [np.array(corner, np.float32) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
            for one, next in zip(corners, corners[1:] + corners[:1]):
                self._world.add_wall(sim.Wall(one, next))
        for place in course.start.astype(np.float32):
            kinematics = core.kinematics.OmnidirectionalKinematics(course.speed)
            mind = core.Behavior.make_type(behaviour)
            mind.kinematics, mind.radius = kinematics, course.radius
            mind.optimal_speed, mind.horizon = course.speed, SIGHT
            if behaviour == "ORCA":
                mind.time_horizon = mind.static_time_horizon = HORIZON
                mind.max_number_of_neighbors = NEIGHBOURS
            sight = SIGHT
            if behaviour == "SocialForce":
                mind.v_r, mind.u_r, mind.step_duration, sight = LENGTH, WALL_LENGTH, STRIDE, 10.0 * LENGTH
            eyes = sim.state_estimations.BoundedStateEstimation(sight)
            agent = sim.Agent(course.radius, mind, kinematics, None, [eyes], course.period)
            agent.position = place
            self._world.add_agent(agent)
        self._agents = self._world.agents

    def tell(self, wish: Array) -> None:
        """See :class:`~.rival.Rival`."""
        for agent, velocity in zip(self._agents, wish.astype(np.float32)):
            agent.controller.follow_velocity(velocity)

    def step(self) -> None:
        """See :class:`~.rival.Rival`."""
        self._world.update(self._period)

    def places(self) -> Array:
        """See :class:`~.rival.Rival`."""
        return np.array([agent.position for agent in self._agents], float)


navground_orca, navground_hl, navground_force = (partial(NavgroundCrowd, behaviour=name) for name in ("ORCA", "HL", "SocialForce"))
