"""Robots let come to rest under a social law, and how they lie then; for the experiments with densities."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.social.disc import Disc
from swarm_control.social.laws import Law
from swarm_control.social.summation import forces
from swarm_control.social.table import LawTable, law_table

ROWS = 4.0
"""Width of a ring in which robots are counted, in mean spacings: rows of robots, one spacing apart, must not show."""
STEPS = 4000
"""Most steps of a simulation."""
TINY = 1e-300
LEFT = 1e-3
"""Largest force left over the root mean square of the attraction, at which a cluster rests."""


@dataclass(frozen=True)
class Cluster:
    """Robots at rest: distances ``r`` (N,) m from their centre, and the largest force ``left`` over the mean size of the attraction."""

    r: Array
    left: float


def rest(case: tuple[Law, Disc, int]) -> Cluster:
    """Simulate robots from a sunflower, each moved at random by a quarter of the spacing, on a disc a fifth larger than the expected one.

    ``case``: law, expected disc, seed.
    """
    law, disc, seed = case
    rng = np.random.default_rng(seed)
    count = round(float(disc.inside(np.array(disc.radius))))
    turn, r = np.arange(count) * np.pi * (3.0 - np.sqrt(5.0)), 1.2 * disc.radius * np.sqrt((np.arange(count) + 0.5) / count)
    start = np.stack((r * np.cos(turn), r * np.sin(turn)), axis=1) + 0.6 * disc.radius / np.sqrt(count) * rng.normal(size=(count, 2))
    total, attraction = (_force(law_table(laws, (frozenset({""}),))) for laws in ((law,), (Law(terms=max(law.powers)),)))
    enough = LEFT * _size(attraction(start))
    position = settle(total, start, 0.1 * float(disc.spacing(np.array(0.0))), enough)
    return Cluster(norm(position - position.mean(axis=0)), float(norm(total(position)).max()) / _size(attraction(position)))


def settle(force: Callable[[Array], Array], position: Array, stride: float, enough: float, steps: int = STEPS) -> Array:
    """Damped motion of unit masses from ``position`` (…, N, d) m until no ``force`` (…, N, d) is above ``enough``, or ``steps`` are over.

    Each of the (…) swarms moves by itself: velocities turn towards forces, and end where they point uphill (FIRE, Bitzek et al. 2006).
    No robot moves more than ``stride`` (m) in a step.
    """
    velocity, one = np.zeros_like(position), np.ones((*position.shape[:-2], 1, 1))
    dt, mix, count = 1e-3 * one, 0.1 * one, 0.0 * one
    for _ in range(steps):
        pull = force(position)
        moving = _longest(pull) >= enough
        if not moving.any():
            break
        downhill = (pull * velocity).sum(axis=(-2, -1), keepdims=True) > 0.0
        velocity = np.where(downhill, (1.0 - mix) * velocity + mix * pull * (_norm(velocity) / np.maximum(_norm(pull), TINY)), 0.0)
        count = np.where(downhill, count + 1.0, 0.0)
        dt = np.where(downhill, np.where(count > 5.0, 1.1 * dt, dt), np.where(moving, 0.5 * dt, dt))
        mix = np.where(downhill, np.where(count > 5.0, 0.99 * mix, mix), 0.1)
        velocity = np.where(moving, velocity + dt * pull, 0.0)
        velocity = velocity * np.minimum(1.0, stride / np.maximum(dt * _longest(velocity), TINY))
        position = position + dt * velocity
    return position


def rings(disc: Disc) -> Array:
    """Bounds (K+1,) m of rings of equal width from the centre to a disc's edge, each at least ``ROWS`` mean spacings wide."""
    spacing = float(disc.spacing(disc.holding(np.array(0.5))))
    return np.linspace(0.0, disc.radius, max(2, int(disc.radius / (ROWS * spacing))) + 1)


def shares(disc: Disc, r: Array) -> tuple[Array, Array]:
    """Robots at distances ``r`` (N,) m counted in the rings of a disc (K,), over those expected there, and those expected (K,)."""
    bounds = rings(disc)
    expected = np.diff(disc.inside(bounds))
    bounds[-1] = np.inf
    return np.histogram(r, bounds)[0] / expected, expected


def ring_error(disc: Disc, r: Array) -> float:
    """Root mean square, weighted by the robots expected, of how far the density in rings is off, as a share."""
    share, expected = shares(disc, r)
    return float(np.sqrt(np.average((share - 1.0) ** 2, weights=expected)))


def _norm(vectors: Array) -> Array:
    return np.sqrt((vectors**2).sum(axis=(-2, -1), keepdims=True))


def _longest(vectors: Array) -> Array:
    """Length of the longest of vectors (…, N, d) → (…, 1, 1)."""
    return np.sqrt((vectors**2).sum(axis=-1, keepdims=True)).max(axis=-2, keepdims=True)


def _force(table: LawTable) -> Callable[[Array], Array]:
    """The force (N, 2) of robots at given places on each other."""

    def force(position: Array) -> Array:
        kind = np.zeros(len(position), np.int64)
        return forces(position, kind, position, kind, table, 1e-6, "direct")

    return force


def _size(vectors: Array) -> float:
    """Root mean square length."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))
