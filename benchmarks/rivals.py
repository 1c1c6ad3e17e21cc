"""The same arena and robots in navground 0.7, for comparison; a development dependency."""

from collections.abc import Callable
from typing import Any

import numpy as np
from ours import Swarm
from scipy import ndimage


def navground_world(swarm: Swarm, behaviour: str) -> Any:
    """Return a navground world like that of ``swarm``: differential drives that travel to and fro between two places with ``behaviour``.

    Each agent sees what is within the perception radius (``BoundedStateEstimation``). Raises ``ImportError`` without navground.
    """
    from navground import core, sim

    world, fleet, grid, rng = sim.World(), swarm.setup.fleet, swarm.setup.grid, np.random.default_rng(0)
    assert grid is not None
    x0, x1, y0, y1 = grid.extent
    for a, b in (((x0, y0), (x1, y0)), ((x1, y0), (x1, y1)), ((x1, y1), (x0, y1)), ((x0, y1), (x0, y0))):
        world.add_wall(sim.Wall(np.array(a, np.float32), np.array(b, np.float32)))
    for centre, radius in discs(grid.occupied, grid.origin, grid.resolution):
        world.add_obstacle(sim.Obstacle(centre.astype(np.float32), radius))
    start = swarm.engine.truth().pose
    places = rng.uniform((x0 + 0.5, y0 + 0.5), (x1 - 0.5, y1 - 0.5), (len(fleet), 2))
    for k in range(len(fleet)):
        speed = float(fleet.max_speed[k])
        kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(speed, float(fleet.wheel_base[k]))
        mind = core.Behavior.make_type(behaviour)
        mind.kinematics, mind.radius = kinematics, float(fleet.radius[k])
        mind.optimal_speed, mind.horizon = swarm.control.cruise.speed, swarm.control.perception.radius
        task = sim.tasks.WaypointsTask([places[k].astype(np.float32), start[k, :2].astype(np.float32)], True, 0.5)
        eyes = sim.state_estimations.BoundedStateEstimation(swarm.control.perception.radius)
        agent = sim.Agent(float(fleet.radius[k]), mind, kinematics, task, [eyes], swarm.control.period)
        agent.position, agent.orientation = start[k, :2].astype(np.float32), float(start[k, 2])
        world.add_agent(agent)
    return world


def navground_step(swarm: Swarm, behaviour: str) -> Callable[[], None]:
    """One step of such a world, which starts where the robots of ``swarm`` are."""
    world, period = navground_world(swarm, behaviour), swarm.control.period
    return lambda: world.update(period)


def discs(occupied: np.ndarray, origin: tuple[float, float], resolution: float) -> list[tuple[np.ndarray, float]]:
    """Round obstacles inside the frame of a map: centre (2,) and radius, m, of discs with the same areas."""
    parts, count = ndimage.label(occupied[1:-1, 1:-1])
    if count == 0:
        return []
    labels = np.arange(1, count + 1)
    centres = np.array(ndimage.center_of_mass(parts > 0, parts, labels))[:, ::-1] + 1.5
    areas = np.asarray(ndimage.sum_labels(parts > 0, parts, labels)) * resolution**2
    return [(np.array(origin) + centre * resolution, float(np.sqrt(area / np.pi))) for centre, area in zip(centres, areas)]
