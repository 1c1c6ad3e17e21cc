"""Does the displacement find the global optimum? Dense search and many starts, to compare it with; not for control loops."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet
from swarm_control.formation.displace import refine
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.robots import Models, Robots
from swarm_control.formation.structure import place


def scattered(
    points: Array, fleet: Fleet, models: Models, period: float, horizon: float, bias: float, rng: np.random.Generator
) -> DisplacementProblem:  # fmt: skip
    """A hard problem: robots near their points (3 mm), pointing anywhere, each with a speed of its own, and a random wish in reach of
    its top speed. ``period`` and ``horizon`` in s.
    """
    n = len(fleet)
    pose = np.append(rng.normal(size=2), rng.uniform(-np.pi, np.pi))
    position = place(points, pose) + 0.003 * rng.normal(size=(n, 2))
    speed = 0.6 * fleet.max_speed * rng.uniform(-1.0, 1.0, n)
    previous = np.column_stack((speed, np.zeros((n, 2))))
    robots = Robots(np.column_stack((position, rng.uniform(-np.pi, np.pi, n))), previous, fleet, models, period, horizon)
    way, course = float(fleet.max_speed.min()) * horizon * rng.uniform(0.1, 1.0), rng.uniform(-np.pi, np.pi)
    size = max(float(np.sqrt((points**2).sum(axis=1).mean())), 1e-2)
    step = np.array([way * np.cos(course), way * np.sin(course), rng.uniform(-1.0, 1.0) * way / size])
    return DisplacementProblem(points, np.ones(n), pose, pose + step, robots, bias)


def dense(problem: DisplacementProblem, cells: int = 31, starts: int = 40) -> tuple[Array, float]:
    """Best pose (3,) and J (m²) of an even grid of ``cells``³ displacements up to 1.1 times the wish, the best ``starts`` refined."""
    step, size = problem.step, problem.size
    length = 1.1 * max(float(np.hypot(step[0], step[1])), size * abs(float(step[2])))
    axis = np.linspace(-length, length, cells)
    grid = np.stack(np.meshgrid(axis, axis, axis / size, indexing="ij"), axis=-1).reshape(-1, 3) + problem.pose
    cost = problem.cost(grid)
    best = grid[np.argsort(cost, kind="stable")[:starts]]
    pose, value = refine(problem, best, 60, 0.0)
    k = int(cost.argmin())
    return (pose, value) if value <= cost[k] else (grid[k], float(cost[k]))
