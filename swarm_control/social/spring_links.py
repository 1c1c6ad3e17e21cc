"""Springs between single robots, by their numbers: a structure without a group for each edge (Reif & Wang 1999, section 5)."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.state import Neighbourhoods

COLUMNS = 3
"""Numbers that a spring is written in: two robots, from 0 in the scenario's order, and the natural length in m."""


@dataclass(frozen=True)
class SpringLinks:
    """E springs of one ``stiffness`` (1/s²) between robots ``one`` and ``other`` (E,), of natural ``length`` (E,) m."""

    one: IntArray
    other: IntArray
    length: Array
    stiffness: float


def wrong_springs(numbers: tuple[float, ...], robots: int) -> str:
    """What is wrong with springs written as ``numbers`` among so many ``robots``; empty if nothing is."""
    if len(numbers) % COLUMNS:
        return f"{len(numbers)} numbers found, expected three for each spring: two robots and the length in m"
    joined: dict[tuple[float, float], int] = {}
    for k, (one, other, length) in enumerate(zip(*(numbers[c::COLUMNS] for c in range(COLUMNS)))):
        for robot in (one, other):
            if robot != int(robot) or not 0 <= robot < robots:
                return f"robot {robot:g} in spring {k} found, expected a whole number from 0 to {robots - 1}"
        if one == other or length < 0.0:
            return f"spring {k} from robot {one:g} to {other:g} of {length:g} m found, expected two robots and a length of at least 0"
        if (earlier := joined.setdefault((min(one, other), max(one, other)), k)) != k:
            return f"spring {k} between the same robots as spring {earlier} found, expected one for each pair"
    return ""


@lru_cache(maxsize=16)
def spring_links(numbers: tuple[float, ...], stiffness: float) -> SpringLinks:
    """Springs that are written as ``numbers``."""
    rows = np.array(numbers, float).reshape(-1, COLUMNS)
    return SpringLinks(rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2], stiffness)


def pulled(links: SpringLinks, position: Array, known: BoolArray) -> Array:
    """Force (N, 2) m/s² of all springs between ``known`` (N,) robots at ``position`` (N, 2) m.

    Equation: ``F_i = Σ_j k (r_ij − l_ij) (x_j − x_i)/r_ij`` (Reif & Wang §5); none between robots at one place.
    """
    there = known[links.one] & known[links.other]
    one, other = links.one[there], links.other[there]
    force = _force(links, position[other] - position[one], links.length[there])
    n = len(position)
    return np.stack([np.bincount(one, f, n) - np.bincount(other, f, n) for f in force.T], axis=1)


def pulled_by_seen(links: SpringLinks, seen: Neighbourhoods) -> Array:
    """The same (N, 2) m/s² of springs to robots that are ``seen``, where they are seen."""
    n = len(seen.start) - 1
    key = np.concatenate((links.one * n + links.other, links.other * n + links.one))
    order = np.argsort(key, kind="stable")
    pair = seen.owner * n + seen.index
    place = np.minimum(np.searchsorted(key[order], pair), len(key) - 1)
    mine = key[order][place] == pair
    force = _force(links, seen.offset[mine], np.tile(links.length, 2)[order][place[mine]])
    return np.stack([np.bincount(seen.owner[mine], f, n) for f in force.T], axis=1)


def _force(links: SpringLinks, along: Array, length: Array) -> Array:
    """Force (E, 2) of springs of natural ``length`` (E,) m stretched ``along`` (E, 2) m."""
    r = np.hypot(along[:, 0], along[:, 1])
    share = links.stiffness * (1.0 - np.divide(length, r, out=np.ones_like(r), where=r > 0.0))
    force: Array = share[:, None] * along
    return force
