"""Which robot takes which point: made once, when a structure is imposed without naming its robots."""

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.structure import place

SQUARED = Fit()
PREFERENCE = 0.01
"""How strongly a robot prefers some points for no reason, as a share of the mean squared distance: so that robots that each assign by
what they have measured agree where ways are equally long, as they are from one symmetric formation to another.
"""

HEADINGS, FEWEST, ROBOTS = 12, 3, 2400
"""So many headings are tried; where that times the robots is more than the last number fewer, but not less than the second."""


def assign(points: Array, position: Array, headings: int = 0) -> tuple[IntArray, Array]:
    """Best assignment and pose of ``points`` (N, 2) m, structure's frame, for robots at ``position`` (N, 2) m, world frame.

    Returns ``robot`` (N,), the index of the robot that takes each point, and the structure's pose (3,). Minimises the sum of squared
    distances over assignments and poses: from each of ``headings`` evenly spread headings (0: twelve, of many robots fewer) it
    alternates the optimal assignment (``linear_sum_assignment``) and the closed-form fit until neither changes; the best end is taken,
    the first of those that are as good to :data:`PREFERENCE`. ``ValueError`` if the numbers differ or a position is not finite.
    """
    if len(points) != len(position):
        raise ValueError(f"{len(points)} points for {len(position)} robots; as many of each were expected")
    if not np.isfinite(position).all():
        raise ValueError("every robot needs a finite position before points can be assigned")
    middle = position.mean(axis=0)
    best, best_cost = (np.arange(len(points)), np.zeros(3)), np.inf
    headings = headings or max(min(HEADINGS, ROBOTS // max(len(points), 1)), FEWEST)
    for k in range(headings):
        heading = 2.0 * np.pi * k / headings
        pose = np.append(middle - place(points.mean(axis=0)[None], np.array([0.0, 0.0, heading]))[0], heading)
        robot, pose, cost = _alternate(points, position, pose)
        if cost < (1.0 - PREFERENCE) * best_cost - 1e-12:
            best, best_cost = (robot, pose), cost
    return best


def assign_at(points: Array, position: Array, pose: Array) -> IntArray:
    """The robot (N,) that takes each point when the structure stays at ``pose`` (3,): the sum of squared distances is least, but for
    :data:`PREFERENCE`.
    """
    from scipy.optimize import linear_sum_assignment

    far = place(points, pose)[:, None] - position[None]
    cost = (far * far).sum(axis=-1)
    number = np.arange(1.0, len(points) + 1.0)
    fancy = np.modf(0.5 * (np.sqrt(5.0) - 1.0) * np.outer(number, number))[0]
    robot: IntArray = linear_sum_assignment(cost + PREFERENCE * cost.mean() * fancy)[1]
    return robot


def _alternate(points: Array, position: Array, pose: Array) -> tuple[IntArray, Array, float]:
    robot = np.full(len(points), -1)
    weight = np.ones(len(points))
    while True:
        # the cost falls with every change, so this ends
        chosen = assign_at(points, position, pose)
        if (chosen == robot).all():
            far = place(points, pose) - position[robot]
            return robot, pose, float((far * far).sum())
        if robot[0] >= 0 and _cost(points, position[chosen], pose) >= _cost(points, position[robot], pose) - 1e-15:
            return robot, pose, _cost(points, position[robot], pose)
        robot = chosen
        pose = fit(points, position[robot], weight, pose, SQUARED).pose


def _cost(points: Array, position: Array, pose: Array) -> float:
    far = place(points, pose) - position
    return float((far * far).sum())
