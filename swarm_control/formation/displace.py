"""Displace: how far the structure can go so that its robots can follow (Lewis & Tan §4.3).

The next pose minimises J of :mod:`.problem`, whose first sum is zero where all points are reachable. With robots that point in
different ways J can have several valleys. So the search has two stages, each judging many poses at once: a scan of poses on the way
to the wish and all around it, then damped Gauss–Newton (Levenberg–Marquardt) from the best few.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.parameters import param
from swarm_control.formation.problem import DisplacementProblem


@dataclass(frozen=True)
class Displace:
    """Parameters of the displacement."""

    method: str = param("reachability", "how far the structure goes, and how wheels are steered", choices=("reachability", "naive"))
    bias: float = param(0.3, "weight of the distance to the wish against the distance out of reach", low=1e-6, high=1e3)
    starts: int = param(3, "poses from which the search is refined", low=1, high=64)
    rounds: int = param(8, "rounds of refinement at most", low=0, high=100)
    precision: float = param(1e-4, "refinement ends when a round gains less, as a share of the cost of staying", low=0.0, high=1.0)
    sample: int = param(32, "robots that judge the scan; the refinement asks all", low=3, high=100000)
    turn_gain: float = param(0.1, "naive wheel control: wheel speed for each radian off course", unit="m/s", low=0.0, high=100.0)


RADII = np.array([0.1, 0.4, 1.0])
DAMPING, SHARE = np.array([1e-4, 0.1, 1e-4]), np.array([1.0, 0.5, 0.1])
_angle = 2.0 * np.pi * np.arange(8) / 8
_fan = np.column_stack((np.cos(_angle), np.sin(_angle), np.zeros(8)))
_turn = np.array([0.0, 0.0, 1.0])
FAN = np.concatenate((_fan, _fan + 0.7 * _turn, _fan - 0.7 * _turn, [_turn, -_turn]))
"""Directions (26, 3) in (along the wish, across it, turn), as multiples of the wish's length."""


def displace(problem: DisplacementProblem, params: Displace) -> tuple[Array, float]:
    """The pose (3,) that minimises J, and J there (m²).

    J is never negative: when it is next to nothing at the wish, nothing is searched.
    """
    going, staying = problem.cost(np.stack((problem.wish, problem.pose))).tolist()
    if going <= params.precision * staying or not problem.step.any():
        return problem.wish, going
    return refine(problem, scan(problem, params), params.rounds, params.precision * staying)


def scan(problem: DisplacementProblem, params: Displace) -> Array:
    """Where to start from, (S, 3): the best pose of each of the ``starts`` best rays.

    A ray is a direction in (x, y, θ): the wish itself, its translation alone, its rotation alone, and :data:`FAN`.
    """
    step, size = problem.step, problem.size
    length = max(float(np.hypot(step[0], step[1])), size * abs(float(step[2])))
    ahead = np.arctan2(step[1], step[0]) if step[:2].any() else problem.pose[2]
    c, s = length * np.cos(ahead), length * np.sin(ahead)
    rays = np.concatenate((_OWN * step, FAN @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, length / size]])))
    poses = problem.pose + (RADII[:, None, None] * rays).reshape(-1, 3)
    cost = problem.sample(params.sample).cost(poses).reshape(len(RADII), -1)
    best = np.argsort(cost.min(axis=0), kind="stable")[: params.starts]
    result: Array = poses[cost.argmin(axis=0)[best] * len(rays) + best]
    return result


def refine(problem: DisplacementProblem, poses: Array, rounds: int, enough: float) -> tuple[Array, float]:
    """Levenberg–Marquardt from S ``poses`` (S, 3) at once: the best pose (3,) found, and J there (m²).

    Each round tries three steps for each start — whole, half and damped, a tenth, as J has creases where robots reach their limits —
    and every second round leaves out the worse half of the starts. It ends when a round lowers J by less than ``enough`` (m²).
    """
    scale = np.array([1.0, 1.0, 1.0 / problem.size])
    damping = np.ones(len(poses))
    value, normal, slope = problem.linearise(poses)
    for k in range(rounds):
        if k % 2 == 0 and k > 0 and len(poses) > 1:
            keep = np.argsort(value, kind="stable")[: (len(value) + 1) // 2]
            poses, value, normal, slope, damping = poses[keep], value[keep], normal[keep], slope[keep], damping[keep]
        trial = (poses[:, None] + _steps(normal, slope, damping) * scale).reshape(-1, 3)
        values, normals, slopes = problem.linearise(trial)
        best = np.arange(len(poses)) * len(DAMPING) + values.reshape(len(poses), -1).argmin(axis=1)
        gain = value - values[best]
        won = gain > 0.0
        damping = np.where(won, np.maximum(damping / 6.0, 1.0), 6.0 * damping)
        poses = np.where(won[:, None], trial[best], poses)
        value = np.where(won, values[best], value)
        normal = np.where(won[:, None, None], normals[best], normal)
        slope = np.where(won[:, None], slopes[best], slope)
        if np.where(won, gain < enough, damping > 1e4).all():
            break
    winner = int(value.argmin())
    return poses[winner], float(value[winner])


_OWN = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
_UNIT = np.eye(3)


def _steps(normal: Array, slope: Array, damping: Array) -> Array:
    """Damped Newton steps (S, D, 3), one for each pair of :data:`DAMPING` and :data:`SHARE`."""
    mean = np.trace(normal, axis1=1, axis2=2)[:, None] / 3.0
    mu = (DAMPING * damping[:, None] * mean + 1e-300)[..., None, None] * _UNIT
    return -SHARE[:, None] * np.linalg.solve(normal[:, None] + mu, slope[:, None, :, None])[..., 0]
