"""What everybody is told of a run: starts, goals, walls and limits, taken from our own simulation; and where to go at each moment."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.simulation import Simulation
from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, norm, unit
from swarm_control.core.grid import Grid
from swarm_control.core.routes import Routes


@dataclass(frozen=True)
class Course:
    """N discs of ``radius`` (m) go from ``start`` to within ``goal_radius`` (m) of ``goal``, (N, 2) m, world frame.

    ``speed`` (m/s): greatest and preferred one; ``acceleration`` (m/s²): what our robots are limited to; ``period`` (s) of control;
    ``grid``: the walls, None for open space.
    """

    start: Array
    goal: Array
    goal_radius: float
    radius: float
    speed: float
    acceleration: float
    period: float
    grid: Grid | None

    @property
    def walls(self) -> Array:
        """The walls as rectangles (k, 4) m: x0, y0, x1, y1."""
        return np.empty((0, 4)) if self.grid is None else rectangles(self.grid)


def course_of(simulation: Simulation) -> Course:
    """The course of a simulation of one kind of robot, each with a goal of its own."""
    fleet, scenario, control = simulation.setup.fleet, simulation.scenario, simulation.scenario.control
    (goal,) = scenario.goals
    return Course(
        simulation.state.position.copy(), np.array(goal.each).reshape(-1, 2), goal.radius, float(fleet.radius[0]),
        float(fleet.max_speed[0]), float(fleet.max_acceleration[0]), control.period, simulation.setup.grid,
    )  # fmt: skip


def rectangles(grid: Grid) -> Array:
    """The occupied cells of a map as rectangles (k, 4) m that do not overlap: equal runs of cells in neighbouring rows become one."""
    rows, columns = grid.occupied.shape
    padded = np.zeros((rows + 1, columns + 2), np.int8)
    padded[:rows, 1:-1] = grid.occupied
    began: dict[tuple[int, int], int] = {}
    found = []
    for i, steps in enumerate(np.diff(padded, axis=1)):
        runs = set(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()))
        found += [(j, began.pop((j, k)), k, i) for j, k in sorted(began.keys() - runs)]
        began |= dict.fromkeys(runs - began.keys(), i)
    return np.tile(grid.origin, 2) + grid.resolution * np.array(found, float).reshape(-1, 4)


class Wishes:
    """The velocity that each disc of a course would have were it alone: full speed by the shortest way, and able to stop at its goal.

    The way is that of our own robots, see :class:`~swarm_control.core.routes.Routes`.
    """

    def __init__(self, course: Course) -> None:
        self._course = course
        self._routes = None if course.grid is None else Routes(make_map(course.grid), course.radius)

    def at(self, position: Array) -> Array:
        """Velocities (N, 2) m/s at these places (N, 2) m."""
        course, offset = self._course, self._course.goal - position
        away = norm(offset)
        heading = unit(offset) if self._routes is None else self._routes.direction(position, course.goal)
        fastest = np.minimum(np.sqrt(2.0 * course.acceleration * away), away / course.period)
        wished: Array = heading * np.minimum(course.speed, fastest)[:, None]
        return wished
