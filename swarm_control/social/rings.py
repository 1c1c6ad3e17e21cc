"""Where laws balance: circles of the equilibrium distance around those that exert them, to be looked at."""

from functools import lru_cache

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Society
from swarm_control.social.laws import Law, equilibria, laws_between

MOST = 30
"""Of more robots or landmarks of one kind no circles are drawn: nobody could tell them apart."""


def rings(position: Array, society: Society, laws: tuple[Law, ...]) -> Array:
    """Circles (R, 4): centre x, y (m, world frame), radius (m), kind of those that feel the force; ``position`` (N, 2) m of the robots.

    One around each robot and landmark for every kind of robots that its laws hold at a distance, of those that are few.
    """
    found = [np.empty((0, 4))]
    for k, source in enumerate(society.kinds):
        centres = np.vstack((position[society.robot == k], society.landmark[society.landmark_kind == k]))
        centres = centres[np.isfinite(centres).all(axis=1)]
        if not 0 < len(centres) <= MOST:
            continue
        for feels, kind in enumerate(society.kinds):
            if ((society.robot == feels) & ~society.leads).any():
                for radius in balanced(laws, kind, source):
                    found.append(np.column_stack((centres, np.full(len(centres), radius), np.full(len(centres), float(feels)))))
    return np.vstack(found)


@lru_cache(maxsize=256)
def balanced(laws: tuple[Law, ...], on: frozenset[str], of: frozenset[str]) -> tuple[float, ...]:
    """Distances (m) at which a robot in the groups ``on`` is held by one in the groups ``of``."""
    return equilibria(laws_between(laws, on, of))
