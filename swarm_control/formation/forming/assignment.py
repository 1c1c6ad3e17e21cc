"""Which robot takes which point, and how soon all can be there."""

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming.legs import Limits


def squares(start: Array, goal: Array) -> IntArray:
    """The robot (N,) that takes each goal: the sum of squared distances from ``start`` to ``goal`` (N, 2) m is least, exactly."""
    from scipy.optimize import linear_sum_assignment

    start, goal = start - start.mean(axis=0), goal - goal.mean(axis=0)
    # the squares of either set by itself add the same to every assignment
    robot: IntArray = linear_sum_assignment(-goal @ start.T)[1]
    return robot


def lower_bound(start: Array, goal: Array, fleet: Fleet, drive: Drive) -> float:
    """The least time (s) in which any assignment lets all robots arrive: of straight ways from rest to rest, none in anyone's way.

    ``T = 2·√(d/a)`` up to ``d = v²/a``, beyond ``d/v + v/a``; the assignment is the bottleneck's.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    limits = Limits.of(fleet, drive)
    far = norm(goal[:, None] - start[None, :, :2])
    speed, gain = limits.speed, limits.acceleration
    time = np.where(far < speed**2 / gain, 2.0 * np.sqrt(far / gain), far / speed + speed / gain)
    known = np.unique(time)
    low, high = int(np.searchsorted(known, max(time.min(axis=0).max(), time.min(axis=1).max()))), len(known) - 1
    while low < high:
        middle = (low + high) // 2
        matched = maximum_bipartite_matching(csr_array(time <= known[middle]), perm_type="column")
        low, high = (middle + 1, high) if (matched < 0).any() else (low, middle)
    return float(known[low])
