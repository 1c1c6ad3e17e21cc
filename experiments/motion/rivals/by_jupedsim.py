"""The collision-free speed model and the social force model by JuPedSim."""

from functools import partial
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, norm

from .course import Course

AHEAD = 0.04
"""How far (m) ahead of itself a pedestrian is sent: JuPedSim takes a place to go to, not a velocity."""
STEP = 0.01
"""Step (s) that JuPedSim recommends."""
SPEED_REACH, TIME_GAP = 0.02, 0.5
"""Collision-free speed: reach of the repulsion (m) and time to the one in front (s). JuPedSim's own, 0.1 m and 1 s, are made for people."""
FORCE_REACH = 0.04
"""Social force: reach of the forces (m); JuPedSim's own is 0.08 m."""


class JupedsimCrowd:
    """Pedestrians of robots' size and speed, with social ``forces`` or collision-free speed. Raises ``ImportError`` without jupedsim."""

    def __init__(self, course: Course, forces: bool) -> None:
        import jupedsim
        import shapely

        self._steps = round(course.period / STEP)
        everything = np.vstack((course.start, course.goal, course.walls.reshape(-1, 2)))
        floor = shapely.box(*(everything.min(axis=0) - 2.0), *(everything.max(axis=0) + 2.0))
        free = floor - shapely.union_all([shapely.box(*wall) for wall in course.walls.tolist()])
        room = next(part for part in shapely.get_parts(free) if part.contains(shapely.Point(course.start[0])))
        kind: Any
        if forces:
            model: Any = jupedsim.SocialForceModel()
            kind = partial(jupedsim.SocialForceModelAgentParameters, force_distance=FORCE_REACH)
        else:
            model = jupedsim.CollisionFreeSpeedModel(range_neighbor_repulsion=SPEED_REACH)
            kind = partial(jupedsim.CollisionFreeSpeedModelAgentParameters, time_gap=TIME_GAP)
        self._crowd = jupedsim.Simulation(model=model, geometry=room, dt=STEP)
        stage = self._crowd.add_direct_steering_stage()
        journey = self._crowd.add_journey(jupedsim.JourneyDescription([stage]))
        for place in course.start.tolist():
            one = kind(position=place, desired_speed=course.speed, radius=course.radius, journey_id=journey, stage_id=stage)
            self._crowd.add_agent(one)

    def tell(self, wish: Array) -> None:
        """See :class:`~.rival.Rival`."""
        speed = norm(wish)
        target = self.places() + AHEAD * wish / np.maximum(speed, 1e-9)[:, None]
        for agent, place, fast in zip(self._crowd.agents(), target.tolist(), speed.tolist()):
            agent.target, agent.model.desired_speed = tuple(place), fast

    def step(self) -> None:
        """See :class:`~.rival.Rival`."""
        self._crowd.iterate(self._steps)

    def places(self) -> Array:
        """See :class:`~.rival.Rival`."""
        return np.array([agent.position for agent in self._crowd.agents()], float)


jupedsim_speed, jupedsim_force = partial(JupedsimCrowd, forces=False), partial(JupedsimCrowd, forces=True)
